"""Choices whose options may have been replaced before the browser was told."""

import pytest

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
def test_what_was_chosen_as_a_number(chosen: object, number: int) -> None:
    assert as_number(chosen, 5) == number
