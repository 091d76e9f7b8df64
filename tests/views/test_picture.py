"""The meaning of a click on a picture, as data."""

from typing import Any

import numpy as np
import pytest

from explorer.figures.equation import Matrix, equation
from explorer.figures.one_mask import OneMask, one_mask
from explorer.views.heads import HeadClick
from explorer.views.masks import one_mask as picture_of_mask
from explorer.views.picture import Click, Picture
from explorer.views.steps.focus import Form
from explorer.views.steps.pictures import MatrixClick
from tests.figures.reading import array, heatmaps


def mask() -> OneMask:
    codes = np.zeros((3, 3), np.uint8)
    factors = [("padding", codes), ("causal", codes)]
    words: dict[str, Any] = {"query_labels": "abc", "key_labels": "abc"}
    return OneMask(name="mask", kind="decoder", codes=codes, factors=factors, **words)


def test_a_name_and_a_place_are_choices() -> None:
    assert Click(name="head").choices({"x": 0, "y": 0, "name": "3"}) == {"head": "3"}
    clicked = {"kind": "cross", "layer": 1, "head": 0}
    assert HeadClick().choices(clicked) == {"attention": "cross", "layer": 2, "head": 1}
    assert Click(row="key").choices({"x": 2, "y": 0.9}) == {
        "key": 1
    }  # a point lies where it is drawn


def test_a_cell_is_known_by_the_positions_of_its_words() -> None:
    click = Click(row="query", column="key", rows=(0, 2, 5), columns=(1, 4))
    assert click.choices({"x": 1, "y": 2}) == {"query": 5, "key": 4}
    assert Click(row="query", column="key").choices({"x": 1, "y": 2}) == {"query": 2, "key": 1}


def test_a_factor_of_a_mask_has_the_cells_of_the_mask() -> None:
    picture = picture_of_mask(mask(), (0, 0))
    drawn = heatmaps(picture.drawing)
    assert [trace["name"] for trace in drawn] == ["mask", "padding", "causal"]
    for trace in drawn:
        assert array(trace["z"]).shape == (3, 3)
        at = {"x": 2, "y": 1, "name": trace["name"]}
        assert picture.click.choices(at) == {"query": 1, "key": 2}


@pytest.mark.parametrize(
    ("step", "form", "name", "chosen"),
    [
        ("dots", "matrix", "dots", {"query": 1, "key": 2}),
        ("dots", "vector", "dots", {"key": 1}),
        ("dots", "matrix", "k_t", {"key": 2}),
        ("context", "matrix", "v", {"key": 1}),
        ("context", "matrix", "context", {"query": 1}),
        ("context", "vector", "context", {}),
        ("qkv", "matrix", "x_q", {"query": 1}),
        ("qkv", "matrix", "x_k", {"key": 1}),
        ("qkv", "matrix", "w_q", {}),
        ("qkv", "vector", "q", {}),
    ],
)
def test_a_matrix_names_its_rows(step: str, form: Form, name: str, chosen: dict[str, int]) -> None:
    matrix = Matrix(name=name, title=name, values=np.zeros((3, 4), np.float32))
    (trace,) = heatmaps(equation([matrix], []))
    x, y = trace.get("x0", 0), trace.get("y0", 0)
    click = MatrixClick(step=step, form=form)
    assert click.choices({"x": x + 2, "y": y + 1, "name": trace["name"]}) == chosen


def test_a_line_says_what_a_picture_shows() -> None:
    drawing = one_mask(mask(), (0, 0))
    picture = Picture(key="k", name="n", title="A mask", drawing=drawing, alt="", caption="Look.")
    assert picture.in_a_line == "A mask. Look."
    assert len(picture.rows) == 3 * 4 + 2  # three masks of three rows, each with a head
