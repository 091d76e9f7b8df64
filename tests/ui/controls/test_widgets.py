"""Choices whose options may have been replaced before the browser was told."""

from typing import Any

import pytest

from explorer.choices.parameters import Frame
from explorer.ui.controls import widgets
from explorer.ui.controls.choices import choices
from explorer.ui.controls.widgets import as_number


@pytest.mark.parametrize(
    ("chosen", "number"),
    [
        (3, 3),
        ("6", 6),
        ("3 · d", 3),  # a word is chosen by its position
        ("12 · 7", 12),
        ("no such option", 5),
        ("-1", 5),
        ("٣", 5),
        ("", 5),
        (None, 5),
    ],
)
def test_a_choice_as_a_number(chosen: object, number: int) -> None:
    assert as_number(chosen, 5) == number


def test_no_number_below_the_first_is_taken(said: dict[str, Any]) -> None:
    widgets._store(Frame.pair, None, "0")
    assert choices() == {"pair": 1}
