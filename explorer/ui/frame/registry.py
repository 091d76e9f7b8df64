"""The pages for Streamlit, and the way to open one."""

from copy import copy
from functools import cache

import streamlit as st

from explorer.choices.pages import PAGES
from explorer.choices.parameters import Stage
from explorer.paths import ROOT
from explorer.ui.controls.choices import choose_by_key
from explorer.ui.frame.session import session


def pages() -> dict[str, st.Page]:
    """The pages, for one run: Streamlit marks the one that may be shown in it."""
    return {name: copy(page) for name, page in _pages().items()}


@cache  # Streamlit looks for the file of each
def _pages() -> dict[str, st.Page]:
    return {
        name: st.Page(ROOT / path, title=title, url_path=name, default=name == "home")
        for name, (path, title) in PAGES.items()
    }


def open_page(name: str, **choices: object) -> None:
    """Go to a page, named as in `PAGES`, with these choices made.

    Call it where a visitor's action is taken, not while a page is drawn.
    """
    if name not in PAGES:  # a browser may send anything
        return
    if name != session().page:
        choose_by_key(Stage.drawer.key, None)
    for key, choice in choices.items():
        choose_by_key(key, choice)
    session().page = name
