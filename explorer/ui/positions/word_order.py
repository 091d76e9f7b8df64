"""What an encoder makes of two orders of the same words, without and with positions."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, TypeVar

import numpy as np
import streamlit as st
import torch
from torch import Tensor

from explorer.choices.parameters import USUAL, Frame, WordOrder
from explorer.choices.settings import Settings
from explorer.config import ADDED_POSITIONS, Positions
from explorer.languages import tr
from explorer.runtime.engine import engine
from explorer.runtime.memory import estimate
from explorer.text import MAX_TOKENS, Batch, tokenize
from explorer.transformer import Transformer
from explorer.ui.components.live_plot import live_plot
from explorer.ui.controls.choices import value
from explorer.ui.controls.widgets import field
from explorer.ui.frame.page import check_badge, show_code, weights_badge
from explorer.ui.frame.running import on_page, tell
from explorer.views.positions import order_picture
from explorer.vocabulary import VOCAB_SIZE
from explorer.weights.catalogue import UNTRAINED, ModelRequest, Pretrained, request

T = TypeVar("T")
SAME: Final = 1e-4  # closer vectors are the same up to rounding


def matching(first: Sequence[T], second: Sequence[T]) -> list[int]:
    """The position in `first` of every word of `second`; equal words are matched in order."""
    free: dict[T, list[int]] = {}
    for position, word in enumerate(first):
        free.setdefault(word, []).append(position)
    return [free[word].pop(0) for word in second]


def encode_both(bare: Transformer, model: Transformer, src: Tensor) -> list[np.ndarray]:
    """The encoder's output for the same sentences, without and with positions."""
    with torch.inference_mode():
        return [one.encode(src.to(one.device)).memory.cpu().numpy() for one in (bare, model)]


def untrained_request(settings: Settings) -> ModelRequest:
    """A request for an untrained model like the one on show, which reads any words.

    Of a pretrained model, it has the kind of positions, and a shape small enough to be drawn.
    """
    shape = settings.config
    if isinstance(settings.request.source, Pretrained):
        shape = replace(USUAL, positions=shape.positions)
    config = replace(
        shape,
        tying="nothing",
        src_vocab_size=VOCAB_SIZE,
        tgt_vocab_size=VOCAB_SIZE,
        src_pad_id=0,
        tgt_pad_id=0,
    )
    return request(UNTRAINED, config, seed=value(Frame.seed), device=settings.request.device)


def show_order(settings: Settings) -> None:
    """Let two sentences of the same words be typed, and compare what an encoder makes of them."""
    first, second = _type_two()
    words = [tokenize(text)[:MAX_TOKENS] for text in (first, second)]
    if words[0] == words[1] or sorted(words[0]) != sorted(words[1]):
        hint = tr("Type the same words in both sentences, in different orders.")
        st.info(hint, icon=":material/keyboard:")
        return
    untrained = replace(settings, request=untrained_request(settings), learnt=None)
    show_vectors(untrained, Batch.from_text([first, second], [first, second]))


def show_vectors(settings: Settings, batch: Batch) -> None:
    """Compare the outputs of the model's encoder for two orders of the same tokens."""
    positions, n_words = settings.config.positions, batch.src.shape[1]
    order = matching(*batch.src.tolist())
    need = estimate(settings.config, 2, n_words, n_words)
    with on_page():
        outputs = engine().result(
            settings.request,
            need,
            ("both orders", batch.sources.key),
            16 * n_words * settings.config.d_model,
            lambda loaded: encode_both(loaded.without_positions, loaded.model, batch.src),
            tell=tell,
        )
    gaps = [np.linalg.norm(a[:, None] - b[None], axis=-1) for a, b in outputs]
    off, on = (float(gap[order, range(n_words)].max()) for gap in gaps)
    live_plot(
        order_picture(
            gaps[:1] if positions == "none" else gaps,
            (batch.src_labels[0], batch.src_labels[1]),
            (off, on),
        )
    )
    with st.container(horizontal=True):
        weights_badge(settings)
        check_badge(
            off < SAME, tr("off: the same vectors, reordered (largest distance {off:.0e})", off=off)
        )
        if positions != "none":
            _say_on(on, positions)
    st.markdown(_meaning_in_words(order, positions))
    show_code(encode_both, Transformer.encode, Transformer.with_settings)


def _meaning_in_words(order: list[int], positions: Positions) -> str:
    """The purpose of positions; `order` has the position of each word in the first sentence."""
    moved = ", ".join(f"{position}→{row}" for row, position in enumerate(order) if row != position)
    without = tr(
        "**Without positions the encoder is permutation-equivariant**: reorder the words, and the "
        "outputs are reordered in the same way; nothing else changes. Moved here: {moved} "
        "(position in the first sentence → position in the second). So the encoder cannot tell in "
        "which order the words stand.",
        moved=moved,
    )
    if positions == "none":
        return without
    if positions in ADDED_POSITIONS:
        given = tr("With positions, every word's vector also says where the word is.")
    else:
        given = tr("With positions, every score also depends on how far apart the two words are.")
    return f"{without} {given}"


def _type_two() -> tuple[str, str]:
    """The fields of the two sentences, and what is typed in them."""
    with st.container(horizontal=True):
        first = field(WordOrder.order_a.key, tr("A sentence"), value(WordOrder.order_a))
        label = tr("The same words in another order")
        return first, field(WordOrder.order_b.key, label, value(WordOrder.order_b))


def _say_on(on: float, positions: Positions) -> None:
    """Say whether the outputs with positions are a reordering too."""
    if on > SAME:
        check_badge(True, tr("on: not a reordering (largest distance {on:.2f})", on=on))
        return
    text = tr("on: these are reordered too (largest distance {on:.0e}).", on=on)
    if positions == "alibi":
        text += " " + tr("ALiBi knows distances, not directions.")
    st.badge(text, icon=":material/info:", color="gray")
