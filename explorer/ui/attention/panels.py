"""The words beside the matrix of a head, and what the drawers of the page hold."""

from typing import Final

import streamlit as st

from explorer import attention as engine
from explorer.analysis.attention import SHORT_NAMES, Attention
from explorer.answers.outside import known_here
from explorer.choices.parameters import Frame, HeadsDrawn, Look
from explorer.choices.settings import Settings
from explorer.config import ModelConfig
from explorer.figures.describe import share_in_words
from explorer.languages import mark, numbered, numeral, sentences, tr
from explorer.runtime.engine import Run
from explorer.ui.components.table import table
from explorer.ui.controls.attention import HUES
from explorer.ui.controls.buttons import page_button
from explorer.ui.controls.choices import chosen, on_show
from explorer.ui.controls.widgets import segments, toggle
from explorer.ui.frame.page import check_badge, show_sources, weights_badge
from explorer.views.attention import Choices
from explorer.views.looks import head_in_words, looks_most, one_look, strongest_look

PALE: Final = 0.3  # a picture whose largest weight is smaller looks empty on a scale from 0 to 1
SCALES: Final = {"unit": mark("0 to 1"), "largest": mark("0 to largest")}


def chosen_cell(attention: Attention, head: int) -> tuple[int, int] | None:
    """The row and column of the weight that was chosen; None if it is not shown.

    It is known by the positions of its words, on this page and step by step. Where only its query
    was chosen, it is the largest weight of that row.
    """
    query, key = chosen(Look.query), chosen(Look.key)
    if query in attention.query_positions and key is None:
        row = attention.query_positions.index(query)
        key = attention.key_positions[int(attention.weights[head][row].argmax())]
    cell = None if query is None or key is None else attention.cell(query, key)
    if cell is not None:
        on_show().update({Look.query.key: query, Look.key.key: key})
    return cell


def show_links(view: Choices, attention: Attention) -> None:
    """Links to the arithmetic of this head, and to the measure of its effect."""
    with st.container(key="ways"):
        label = tr("Where does this number come from?")
        page_button(label, "steps", choices={"case": "model"})
        asks: dict[str, object] = {"why_head": f"{view.kind}-{view.layer + 1}-{view.head + 1}"}
        if view.kind == "encoder":  # the words in question are not among its rows
            asks |= {"ask": "heads"}
        else:
            look, at = strongest_look(attention, view.head), chosen(Look.query)
            if at is None and look is not None:
                at = attention.query_positions[look[0]]
            asks |= {"why_at": at}
        page_button(tr("Does it matter?"), "why", choices=asks)


def say_in_words(
    settings: Settings, ran: Run, attention: Attention, head: int, cell: tuple[int, int] | None
) -> None:
    """Which head this is, what it does, and the weight that was chosen, or its largest."""
    kind, known = attention.kind, known_here(settings)
    look = strongest_look(attention, head) if cell is None else cell
    name = tr(
        "{attention} · layer {layer} · head {head}",
        attention=tr(SHORT_NAMES[kind]),
        layer=attention.layer + 1,
        head=head + 1,
    )
    st.markdown(f":{HUES[kind]}[**{name}**]")
    does = head_in_words(ran, attention, head, known)
    st.text(does[:1].upper() + does[1:])
    if look is not None:
        weight = share_in_words(float(attention.weights[head][look]))
        with st.container(key="number"):
            st.markdown(f":{HUES[kind]}[{weight}]")
    st.text(looks_most(attention, head) if cell is None else one_look(attention, head, cell))
    if settings.learnt is None:
        st.caption(tr("Untrained weights: the mechanics are real, the pattern means nothing."))


def show_code_and_checks(settings: Settings, ran: Run, attention: Attention) -> None:
    """The code that runs, after facts computed from what is on screen."""
    checks = engine.check_attention(ran.trace.attention(attention.kind, attention.layer))
    with st.container(horizontal=True, key="checks"):
        weights_badge(settings)
        check_badge(
            checks.row_error < 1e-5,
            tr("rows sum to 1 (±{error:.0e})", error=checks.row_error),
        )
        check_badge(
            checks.leaked == 0,
            tr("masked weights are exactly 0") if checks.hidden else tr("nothing is masked"),
        )
    if settings.dropout_seed is not None:
        st.badge(tr("compared with torch.nn only without dropout"), color="gray")
    elif (difference := ran.difference_to_torch()) is not None:
        check_badge(
            difference < 1e-4,
            tr("torch.nn agrees (largest difference {difference:.0e})", difference=difference),
        )
    show_sources(engine.scaled_dot_product, engine.MultiHeadAttention.forward)


def has_own_range(attention: Attention, head: int) -> bool:
    """Whether the strongest colour is that of the largest weight.

    By itself it is, where all weights of the head in focus are small.
    """
    usual = "largest" if float(attention.weights[head].max()) < PALE else "unit"
    on_show()[HeadsDrawn.scale.key] = scale = chosen(HeadsDrawn.scale) or usual
    return scale == "largest"


def choose_colours(settings: Settings, view: Choices) -> None:
    """How far the colours reach, and whether PAD is drawn."""
    usual = "largest" if view.own_range else "unit"
    segments(HeadsDrawn.scale, tr("Colours"), usual=usual, names=SCALES)
    if settings.can_hide_pad:
        toggle(Frame.hide_pad, tr("Hide PAD"))


def show_weights(attention: Attention, head: int) -> None:
    """The weights of a head, in a table."""
    rows, columns = (
        list(map(numbered, positions, words))
        for positions, words in (
            (attention.query_positions, attention.query_labels),
            (attention.key_positions, attention.key_labels),
        )
    )
    values = attention.weights[head].tolist()
    table(
        [tr("query \\ key"), *columns],
        [[row, *(numeral(w, ".4f") for w in line)] for row, line in zip(rows, values, strict=True)],
        key="attention-weights",
        caption=tr("Weights of head {head}: rows are queries, columns are keys.", head=head + 1),
    )


def show_formula(config: ModelConfig) -> None:
    """What an attention computes, as a formula."""
    scores = r"\frac{QK^\top}{\sqrt{d_k}}" if config.scale_scores else r"QK^\top"
    if config.positions in ("t5", "alibi"):
        scores += " + B"
    st.latex(rf"\text{{Attention}}(Q, K, V) = \text{{softmax}}\left({scores}\right)V")
    width = tr("Here d_k = {d_k}.", d_k=config.d_k)
    bias = tr("B holds a number for each distance between query and key; cross-attention has none.")
    cross = tr(
        "In cross-attention the *query* comes from the decoder, *key and value* from the encoder; "
        "some tutorials have it the other way round."
    )
    st.markdown(sentences(width, bias if config.positions == "t5" else "", cross))
