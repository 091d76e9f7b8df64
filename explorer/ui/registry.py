"""The pages: one line each."""

from typing import Final

import streamlit as st

from explorer.languages import mark
from explorer.places import ROOT
from explorer.ui.controls.choices import choose_by_key

PAGES: Final = {
    "home": ("pages/home.py", mark("Home"), ":material/home:"),
    "tour": ("pages/tour.py", mark("Tour"), ":material/explore:"),
    "tokens": ("pages/tokens.py", mark("Tokens"), ":material/view_module:"),
    "masks": ("pages/masks.py", mark("Masks"), ":material/visibility_off:"),
    "positions": ("pages/positions.py", mark("Positions"), ":material/waves:"),
    "attention": ("pages/attention.py", mark("Attention"), ":material/hub:"),
    "heads": ("pages/heads.py", mark("All heads"), ":material/grid_on:"),
    "steps": ("pages/steps.py", mark("Step by step"), ":material/calculate:"),
    "stack": ("pages/stack.py", mark("Stack"), ":material/layers:"),
    "training": ("pages/training.py", mark("Training"), ":material/model_training:"),
    "decoding": ("pages/decoding.py", mark("Decoding"), ":material/edit_note:"),
    "why": ("pages/why.py", mark("Why?"), ":material/help_center:"),
    "practice": ("pages/practice.py", mark("Predict"), ":material/quiz:"),
    "lab": ("pages/lab.py", mark("Lab"), ":material/science:"),
    "room": ("pages/room.py", mark("Room"), ":material/groups:"),
    "words": ("pages/words.py", mark("Words"), ":material/menu_book:"),
}


def open_page(name: str, **choices: object) -> None:
    """Go to a page, named as in `PAGES`, with these choices made."""
    path, _, _ = PAGES[name]
    for key, choice in choices.items():
        choose_by_key(key, choice)
    st.switch_page(ROOT / path)
