"""Goes from stop to stop of the stack's page, and reads the numbers there."""

from typing import Any

from streamlit.testing.v1 import AppTest

from tests.app.driving import choose

SHOWN = 64


def go_to(at: AppTest, stop: int, **state: Any) -> AppTest:
    """Another stop of the same page."""
    choose(at, stop=stop, **state).run()
    return at


def value_of(cell: str) -> float:
    """A number as it is written on the page."""
    assert cell.replace("−", "").strip("0.") or "−" not in cell, cell  # no minus before a zero
    return float(cell.replace("−", "-"))
