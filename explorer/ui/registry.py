"""The pages: one line each."""

from pathlib import Path
from typing import Final

import streamlit as st

from explorer.ui.controls.choices import choose_by_key

ROOT: Final = Path(__file__).parents[2]
PAGES: Final = {
    "home": ("pages/home.py", "Home", ":material/home:"),
    "tokens": ("pages/tokens.py", "Tokens", ":material/view_module:"),
    "masks": ("pages/masks.py", "Masks", ":material/visibility_off:"),
    "positions": ("pages/positions.py", "Positions", ":material/waves:"),
    "attention": ("pages/attention.py", "Attention", ":material/hub:"),
    "heads": ("pages/heads.py", "All heads", ":material/grid_on:"),
    "steps": ("pages/steps.py", "Step by step", ":material/calculate:"),
    "stack": ("pages/stack.py", "Stack", ":material/layers:"),
    "training": ("pages/training.py", "Training", ":material/model_training:"),
    "decoding": ("pages/decoding.py", "Decoding", ":material/edit_note:"),
}


def open_page(name: str, **choices: object) -> None:
    """Go to a page, named as in `PAGES`, with these choices made."""
    path, _, _ = PAGES[name]
    for key, choice in choices.items():
        choose_by_key(key, choice)
    st.switch_page(ROOT / path)
