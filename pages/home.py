"""How does a Transformer work? The whole model as a map, for the sentences on top."""

import streamlit as st

from explorer.device import estimate
from explorer.ui.architecture import architecture
from explorer.ui.frame import begin, open_page
from explorer.ui.page import heading
from explorer.ui.reading import read
from explorer.ui.settings import Settings


def open_block(target: str) -> None:
    """Open the page behind a block; the three attentions share one."""
    if target in ("encoder", "decoder", "cross"):
        st.session_state.attention = target
        target = "attention"
    st.session_state.open_page = target


def show_page(settings: Settings) -> None:
    """The whole page."""
    heading(
        "How does a Transformer work?",
        "Type sentences above, change the model on the left. Every number is computed live by a "
        "real encoder–decoder Transformer, the one of “Attention Is All You Need”. Each block "
        "shows the shape of what it hands on: press one to look inside.",
    )
    reading = read(settings)
    batch = reading.batch
    architecture(reading.trace, len(batch.src), open_block)
    target = st.session_state.pop("open_page", None)
    if target:
        open_page(target)
    size = estimate(settings.config, 1, batch.src.shape[1], batch.tgt_in.shape[1])
    st.markdown(
        "Shapes are (sentences, tokens, d_model), for attention weights (sentences, heads, "
        f"queries, keys). This model has **{size.model // 4:,} parameters** and takes "
        f"{size.model / 2**20:,.1f} MB; the trace of one pair takes {size.trace / 2**20:,.1f} MB. "
        "Its weights are random: shapes, masks and arithmetic are real, what attends to what "
        "means nothing yet."
    )


show_page(begin())
