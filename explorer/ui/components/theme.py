"""The reader's theme: light or dark, as the browser says."""

import streamlit as st

from explorer.drawing.theme import THEMES, Theme


def theme_here() -> Theme:
    """The colours of the page on show."""
    return THEMES["dark" if st.context.theme.type == "dark" else "light"]
