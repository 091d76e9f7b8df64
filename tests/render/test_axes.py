"""Axes: names or even numbers stand beside the area, as the language writes them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.drawing.drawing import Axis, numeral
from explorer.render.axes import even_ticks, tick_label, ticks

ENDS = st.floats(-1e6, 1e6).filter(lambda value: value == 0 or abs(value) > 1e-6)


@given(low=ENDS, high=ENDS, pixels=st.integers(40, 2000), letter=st.sampled_from("xy"))
def test_ticks_are_even_within_the_axis_and_not_too_many(
    low: float, high: float, pixels: int, letter: str
) -> None:
    ticks = even_ticks(low, high, pixels, letter)
    span = abs(high - low)
    if not span:
        assert ticks == []
        return
    assert len(ticks) <= 12
    assert all(min(low, high) - 1e-6 * span <= at <= max(low, high) + 1e-6 * span for at in ticks)
    if len(ticks) > 1:
        np.testing.assert_allclose(np.diff(ticks), ticks[1] - ticks[0], rtol=1e-6)


@pytest.mark.parametrize(
    ("low", "high", "separators", "labels"),
    [
        (0, 1, ".,", ["0", "0.2", "0.4", "0.6", "0.8", "1"]),
        (-1, 1, ",.", ["−1", "−0,5", "0", "0,5", "1"]),
        (0, 4000, ",.", ["0", "1.000", "2.000", "3.000", "4.000"]),
        (0, 3e-7, ".,", ["0", "1·10⁻⁷", "2·10⁻⁷", "3·10⁻⁷"]),
    ],
)
def test_numbers_are_written_as_the_language_does(
    low: float, high: float, separators: str, labels: list[str]
) -> None:
    count = len(labels) - 1
    ticks = [low + (high - low) * n / count for n in range(count + 1)]
    assert [tick_label(tick, ticks, separators) for tick in ticks] == labels


def test_a_number_that_rounds_to_zero_has_no_sign() -> None:
    assert numeral(-0.0004, 3, ".,") == "0.000"
    assert numeral(-0.0006, 3, ",.") == "−0,001"
    assert numeral(0.5, 1, ".,", "+") == "+0.5"


def test_names_out_of_the_axis_are_not_written() -> None:
    named = Axis(letter="x", ends=(-0.5, 1.5), places=[0, 1, 2], names=["a", "b", "c"])
    assert ticks(named, 400, ".,") == [(0.25, "a"), (0.75, "b")]


def test_places_without_words_are_written_as_the_language_does() -> None:
    axis = Axis(letter="y", ends=(1, 0), places=[0, 0.5, 1.0])
    assert [text for _, text in ticks(axis, 100, ",.")] == ["0", "0,5", "1"]
