"""Shows the answer of the page Why? in words."""

import streamlit as st

from explorer.markdown import literal


def show_answer(found: str, meaning: str) -> None:
    """Show the answer with its numbers, and what it means."""
    st.markdown(f"**{literal(found)}**  \n{literal(meaning)}")
