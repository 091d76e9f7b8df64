"""Marks of rows of a table."""

from typing import Any

import pytest


def rest(*rows: Any) -> list[Any]:
    """Rows of a table that only `make all` runs; a tuple has a value for each argument."""
    return [
        pytest.param(*(row if isinstance(row, tuple) else (row,)), marks=pytest.mark.all)
        for row in rows
    ]
