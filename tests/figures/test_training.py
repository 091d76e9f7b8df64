"""The picture of a training: the curve is the numbers, however many there are."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.figures.training import MAX_POINTS, loss_curve
from tests.figures.reading import array, spec

LOSSES = [4.0, 3.0, 2.5, 0.125]


def drawn(losses: list[float], **more: Any) -> dict[str, Any]:
    return spec(loss_curve(losses, **({"steps": 10, "top": 5.0} | more)))


def line(figure: dict[str, Any]) -> tuple[list[float], list[float]]:
    (trace,) = figure["data"]
    return array(trace["x"]).tolist(), array(trace["y"]).tolist()


def test_a_few_losses_are_drawn_as_they_are_counted_from_step_1() -> None:
    assert line(drawn(LOSSES)) == ([1, 2, 3, 4], LOSSES)


def test_nothing_yet_is_an_empty_picture_with_its_axes() -> None:
    figure = drawn([])
    assert line(figure) == ([], [])
    assert list(figure["layout"]["xaxis"]["range"]) == [0, 10]


@pytest.mark.parametrize("count", [299, 300])
def test_up_to_300_losses_have_a_point_each(count: int) -> None:
    losses = list(np.linspace(3, 1, count))
    assert line(drawn(losses)) == (list(range(1, count + 1)), losses)


def test_stretches_of_two_by_hand() -> None:
    losses = [float(n) for n in range(1, 302)]
    at, means = line(drawn(losses))
    # steps 1 and 2, 3 and 4 … and the last, 301, by itself
    assert at == means == [*(n + 0.5 for n in range(1, 301, 2)), 301.0]


@given(st.lists(st.floats(0, 20), min_size=1, max_size=1500))
def test_thinning_keeps_the_mean_and_the_order(losses: list[float]) -> None:
    at, means = (np.array(values) for values in line(drawn(losses)))
    assert len(at) == len(means) <= MAX_POINTS
    assert (np.diff(at) > 0).all()
    assert 1 <= at[0] <= at[-1] <= len(losses)
    stretch = 2 * (at[0] - 1) + 1  # steps that share the first point; the last may have fewer
    lengths = np.full(len(at), stretch)
    lengths[-1] = len(losses) - stretch * (len(at) - 1)
    assert 1 <= lengths[-1] <= stretch
    assert float(means @ lengths) / len(losses) == pytest.approx(np.mean(losses), abs=1e-9)
    assert at[-1] == len(losses) - (lengths[-1] - 1) / 2


def test_the_axes_stay_while_the_curves_grow() -> None:
    early, late = (
        drawn(losses, steps=5000, top=3.5)["layout"]
        for losses in ([3.0], list(np.linspace(3, 0, 5000)))
    )
    for layout in (early, late):
        assert list(layout["xaxis"]["range"]) == [0, 5000]
        assert list(layout["yaxis"]["range"]) == [0, 3.5]


@pytest.mark.parametrize("marked", [0, 3])
def test_the_step_in_focus_is_marked(marked: int) -> None:
    (shape,) = drawn(LOSSES, marked=marked)["layout"]["shapes"]
    assert (shape["x0"], shape["x1"]) == (marked, marked)
    assert not drawn(LOSSES)["layout"]["shapes"]
