"""A small editable matrix, kept in the address.

(`st.data_editor` would import pandas: 80 MB in every server process.)
"""

import re
from collections.abc import Sequence
from typing import Final

import numpy as np
import streamlit as st

from explorer.languages import tr
from explorer.ui.components.component import as_json, component
from explorer.ui.controls.choices import choose, chosen, on_show
from explorer.ui.parameters import Parameter

MOST: Final = 1e6  # largest number allowed, so that nothing overflows
_component = component(
    "number_grid",
    '<table class="number-grid"><caption></caption><tbody></tbody></table>'
    '<p class="number-hint" role="status" hidden></p>',
)


def number_grid(
    parameter: Parameter, title: str, usual: Sequence[Sequence[float]], *, names: Sequence[str]
) -> np.ndarray:
    """The matrix as it was last typed, `usual` at first; `names` stand before its rows."""
    key = f"{parameter.key}_grid"
    values = parse(chosen(parameter) or "", usual)

    def edited() -> None:
        typed = as_text(np.array(st.session_state[key].edited))
        choose(parameter, None if typed == as_text(np.array(usual)) else typed)

    text = as_text(values)
    shown = [[float(cell) for cell in row.split(" ")] for row in text.split(";")]
    data = {
        "title": title,
        "values": shown,
        "names": list(names),
        "most": MOST,
        "texts": {
            "hint": tr(
                "Every cell needs a number from −{most:.0f} to {most:.0f}. Until then, the last "
                "valid numbers are used.",
                most=MOST,
            ),
            "cell": tr("{title}, {row}, column {column}"),
        },
    }
    _component(key=key, data=as_json(data), on_edited_change=edited)
    on_show()[parameter.key] = None if text == as_text(np.array(usual)) else text
    return values


def forget_numbers(*parameters: Parameter) -> None:
    """Forget what was typed into these grids."""
    for parameter in parameters:
        choose(parameter, None)


def as_text(values: np.ndarray) -> str:
    """A matrix as text for an address: rows after semicolons."""
    return ";".join(" ".join(f"{float(value):.7g}" for value in row) for row in values)


def parse(text: str, usual: Sequence[Sequence[float]]) -> np.ndarray:
    """The matrix that `as_text` wrote; `usual` where the text is not one of its size."""
    number = r"-?\d{1,7}(?:\.\d{1,11})?(?:e[+-]?\d{1,3})?"
    rows = [row.split(" ") for row in text.split(";")]
    fits = [len(row) for row in rows] == [len(row) for row in usual] and all(
        re.fullmatch(number, cell, re.ASCII) and abs(float(cell)) <= MOST
        for row in rows
        for cell in row
    )
    return np.array([[float(cell) for cell in row] for row in rows] if fits else usual, np.float32)
