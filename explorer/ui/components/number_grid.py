"""A small editable matrix, kept in the address.

(`st.data_editor` would import pandas: 80 MB in every server process.)
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Self

import numpy as np

from explorer.choices.domains import Decimal
from explorer.choices.parameters import Parameter
from explorer.languages import decimal_and_group, tr
from explorer.numerals import NumberError
from explorer.runtime.shares import NUMBER_LENGTH
from explorer.ui.components.component import component
from explorer.ui.controls.choices import choose, chosen, on_show
from explorer.ui.controls.widgets import drafts

MAX_NUMBER: Final = 1e6  # largest number allowed, so that nothing overflows
_ALLOWED: Final = Decimal(-MAX_NUMBER, MAX_NUMBER)
_component = component(
    "number_grid",
    '<table class="number-grid"><caption></caption><tbody></tbody></table>'
    '<p class="number-hint" role="status" hidden></p>',
)


def number_grid(
    parameter: Parameter[Any], title: str, usual: Sequence[Sequence[float]], *, names: Sequence[str]
) -> np.ndarray:
    """The matrix as it was last typed, `usual` at first; `names` stand before its rows.

    Until every cell can be read, the last numbers that could be are used, and a sentence says so.
    """
    key = f"{parameter.key}_grid"
    values = parse(chosen(parameter) or "", usual)
    text, usual_text = as_text(values), as_text(np.array(usual))

    def edited(typed: Any) -> None:
        if np.shape(typed) != values.shape:  # a browser may send anything
            return
        numbers = _Cells.read(typed)
        if numbers.hint:
            drafts()[parameter.key] = (typed, text)
            return
        drafts().pop(parameter.key, None)
        now = as_text(np.array(numbers.values))
        choose(parameter, None if now == usual_text else now)

    decimal = decimal_and_group()[0]
    shown = [row.replace(".", decimal).split(" ") for row in text.split(";")]
    typed, instead_of = drafts().get(parameter.key, (shown, text))
    cells = _Cells.read(typed if instead_of == text else shown)
    data = {
        "title": title,
        "cells": typed if cells.hint else shown,
        "names": list(names),
        "most": NUMBER_LENGTH,
        "hint": cells.hint,
        "wrong": cells.wrong,
        "cell": tr("{title}, {row}, column {column}"),
    }
    _component(key=key, data=data, on={"edited": edited})
    on_show()[parameter.key] = None if text == usual_text else text
    return values


def typed_numbers(parameter: Parameter[Any], usual: Sequence[Sequence[float]]) -> np.ndarray:
    """The matrix as it was last typed, where its grid may not be in sight."""
    text = on_show()[parameter.key] = chosen(parameter)
    return parse(text or "", usual)


@dataclass(frozen=True, slots=True)
class _Cells:
    """The numbers that were typed, or what is wrong with the first cell that has none."""

    values: list[list[float]]
    hint: str = ""
    wrong: tuple[int, int] | None = None  # row and column

    @classmethod
    def read(cls, typed: Sequence[Sequence[str]]) -> Self:
        values = [[0.0] * len(row) for row in typed]
        for r, row in enumerate(typed):
            for c, cell in enumerate(row):
                try:
                    values[r][c] = _ALLOWED.typed(cell)
                except NumberError as error:
                    until = tr("Until then, the last valid numbers are used.")
                    return cls(values, f"{error} {until}", (r, c))
        return cls(values)


def forget_numbers(*parameters: Parameter[Any]) -> None:
    """Forget what was typed into these grids."""
    for parameter in parameters:
        drafts().pop(parameter.key, None)
        choose(parameter, None)


def as_text(values: np.ndarray) -> str:
    """A matrix as text for an address: rows after semicolons."""
    return ";".join(" ".join(f"{float(value):.7g}" for value in row) for row in values)


def parse(text: str, usual: Sequence[Sequence[float]]) -> np.ndarray:
    """The matrix that `as_text` wrote; `usual` where the text is not one of its size."""
    number = r"-?\d{1,7}(?:\.\d{1,11})?(?:e[+-]?\d{1,3})?"
    rows = [row.split(" ") for row in text.split(";")]
    fits = [len(row) for row in rows] == [len(row) for row in usual] and all(
        re.fullmatch(number, cell, re.ASCII) and abs(float(cell)) <= MAX_NUMBER
        for row in rows
        for cell in row
    )
    return np.array([[float(cell) for cell in row] for row in rows] if fits else usual, np.float32)
