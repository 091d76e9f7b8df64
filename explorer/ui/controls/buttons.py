"""Buttons: a click is noted, and taken at the beginning of the next run."""

from typing import Any

import streamlit as st

from explorer.ui.frame.registry import open_page
from explorer.ui.frame.session import Act, when_clicked


def button(label: str, *, on_click: Act, args: tuple[Any, ...] = (), **more: Any) -> None:
    """A button that does something; `more` goes to Streamlit's."""
    st.button(label, on_click=when_clicked(on_click, *args), **more)


def page_button(
    label: str, page: str, *, choices: dict[str, Any] | None = None, **more: Any
) -> None:
    """A button that leads to a page, and makes these choices there."""
    st.button(label, on_click=when_clicked(open_page, page, **(choices or {})), **more)
