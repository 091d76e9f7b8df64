"""The pages: one line each."""

from typing import Final

import streamlit as st

from explorer.places import ROOT
from explorer.ui.controls.choices import choose_by_key

PAGES: Final = {
    "home": ("pages/home.py", "Home", ":material/home:"),
    "tour": ("pages/tour.py", "Tour", ":material/explore:"),
    "tokens": ("pages/tokens.py", "Tokens", ":material/view_module:"),
    "masks": ("pages/masks.py", "Masks", ":material/visibility_off:"),
    "positions": ("pages/positions.py", "Positions", ":material/waves:"),
    "attention": ("pages/attention.py", "Attention", ":material/hub:"),
    "heads": ("pages/heads.py", "All heads", ":material/grid_on:"),
    "steps": ("pages/steps.py", "Step by step", ":material/calculate:"),
    "stack": ("pages/stack.py", "Stack", ":material/layers:"),
    "training": ("pages/training.py", "Training", ":material/model_training:"),
    "decoding": ("pages/decoding.py", "Decoding", ":material/edit_note:"),
    "practice": ("pages/practice.py", "Predict", ":material/quiz:"),
    "lab": ("pages/lab.py", "Lab", ":material/science:"),
    "room": ("pages/room.py", "Room", ":material/groups:"),
    "words": ("pages/words.py", "Words", ":material/menu_book:"),
}


def open_page(name: str, **choices: object) -> None:
    """Go to a page, named as in `PAGES`, with these choices made."""
    path, _, _ = PAGES[name]
    for key, choice in choices.items():
        choose_by_key(key, choice)
    st.switch_page(ROOT / path)
