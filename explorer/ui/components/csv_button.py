"""Buttons to download CSV, as spreadsheets in the reader's language read it, or programs."""

from collections.abc import Callable
from functools import partial
from typing import Final

import streamlit as st

from explorer.export.tables import DecimalSign
from explorer.languages import decimal_and_group, tr
from explorer.ui.frame.session import held, memory

_POINTS: Final = "csv_points"  # whether the reader of such a language wants points all the same


def decimal_sign() -> DecimalSign:
    """The sign before the decimals in this reader's files.

    A spreadsheet in German takes 1.12 for a date, and does not end a cell at a comma.
    """
    return "," if _has_comma() and not memory().get(_POINTS) else "."


def csv_button(label: str, make: Callable[[DecimalSign], bytes], file: str, *, key: str) -> None:
    """A button to download a file, which is made when it is pressed."""
    st.download_button(
        label,
        partial(make, decimal_sign()),
        file,
        "text/csv",
        key=key,
        icon=":material/download:",
        on_click="ignore",
    )


def choose_signs() -> None:
    """The switch to commas and points, where the language writes numbers in another way."""
    if not _has_comma():
        return
    label = tr("CSV with commas and decimal points")
    before = bool(memory().get(_POINTS))
    st.toggle(label, before, key=held("csv_points", before, partial(memory().__setitem__, _POINTS)))


def reading_code(file: str, n_rows: int | None) -> str:
    """The Python that reads such a file, or so many of its rows."""
    signs = ', sep=";", decimal=","' if decimal_sign() == "," else ""
    rows = "" if n_rows is None else f", nrows={n_rows}"
    return f'pandas.read_csv("{file}"{signs}{rows})'


def _has_comma() -> bool:
    return decimal_and_group()[0] == ","
