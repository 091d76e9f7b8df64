"""Pictures of positions: rows are positions or words, signed values are symmetric about 0."""

import math

import numpy as np
import pytest

from explorer.drawing.theme import LIGHT
from explorer.figures.positional import (
    curves,
    distances,
    encoding_heatmap,
    similarity_heatmap,
    three_panels,
)
from tests.figures.reading import (
    array,
    color,
    first_row_is_on_top,
    heatmaps,
    labels,
    of_plotly,
    read_cells,
    rgb,
    spec,
)

# Base 10000, d_model 4, positions 0 and 1, by hand.
PE = np.array([[0, 1, 0, 1], [math.sin(1), math.cos(1), math.sin(0.01), math.cos(0.01)]])


def test_encoding_has_positions_on_rows_and_0_in_the_middle_colour() -> None:
    figure = encoding_heatmap(PE)
    (trace,) = heatmaps(figure)
    np.testing.assert_allclose(array(trace["z"]), PE, atol=1e-7)
    assert of_plotly(figure).layout.xaxis.title.text == "dimension"
    assert of_plotly(figure).layout.yaxis.title.text == "position"
    assert first_row_is_on_top(figure)
    assert color(trace, 0.0) == rgb(LIGHT.signed[2][1])
    assert color(trace, -1.0) == rgb(LIGHT.signed[0][1])
    assert color(trace, 1.0) == rgb(LIGHT.signed[-1][1])


def test_a_short_encoding_names_its_rows_and_frames_one() -> None:
    tokens = ["<s>", "cat", "sat"]
    figure = encoding_heatmap(PE, tokens=tokens, token=1)
    assert list(labels(figure, "y").values()) == ["0 · &lt;s&gt;", "1 · cat"]
    (frame,) = of_plotly(figure).layout.shapes
    assert (frame.x0, frame.x1, frame.y0, frame.y1) == (-0.5, 3.5, 0.5, 1.5)
    not_on_show = encoding_heatmap(PE, tokens=tokens, token=2)
    assert not not_on_show.marks
    long = encoding_heatmap(np.tile(PE, (20, 1)), tokens=tokens, token=1)
    assert of_plotly(long).layout.yaxis.title.text == "position"
    assert of_plotly(long).layout.yaxis.ticktext is None


def test_input_encoding_and_sum_share_one_symmetric_scale() -> None:
    word = np.array([[0.5, -3.0, 0.0, 1.0], [0.0, 0.0, 2.0, 0.0]])
    panels = [("word", word), ("position", PE), ("sum", word + PE)]
    figure = three_panels(panels, ["<s>", "cat"])
    assert list(labels(figure, "y").values()) == ["&lt;s&gt;", "cat"]
    for (_, values), trace in zip(panels, heatmaps(figure), strict=True):
        np.testing.assert_allclose(array(trace["z"]), values, atol=1e-6)
        assert (trace["zmin"], trace["zmax"]) == (-3.0, 3.0)
    columns = labels(figure, "x")
    for number, trace in enumerate(heatmaps(figure)):
        for dimension in range(4):
            assert columns[trace["x0"] + dimension] == str(dimension), number


def test_curves_pass_through_the_dots_of_the_model() -> None:
    fine_at = np.linspace(0, 1, 21)
    fine = np.stack(
        [np.sin(fine_at), np.cos(fine_at), np.sin(fine_at / 100), np.cos(fine_at / 100)], axis=1
    )
    figure = curves(PE, fine, fine_at, [0, 3], marked=(0.0,))
    lines = [trace for trace in spec(figure)["data"] if trace["mode"] == "lines"]
    dots = [trace for trace in spec(figure)["data"] if trace["mode"] == "markers"]
    assert [line["name"] for line in lines] == ["dim 0 (sin)", "dim 3 (cos)"]
    for dimension, line, dot in zip((0, 3), lines, dots, strict=True):
        np.testing.assert_allclose(array(dot["y"]), PE[:, dimension])
        np.testing.assert_allclose(array(line["y"])[[0, -1]], array(dot["y"]))
    assert len({(line["line"]["color"], line["line"]["dash"]) for line in lines}) == 2


def test_the_colours_of_similarity_reach_from_the_smallest_product_to_the_largest() -> None:
    products = PE @ PE.T
    (trace,) = heatmaps(similarity_heatmap(products))
    np.testing.assert_allclose(array(trace["z"]), products, rtol=1e-6)
    assert trace["zmin"] == products.min()
    assert trace["zmax"] == pytest.approx(2)  # d_model / 2


def test_distance_0_is_the_strongest_colour_in_every_panel() -> None:
    near, far = np.array([[0.0, 2.0, 4.0]]), np.array([[8.0, 0.0, 1.0]])
    figure = distances([("off", near), ("on", far)], ["cat"], ["a", "b", "a"])
    for values, trace in zip((near, far), heatmaps(figure), strict=True):
        np.testing.assert_allclose(array(trace["z"]), values)
        assert (trace["zmin"], trace["zmax"]) == (0, 8)
        assert color(trace, 0.0) == rgb(LIGHT.amounts[-1][1])
        assert color(trace, 8.0) == rgb(LIGHT.amounts[0][1])
    assert read_cells(figure, 1)["cat", "b"] == [0.0]
    assert read_cells(figure, 0)["cat", "2 · a"] == [4.0]
