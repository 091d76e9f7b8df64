"""Axes: numbers become shares of the area, and even numbers stand beside it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.render.axes import Axis, even_ticks, numeral, tick_label

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


def test_shares_count_from_the_left_and_from_the_top() -> None:
    across = Axis.of("x", {"range": [-0.5, 3.5]})
    assert [across.share(value) for value in (-0.5, 1.5, 3.5)] == [0.0, 0.5, 1.0]
    down = Axis.of("y", {"range": [3.5, -0.5]})
    assert [down.share(value) for value in (-0.5, 1.5, 3.5)] == [0.0, 0.5, 1.0]
    upper = Axis.of("y", {"range": [0, 4], "domain": [0.5, 1.0]})
    assert [upper.share(value) for value in (0, 4)] == [0.5, 0.0]


def test_names_out_of_the_axis_are_not_written() -> None:
    named = {"range": [-0.5, 1.5], "tickvals": [0, 1, 2], "ticktext": ["a", "b", "c"]}
    assert Axis.of("x", named).ticks(400, ".,") == [(0.25, "a"), (0.75, "b")]


def test_a_place_is_called_by_its_name_else_by_its_number() -> None:
    about = {"range": [0, 3], "tickvals": [0.1 + 0.2, 1], "ticktext": ["a", "b"]}
    axis = Axis.of("x", about)
    assert [axis.name_of(at, ",.") for at in (0.3, 1, 2, 2.5)] == ["a", "b", "2", "2,50"]


def test_places_without_words_are_written_as_the_language_does() -> None:
    axis = Axis.of("yaxis", {"range": [0, 1], "tickvals": [0, 0.5, 1.0]})
    assert [text for _, text in axis.ticks(100, ",.")] == ["0", "0,5", "1"]
