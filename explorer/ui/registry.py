"""The pages by their places: one line each."""

from copy import copy
from functools import cache
from typing import Final

import streamlit as st

from explorer.languages import mark
from explorer.paths import ROOT
from explorer.ui.controls.choices import choose_by_key
from explorer.ui.session import session

PLACES: Final = {
    # Translators: where one begins: Home, Tour
    mark("Start"): {
        "home": ("pages/home.py", mark("Home")),
        "tour": ("pages/tour.py", mark("Tour")),
    },
    # Translators: how a model reads a sentence: Tokens, Masks, Positions
    mark("Read"): {
        "tokens": ("pages/tokens.py", mark("Tokens")),
        "masks": ("pages/masks.py", mark("Masks")),
        "positions": ("pages/positions.py", mark("Positions")),
    },
    # Translators: a verb, for what heads do: Attention, All heads, Step by step, Why?
    mark("Attend"): {
        "attention": ("pages/attention.py", mark("Attention")),
        "heads": ("pages/heads.py", mark("All heads")),
        "steps": ("pages/steps.py", mark("Step by step")),
        "why": ("pages/why.py", mark("Why?")),
    },
    # Translators: a model is run: Stack, Training, Decoding
    mark("Run"): {
        "stack": ("pages/stack.py", mark("Stack")),
        "training": ("pages/training.py", mark("Training")),
        "decoding": ("pages/decoding.py", mark("Decoding")),
    },
    # Translators: try it yourself: Predict, Lab
    mark("Try"): {
        "predict": ("pages/predict.py", mark("Predict")),
        "lab": ("pages/lab.py", mark("Lab")),
    },
    mark("Room"): {"room": ("pages/room.py", mark("Room"))},
}
PAGES: Final = {
    **{name: page for pages in PLACES.values() for name, page in pages.items()},
    "glossary": ("pages/glossary.py", mark("Glossary")),  # in no place: always beside them
}
RENAMED: Final = {"practice": "predict", "words": "glossary"}  # old links still lead there
NO_PAGE: Final = "no_page"  # what Home's address says of a page that does not exist


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
    for key, choice in choices.items():
        choose_by_key(key, choice)
    session().page = name
