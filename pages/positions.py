"""How does it know the order? Sinusoidal positional encodings."""

import streamlit as st

from explorer.ui.controls.model import POSITION_NAMES
from explorer.ui.controls.widgets import segments
from explorer.ui.frame import show
from explorer.ui.page import heading
from explorer.ui.parameters import ASPECT
from explorer.ui.positions.panels import ASPECTS, show_formula, show_inputs
from explorer.ui.positions.word_order import show_order
from explorer.ui.settings import Settings
from explorer.weights.catalogue import Pretrained


def show_page(settings: Settings) -> None:
    """The whole page."""
    heading(
        "How does it know the order?",
        "Attention alone does not, so every position adds its own pattern of waves to its word.",
    )
    if isinstance(settings.request.source, Pretrained):
        own = POSITION_NAMES[settings.config.positions]
        st.caption(
            f"The model on show knows the order in its own way: {own}. "
            "“Input + encoding” shows its own numbers; the other pictures show the paper's waves."
        )
    aspect = segments(ASPECT, "Aspect", names=ASPECTS.__getitem__)
    if aspect == "order":
        show_order(settings)
    elif aspect == "inputs":
        show_inputs(settings)
    else:
        show_formula(settings, aspect)


show(show_page)
