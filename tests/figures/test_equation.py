"""Matrices of an equation: every number in its place."""

from typing import Any

import numpy as np
import pytest

from explorer.drawing.theme import LIGHT
from explorer.figures.equation import Matrix, equation
from explorer.render.hover import hover
from tests.figures.reading import array, color, heatmaps, rgb, spec

WORDS = ["the", "cat", "the", "<b>", "PAD"]


def matrix(name: str, height: int, width: int, **more: object) -> Matrix:
    """Every cell another value, negative ones among them."""
    values = np.arange(height * width).reshape(height, width) * 1.0 - 3.0
    fields: dict[str, Any] = {"name": name, "title": name.upper(), "values": values, **more}
    return Matrix(**fields)


def places(trace: dict[str, Any]) -> list[tuple[float, float]]:
    """Where the cells of a heatmap stand, row by row."""
    height, width = array(trace["z"]).shape
    return [(trace["x0"] + x, trace["y0"] + y) for y in range(height) for x in range(width)]


def product() -> list[Matrix]:
    return [
        matrix("q", 3, 2, rows=WORDS[:3], frame=(slice(1, 2), slice(None))),
        matrix("k_t", 2, 5, columns=WORDS, frame=(slice(None), slice(4, 5))),
        matrix("dots", 3, 5, rows=WORDS[:3], columns=WORDS, frame=(slice(1, 2), slice(4, 5))),
    ]


def test_no_two_cells_stand_in_one_place() -> None:
    seen = [place for trace in heatmaps(equation(product(), ["×", "="]))
            for place in places(trace)]  # fmt: skip
    assert len(set(seen)) == len(seen) == 6 + 10 + 15


def test_infinities_and_nan_are_blank_and_do_not_stretch_the_colours() -> None:
    values = np.array([[1.0, -np.inf], [np.nan, -4.0], [np.inf, 2.0]])
    (trace,) = heatmaps(equation([matrix("masked", 3, 2, values=values)], []))
    drawn = array(trace["z"])
    np.testing.assert_array_equal(np.isnan(drawn), ~np.isfinite(values))
    np.testing.assert_array_equal(drawn[np.isfinite(values)], [1, -4, 2])
    assert (trace["zmin"], trace["zmax"]) == (-4, 4)
    assert trace["hoverongaps"] is False


def test_signed_colours_are_symmetric_about_0_and_weights_go_from_0_to_1() -> None:
    signed, weights = heatmaps(equation(
        [matrix("scores", 2, 3), matrix("weights", 2, 3, values=np.full((2, 3), 0.2),
                                        scale="weights")], ["→"],
    ))  # fmt: skip
    assert signed["zmin"] == -signed["zmax"] == -3.0
    middle = next(text for place, text in LIGHT.signed if place == 0.5)
    assert color(signed, 0.0) == rgb(middle)
    assert (weights["zmin"], weights["zmax"]) == (0, 1)
    assert color(weights, 1.0) == rgb(LIGHT.amounts[-1][1])


def test_a_top_makes_two_matrices_comparable() -> None:
    for values in (np.full((2, 2), 1.0), np.full((2, 2), -8.0)):
        (trace,) = heatmaps(equation([matrix("x", 2, 2, values=values, top=8.0)], []))
        assert (trace["zmin"], trace["zmax"]) == (-8, 8)


def test_titles_shapes_and_signs() -> None:
    figure = equation([matrix("x", 1, 4, shape=(1, 512)), matrix("w", 4, 3, shape=(512, 3)),
                       matrix("q", 1, 3)], ["×", "+ b ="])  # fmt: skip
    notes = {note["text"]: note["x"] for note in spec(figure)["layout"]["annotations"]}
    assert notes.keys() == {"<b>X</b>", "<b>W</b>", "<b>Q</b>", "(1, 512), 4 shown",
                           "(512, 3), 4 shown", "(1, 3)", "×", "+ b<br>="}  # fmt: skip
    first, second, third = (
        (min(x for x, _ in places(trace)), max(x for x, _ in places(trace)))
        for trace in heatmaps(figure)
    )
    assert first[0] <= notes["<b>X</b>"] <= first[1] < notes["×"] < second[0]
    assert second[0] <= notes["<b>W</b>"] <= second[1] < notes["+ b<br>="] < third[0]
    assert third[0] <= notes["<b>Q</b>"] == notes["(1, 3)"] <= third[1]


def test_the_cells_in_focus_are_framed() -> None:
    figure = equation(product(), ["×", "="])
    frames = [shape for shape in spec(figure)["layout"]["shapes"] if shape["line"]["width"] == 3]
    assert all(frame["line"]["color"] == LIGHT.text for frame in frames)
    q, k_t, dots = (trace["x0"] for trace in heatmaps(figure))
    assert [(frame["x0"], frame["x1"], frame["y0"], frame["y1"]) for frame in frames] == [
        (q - 0.5, q + 1.5, 0.5, 1.5),  # row 1 of q
        (k_t + 3.5, k_t + 4.5, -0.5, 1.5),  # column 4 of Kᵀ
        (dots + 3.5, dots + 4.5, 0.5, 1.5),  # where they meet
    ]


def test_words_are_beside_the_first_rows_and_above_their_columns() -> None:
    figure = equation(product(), ["×", "="])
    layout = spec(figure)["layout"]
    rows = dict(zip(layout["yaxis"]["tickvals"], layout["yaxis"]["ticktext"], strict=True))
    assert rows == {0: "0 · the", 1: "cat", 2: "2 · the"}
    columns = dict(zip(layout["xaxis"]["tickvals"], layout["xaxis"]["ticktext"], strict=True))
    for trace in heatmaps(figure)[1:]:
        names = [columns[trace["x0"] + n] for n in range(5)]
        assert names[:4] == ["0 · the", "cat", "2 · the", "&lt;b&gt;"]
        assert names[4].endswith(">PAD</span>")
    assert len(columns) == 10


def test_rows_at_one_height_keep_names_of_their_own() -> None:
    names = [
        cells["fields"]["y"]["words"]
        for cells in hover(equation(product(), ["×", "="]), LIGHT)["maps"]
    ]
    assert names == [["0 · the", "cat", "2 · the"], ["0", "1"], ["the", "cat"]]


@pytest.mark.parametrize("width", [4, 20, 40, 56])
def test_slanted_words_over_columns_do_not_touch(width: int) -> None:
    figure = equation([matrix("x", 2, width, columns=[f"w{n}" for n in range(width)])], [])
    layout = spec(figure)["layout"]
    margin = layout["margin"]
    column = (figure.min_width - margin["l"] - margin["r"]) / width
    size = layout["xaxis"]["tickfont"]["size"]
    assert 11 <= size <= column


@pytest.mark.parametrize(("width", "written"), [(3, True), (19, True), (30, False), (64, False)])
def test_numbers_stand_in_cells_that_can_hold_them(width: int, written: bool) -> None:
    (trace,) = heatmaps(equation([matrix("x", 2, width)], []))
    assert (trace.get("texttemplate") is not None) == written
    assert (trace.get("text") is not None) == written


def test_a_number_in_a_cell_is_as_long_as_there_is_room_for() -> None:
    values = np.array([[0.256, -12.34, 123.4], [-1000.4, np.nan, -np.inf]])
    (trace,) = heatmaps(equation([matrix("x", 2, 3, values=values)], []))
    assert [list(row) for row in trace["text"]] == [
        ["0.256", "−12.340", "123.400"],
        ["−1000.400", "", ""],
    ]
    narrow = np.hstack([values] * 5)
    (trace,) = heatmaps(equation([matrix("x", 2, 15, values=narrow)], []))
    assert list(trace["text"][0][:3]) == ["0.26", "−12.3", "123"]
