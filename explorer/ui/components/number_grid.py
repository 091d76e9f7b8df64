"""A small editable matrix, kept in the address.

(`st.data_editor` would import pandas: 80 MB in every server process.)
"""

import re
from collections.abc import Sequence
from typing import Final

import numpy as np
import streamlit as st

from explorer.ui.components.component import as_json, component

MOST: Final = 1e6  # largest number allowed, so that nothing overflows
_component = component(
    "number_grid",
    '<table class="number-grid"><caption></caption><tbody></tbody></table>'
    '<p class="number-hint" role="status" hidden></p>',
)


def number_grid(
    title: str, usual: Sequence[Sequence[float]], *, key: str, names: Sequence[str]
) -> np.ndarray:
    """The matrix as last typed, at first `usual`; `names` are the names of its rows."""
    state = st.session_state
    stored = state.get(key) or st.query_params.get(key)
    values = parse(stored, usual) if stored else np.array(usual, dtype=np.float32)

    def edited() -> None:
        state[key] = written(np.array(state[f"{key}_grid"].edited))

    shown = [[float(cell) for cell in row.split(" ")] for row in written(values).split(";")]
    data = {"title": title, "values": shown, "names": list(names), "most": MOST}
    _component(key=f"{key}_grid", data=as_json(data), on_edited_change=edited)
    state[key] = written(values)
    if state[key] == written(np.array(usual)):
        st.query_params.pop(key, None)
    else:
        st.query_params[key] = state[key]
    return values


def reset(*keys: str) -> None:
    """Reset these grids to their usual values."""
    for key in keys:
        st.session_state.pop(key, None)
        st.query_params.pop(key, None)


def written(values: np.ndarray) -> str:
    """A matrix as text for an address, with semicolons between rows."""
    return ";".join(" ".join(f"{float(value):.7g}" for value in row) for row in values)


def parse(text: str, usual: Sequence[Sequence[float]]) -> np.ndarray:
    """Parse the text of `written`; returns `usual` unless it is a matrix of that size."""
    number = r"-?\d{1,7}(?:\.\d{1,11})?(?:e[+-]?\d{1,3})?"
    rows = [row.split(" ") for row in text.split(";")]
    fits = [len(row) for row in rows] == [len(row) for row in usual] and all(
        re.fullmatch(number, cell, re.ASCII) and abs(float(cell)) <= MOST
        for row in rows
        for cell in row
    )
    return np.array([[float(cell) for cell in row] for row in rows] if fits else usual, np.float32)
