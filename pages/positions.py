"""How does it know the order? Sinusoidal positional encodings."""

import streamlit as st

from explorer.choices.parameters import Waves, keys_of
from explorer.choices.settings import Settings
from explorer.config import Positions
from explorer.languages import tr
from explorer.ui.controls.choices import choices
from explorer.ui.controls.parts import POSITION_NAMES
from explorer.ui.controls.widgets import segments
from explorer.ui.frame.draw import show
from explorer.ui.frame.page import heading
from explorer.ui.positions.own_order import can_ask, show_own_order
from explorer.ui.positions.panels import ASPECTS, offer_hand_check, show_formula, show_inputs
from explorer.ui.positions.word_order import show_order
from explorer.ui.predict.ask_me import ask_me


def show_page(settings: Settings) -> None:
    """The whole page."""
    heading(
        tr("How does it know the order?"),
        tr(
            "Without a mask, attention alone does not: in the paper, each position adds its own "
            "waves to its word."
        ),
    )
    _say_other_positions(settings.config.positions)
    # A link that says something of the encoding shows it.
    usual = "encoding" if choices().keys() & keys_of(Waves) else "order"
    place = st.container(horizontal=True, vertical_alignment="center")
    with place:
        aspect = segments(Waves.aspect, tr("Aspect"), usual=usual, names=ASPECTS)
    if aspect == "order":
        (show_own_order if can_ask(settings) else show_order)(settings)
    elif aspect == "inputs":
        show_inputs(settings)
    else:
        show_formula(settings, aspect, place)
    if aspect != "order":
        offer_hand_check()
    ask_me(settings, "positions")


def _say_other_positions(positions: Positions) -> None:
    """Say what the model on show has in place of the paper's waves."""
    if positions == "none":
        st.caption(
            tr(
                "The model on show has no positions. “Encoding”, “waves” and “similarity” show "
                "the paper's waves."
            )
        )
    elif positions != "sinusoidal":
        st.caption(
            tr(
                "The model on show has positions of another kind: {positions}. “Input + encoding” "
                "and “why order matters” use these; the other pictures show the paper's waves.",
                positions=tr(POSITION_NAMES[positions]),
            )
        )


show(show_page)
