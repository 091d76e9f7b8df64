"""Why order matters: one sentence and a reordering of it, read without and with positions."""

from dataclasses import replace

import numpy as np
import streamlit as st
import torch
from torch import Tensor

from explorer.figures.positional import distances
from explorer.figures.theme import THEMES
from explorer.runtime.engine import engine
from explorer.runtime.memory import estimate
from explorer.text import MAX_TOKENS, Batch, tokenize
from explorer.transformer import Transformer
from explorer.ui.components.live_plot import live_plot
from explorer.ui.controls.choices import value
from explorer.ui.controls.widgets import field
from explorer.ui.page import check_badge, show_code, weights_badge
from explorer.ui.parameters import ORDER_A, ORDER_B, SEED, USUAL
from explorer.ui.running import on_page, tell
from explorer.ui.settings import Settings
from explorer.vocabulary import VOCAB_SIZE
from explorer.weights.catalogue import UNTRAINED, ModelRequest, Pretrained, request


def matching(first: list[str], second: list[str]) -> list[int]:
    """The position in `first` of every word of `second`; equal words are matched in order."""
    free: dict[str, list[int]] = {}
    for place, word in enumerate(first):
        free.setdefault(word, []).append(place)
    return [free[word].pop(0) for word in second]


def encode_twice(model: Transformer, src: Tensor) -> list[np.ndarray]:
    """The encoder's output for the same sentences, without and with positions."""
    device = next(model.parameters()).device
    with torch.inference_mode():
        return [
            model.encode(src.to(device), positions=positions).memory.cpu().numpy()
            for positions in (False, True)
        ]


def untrained_request(settings: Settings) -> ModelRequest:
    """A request for an untrained model of the shape on show, which reads any words."""
    shape = USUAL if isinstance(settings.request.source, Pretrained) else settings.config
    config = replace(
        shape,
        tying="nothing",
        src_vocab_size=VOCAB_SIZE,
        tgt_vocab_size=VOCAB_SIZE,
        src_pad_id=0,
        tgt_pad_id=0,
    )
    return request(UNTRAINED, config, seed=value(SEED), device=settings.request.device)


def show_order(settings: Settings) -> None:
    """Compare the encoder's outputs for two sentences of the same words, token by token."""
    with st.container(horizontal=True):
        first, second = (
            field(parameter.key, label, value(parameter), most=500)
            for parameter, label in (
                (ORDER_A, "A sentence"),
                (ORDER_B, "The same words in another order"),
            )
        )
    words = [tokenize(text or "")[:MAX_TOKENS] for text in (first, second)]
    if words[0] == words[1] or sorted(words[0]) != sorted(words[1]):
        st.info(
            "Type the same words in both sentences, in different orders.",
            icon=":material/keyboard:",
        )
        return
    batch = Batch.from_text([first, second], [first, second])
    n_words = batch.src.shape[1]
    order = matching(*words)
    untrained = untrained_request(settings)
    need = estimate(untrained.config, 2, n_words, n_words)
    with on_page():
        outputs = engine().use(
            untrained, need, lambda loaded, _: encode_twice(loaded.model, batch.src), tell=tell
        )
    gaps = [np.linalg.norm(a[:, None] - b[None], axis=-1) for a, b in outputs]
    off, on = (float(gap[order, range(n_words)].max()) for gap in gaps)
    moved = ", ".join(f"{place}→{row}" for row, place in enumerate(order) if row != place)
    live_plot(
        distances(
            [("positions off", gaps[0]), ("positions on", gaps[1])],
            batch.src_labels[0],
            batch.src_labels[1],
            THEMES[settings.theme],
        ),
        key="order",
        alt=f"Distances between the encoder's outputs for two sentences of {n_words} words. With "
        f"positions off, reordering A gives B up to {off:.1e}; with positions on, up to {on:.2f}.",
        caption="Distance between the encoder's output for each word of the first sentence (rows) "
        "and of the second (columns); 0 means the very same vector.",
        file_name="why-order-matters",
    )
    with st.container(horizontal=True):
        weights_badge(replace(settings, request=untrained, learnt=None))
        check_badge(off < 1e-4, f"off: the same vectors, reordered (largest distance {off:.0e})")
        check_badge(on > 1e-4, f"on: not a reordering (largest distance {on:.2f})")
    st.markdown(
        "**Without positions the encoder is permutation-equivariant**: reorder the words, and the "
        "outputs are reordered in the same way; nothing else changes. Moved here: "
        f"{moved or 'none'} (position in the first sentence → position in the second). The encoder "
        "cannot tell which is liked more. With positions, every word's vector also says where the "
        "word is."
    )
    show_code("The code that ran", encode_twice, Transformer.encode)
