"""Who looks at whom? Every head of every attention, for the sentences above."""

import streamlit as st

from explorer.figures.theme import THEMES
from explorer.languages import mark, tr
from explorer.ui.attention.panels import (
    chosen_cell,
    show_checks,
    show_depth,
    show_heads,
    show_way_to_steps,
)
from explorer.ui.controls.attention import choose_attention, choose_head, kind_on_show
from explorer.ui.controls.widgets import segments, toggle
from explorer.ui.frame import show
from explorer.ui.outside import known_here
from explorer.ui.page import SCALES, heading, predict_first, say_what_is_missing
from explorer.ui.parameters import HIDE_PAD, SCALE
from explorer.ui.running import run
from explorer.ui.settings import Settings
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


def choose_view(settings: Settings) -> Choices:
    """Draw the page's own controls."""
    with st.container(horizontal=True, vertical_alignment="center", key="choices"):
        kind, layer = choose_attention(settings)
        head = choose_head(settings, kind, layer, width=125)
        scale = segments(
            SCALE, tr("Colours"), names=lambda name: tr(SCALES[name]), label_visibility="visible"
        )
        hide_pad = toggle(HIDE_PAD, tr("Hide PAD"))
    return Choices(kind, layer, head, scale == "largest", hide_pad)


def show_page(settings: Settings) -> None:
    """The whole page."""
    heading(tr("Who looks at whom?"), tr(WHO[kind_on_show(settings)]))
    chosen = choose_view(settings)
    say_what_is_missing(settings)
    ran = run(settings)
    attention = ran.attention(chosen.kind, chosen.layer)
    if chosen.hide_pad:
        attention = attention.without_pad()
    cell = chosen_cell(attention, chosen.head)
    known = known_here(settings)
    show_heads(ran, attention, chosen, cell, THEMES[settings.theme], known)
    show_way_to_steps()
    show_checks(settings, ran, chosen)
    show_depth(settings, attention, chosen.head)
    predict_first("attention")


show(show_page)
