"""How the page Why? says what it has found."""

import streamlit as st

from explorer.ui.markdown import literal


def say(found: str, meaning: str) -> None:
    """The answer with its numbers, and what it means."""
    st.markdown(f"**{literal(found)}** {literal(meaning)}")
