"""Who looks at whom? Every head of every attention, for the sentences above."""

import streamlit as st

from explorer.analysis.attention import Attention
from explorer.choices.parameters import HeadsDrawn
from explorer.choices.settings import Settings
from explorer.languages import mark, tr
from explorer.names import PAD
from explorer.runtime.engine import Run
from explorer.ui.attention.panels import (
    chosen_cell,
    show_checks,
    show_depth,
    show_heads,
    show_links,
)
from explorer.ui.controls.attention import choose_attention, choose_head, kind_on_show
from explorer.ui.controls.widgets import toggle
from explorer.ui.frame import show
from explorer.ui.page import choose_own_scale, heading, say_what_is_missing
from explorer.ui.predict.ask_me import ask_me
from explorer.ui.running import run
from explorer.ui.why.parts import fold_score
from explorer.views.attention import Choices

WHO = {
    "encoder": mark(
        "Every source word looks at every source word: queries, keys and values all come "
        "from the source."
    ),
    "decoder": mark(
        "Every target word looks at itself and at the words before it, never at the future."
    ),
    "cross": mark(
        "Target words look at the source: queries from the decoder, keys and values from the "
        "encoder's memory."
    ),
}


def choose_view(settings: Settings) -> tuple[Choices, Run]:
    """Draw the page's own controls; how far the colours reach depends on the weights."""
    controls = st.container(horizontal=True, vertical_alignment="center", key="choices")
    with controls:
        kind, layer = choose_attention(settings)
        head = choose_head(settings, kind, layer, width=125)
    ran = run(settings)
    attention = ran.attention(kind, layer)
    has_pad = not all([*attention.query_is_word, *attention.key_is_word])
    with controls:
        own_range = choose_own_scale(float(attention.weights[head].max()))
        label = tr("Hide PAD") if has_pad else tr("No PAD to hide")
        hide_pad = PAD in (*ran.src_labels, *ran.tgt_labels) and toggle(
            HeadsDrawn.hide_pad, label, disabled=not has_pad
        )
    return Choices(kind, layer, head, own_range, hide_pad), ran


def _positions(attention: Attention, cell: tuple[int, int] | None) -> tuple[int, int] | None:
    """The places of a cell in the sentences, of which PAD may be hidden."""
    if cell is None:
        return None
    return attention.query_positions[cell[0]], attention.key_positions[cell[1]]


def show_page(settings: Settings) -> None:
    """The whole page."""
    kind = kind_on_show(settings)
    heading(tr("Who looks at whom?"), tr(WHO[kind]), within=(settings.config, kind))
    chosen, ran = choose_view(settings)
    say_what_is_missing(settings)
    attention = ran.attention(chosen.kind, chosen.layer)
    if chosen.hide_pad:
        attention = attention.without_pad()
    cell = chosen_cell(attention, chosen.head)
    show_heads(ran, attention, chosen, cell, settings)
    show_links(chosen, attention)
    show_checks(settings, ran, chosen)
    show_depth(settings, ran, attention, chosen.head)
    whole = ran.attention(chosen.kind, chosen.layer)
    fold_score(settings, ran, whole, chosen.head, _positions(attention, cell))
    ask_me(settings, "attention")


show(show_page)
