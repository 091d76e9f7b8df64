"""The pictures of the positions page."""

from collections.abc import Sequence

import numpy as np
import streamlit as st
import torch
from streamlit.delta_generator import DeltaGenerator

from explorer import positional
from explorer.choices.parameters import Stack, Waves
from explorer.choices.settings import Settings
from explorer.config import ADDED_POSITIONS, ModelConfig
from explorer.initialisation import draw_weights
from explorer.languages import mark, numeral, side_by_side, tr
from explorer.layers import Embedding, EmbeddingTrace
from explorer.names import PAD
from explorer.ui.components.live_plot import live_plot
from explorer.ui.controls.buttons import page_button
from explorer.ui.controls.widgets import segments, select_slider, select_word, slider, toggle
from explorer.ui.frame.page import check_badge, show_code
from explorer.ui.frame.running import run
from explorer.ui.frame.stage import drawer
from explorer.views.looks import usual_word
from explorer.views.positions import OF_ENCODING, Encoding, inputs_picture, position_of

INPUTS = {
    "sentence": mark("sentence on show"),
    "six_ids": mark("six ids, d_model 4"),
    "eighty": mark("80 ids, d_model 512"),
}
MADE_UP = {  # ids that stand for no words, and the shape of a model that reads them
    "six_ids": ([1, 2, 3, 4, 0, 0], ModelConfig(d_model=4, n_heads=1)),
    "eighty": ([1 + 37 * at % 97 for at in range(80)], ModelConfig(d_model=512, n_heads=8)),
}


FORMULAS = {
    # Translators: the formula of the positional encoding, as in the paper.
    "paper": mark("paper"),
    "doubled": mark("doubled exponent"),
}


ASPECTS = {
    "order": mark("why order matters"),
    "inputs": mark("input + encoding"),
    **{name: label for name, (label, _) in OF_ENCODING.items()},
}


def choose_formula() -> tuple[int, str]:
    """Choose the base and the formula of the encoding, shared by all aspects."""
    base = select_slider(Waves.base, tr("Base"), width=220)
    formula = segments(
        Waves.formula,
        tr("Formula"),
        names=FORMULAS,
        label_visibility="visible",
        help=tr(
            "A published mistake: the loop variable steps by 2, and the exponent doubles it "
            "again. Another one is base 1000."
        ),
    )
    return base, formula


def show_encoding_badge(base: int, formula: str) -> None:
    """Say whether this encoding is the paper's."""
    if base != 10_000 or formula != "paper":
        check_badge(
            False,
            tr(
                "not the paper's encoding, which has base 10,000 and the formula without the "
                "mistake"
            ),
        )
    else:
        check_badge(True, tr("formula and base of the paper"))


def show_inputs(settings: Settings) -> None:
    """The embedding, the model's positions and their sum; the waves may have another formula."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        which = segments(Waves.input, tr("Input"), names=INPUTS, label_visibility="visible")
        config = settings.config if which == "sentence" else MADE_UP[which][1]
        waves = config.positions == "sinusoidal"
        base, formula = choose_formula() if waves else (10_000, "paper")
        scaled = toggle(Waves.scaled, tr("input × √d_model")) if config.scale_embedding else False
    trace, tokens = _embedded(settings) if which == "sentence" else _made_up(which, settings)
    used = float(base), formula
    live_plot(
        inputs_picture(trace, tokens, config, used, scaled=scaled, of_sentence=which == "sentence")
    )
    if which == "six_ids":
        first = side_by_side(
            numeral(number, ".7f") for number in position_of(trace, config, used)[1].tolist()
        )
        st.text(tr("Encoding of position 1: {numbers}", numbers=first))
    if waves:
        show_encoding_badge(base, formula)
    elif config.positions not in ADDED_POSITIONS:
        st.caption(tr("Nothing is added to the embeddings here."))
    show_code(Embedding)


def _embedded(settings: Settings) -> tuple[EmbeddingTrace, Sequence[str]]:
    """The sentence on show, embedded, and its tokens."""
    ran = run(settings)
    if settings.config.has_encoder:
        return ran.trace.src_embedding, ran.src_labels
    return ran.trace.tgt_embedding, ran.tgt_labels


def _made_up(which: str, settings: Settings) -> tuple[EmbeddingTrace, Sequence[str]]:
    """Six ids, few enough to be computed by hand; or 80, so that all waves can be seen."""
    ids, config = MADE_UP[which]
    embedding = Embedding(max(ids) + 1, config)
    draw_weights(embedding, settings.request.seed)
    with torch.inference_mode():
        trace: EmbeddingTrace = embedding(torch.tensor([ids]))
    return trace, [tr("id {number}", number=i) if i else PAD for i in ids]


def show_formula(settings: Settings, aspect: str, container: DeltaGenerator) -> None:
    """The aspects that depend only on the formula; their controls are put into `container`."""
    d_model, tokens = settings.config.d_model, _tokens(settings)
    token, first = usual_word(tokens), 0
    with container:
        if aspect == "encoding":
            token = select_word(Stack.word, tr("Word"), tokens, token, width=240)
        options = st.popover(tr("Options"), icon=":material/tune:", key="wave_options")
    with options:
        length = slider(Waves.positions, tr("Positions"))
        if aspect == "waves":
            first = slider(Waves.dimension, tr("First dimension"), most=d_model - 1)
        base, formula = choose_formula()
    encoding = Encoding.of(length, d_model, (float(base), formula), tokens, token, first)
    _, picture = OF_ENCODING[aspect]
    live_plot(picture(encoding))
    with st.container(horizontal=True):
        if d_model % 2 == 0:
            half = d_model / 2
            error = float(
                np.abs((encoding.values.astype(np.float64) ** 2).sum(axis=1) - half).max()
            )
            check_badge(
                error < 1e-3,
                tr(
                    "‖PE‖² = d/2 = {half:g} at every position (±{error:.0e})",
                    half=half,
                    error=error,
                ),
            )
        show_encoding_badge(base, formula)
    drawer(tr("The formula"), "formula", _show_formula)
    show_code(positional.sinusoidal, positional.waves)


def _show_formula() -> None:
    st.latex(r"PE_{(pos,\,2i)} = \sin\left(pos / base^{2i/d_{model}}\right)")
    st.latex(r"PE_{(pos,\,2i+1)} = \cos\left(pos / base^{2i/d_{model}}\right)")


def _tokens(settings: Settings) -> Sequence[str]:
    """The tokens of the sentence on show, which may be empty."""
    batch = settings.batch()
    labels = batch.src_labels if settings.config.has_encoder else batch.tgt_in_labels
    return labels[settings.row]


def offer_hand_check() -> None:
    """Offer an example with published values, small enough to check by hand."""
    page_button(
        tr("Check it by hand: d_model 4, base 100"),
        "positions",
        choices={"aspect": "inputs", "input": "six_ids", "base": 100, "formula": "paper"},
        icon=":material/calculate:",
        type="tertiary",
    )
