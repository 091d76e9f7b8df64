"""Pictures of the stack: the numbers, colours and frames of their cells."""

import numpy as np
import pytest

from explorer.drawing.drawing import Drawing
from explorer.drawing.theme import LIGHT
from explorer.figures.stack import lens, stream, token_heatmap
from tests.figures.reading import (
    array,
    color,
    heatmaps,
    labels,
    of_plotly,
    rgb,
    spec,
)

WORDS = ["the", "cat", "the", "PAD"]
STOPS = ["source: + position", "encoder 1: add & norm", "encoder 1: add & norm"]


def values(rows: int, columns: int) -> np.ndarray:
    """Every cell another value, both signs, none of them 0; the largest is negative."""
    return (np.arange(rows * columns) - rows * columns + 0.5).reshape(rows, columns) / 7 + 1


def words(count: int) -> list[str]:
    return [f"unremarkable{number}" for number in range(count)]


def frame_of(figure: Drawing) -> tuple[float, float, float, float]:
    (shape,) = spec(figure)["layout"]["shapes"]
    return shape["x0"], shape["x1"], shape["y0"], shape["y1"]


def test_rows_are_named_after_their_tokens() -> None:
    named = labels(token_heatmap(values(4, 6), WORDS), "y")
    assert list(named.values())[:3] == ["0 · the", "cat", "2 · the"]
    assert "PAD" in named[3]


def test_numbered_columns_have_a_title() -> None:
    layout = spec(token_heatmap(values(4, 9), WORDS, what="hidden unit"))["layout"]
    assert layout["xaxis"]["title"]["text"] == "hidden unit"
    assert layout["xaxis"]["showticklabels"] is True
    assert layout["xaxis"]["tickvals"] is None
    (trace,) = heatmaps(token_heatmap(values(4, 9), WORDS, what="hidden unit"))
    assert "hidden unit 0" in trace["customdata"][0][0]


def test_too_many_names_for_the_width_appear_only_on_hovering() -> None:
    names = words(50)
    layout = spec(token_heatmap(values(4, 50), WORDS, columns=names))["layout"]
    assert layout["xaxis"]["showticklabels"] is False
    assert len(layout["xaxis"]["ticktext"]) == 50
    few = spec(token_heatmap(values(4, 40), WORDS, columns=words(40)))["layout"]
    assert few["xaxis"]["showticklabels"] is True


def test_signed_values_have_one_scale_symmetric_about_0() -> None:
    drawn = values(4, 6)
    (trace,) = heatmaps(token_heatmap(drawn, WORDS))
    assert trace["zmax"] == -trace["zmin"] == pytest.approx(np.abs(drawn).max())
    assert color(trace, 0.0) == rgb(LIGHT.signed[2][1])
    assert color(trace, float(drawn.min())) == rgb(LIGHT.signed[0][1])


def test_shares_go_from_0_to_the_largest_and_0_is_the_faintest() -> None:
    """Of a probability nothing is masked: a 0 is one that is too small."""
    shares = np.array([[0.0, 0.1, 0.4], [0.2, 0.05, 0.0]])
    (trace,) = heatmaps(token_heatmap(shares, ["a", "b"], scale="weights"))
    assert (trace["zmin"], trace["zmax"]) == (0, pytest.approx(0.4))
    assert color(trace, 0.4) == rgb(LIGHT.amounts[-1][1])
    assert color(trace, 0.0) == rgb(LIGHT.amounts[0][1])
    drawn = {color(trace, share) for share in np.linspace(0, 0.4, 401).tolist()}
    assert rgb(LIGHT.masked) not in drawn


def test_nothing_but_zeros_can_be_drawn() -> None:
    for scale in ("signed", "weights"):
        (trace,) = heatmaps(token_heatmap(np.zeros((2, 3)), ["a", "b"], scale=scale))
        assert trace["zmax"] > trace["zmin"]
    (trace,) = heatmaps(stream(np.zeros((2, 3)), ["a", "b"], STOPS, here=None))
    assert trace["zmax"] > trace["zmin"]


@pytest.mark.parametrize("token", [0, 2, 3])
def test_the_token_in_focus_is_framed(token: int) -> None:
    figure = token_heatmap(values(4, 6), WORDS, token=token)
    assert frame_of(figure) == (-0.5, 5.5, token - 0.5, token + 0.5)
    assert not spec(token_heatmap(values(4, 6), WORDS))["layout"].get("shapes")


@pytest.mark.parametrize(("width", "written"), [(4, True), (16, True), (17, False), (64, False)])
def test_numbers_are_written_where_they_fit(width: int, written: bool) -> None:
    (trace,) = heatmaps(token_heatmap(values(4, width), WORDS))
    assert bool(trace.get("texttemplate")) == written
    (trace,) = heatmaps(token_heatmap(values(25, width), words(25)))
    assert not trace.get("texttemplate")  # rows too low for digits


def test_the_stream_has_a_column_for_every_stop() -> None:
    drawn = values(4, 3)
    figure = stream(drawn, WORDS, STOPS, here=2)
    (trace,) = heatmaps(figure)
    np.testing.assert_allclose(array(trace["z"]), drawn, rtol=1e-6)
    shown = labels(figure, "x")
    assert list(shown) == [0, 1, 2]  # places of their own, though two have the same name
    assert list(shown.values()) == STOPS
    assert list(labels(figure, "y").values())[:3] == ["0 · the", "cat", "2 · the"]
    assert frame_of(figure) == (1.5, 2.5, -0.5, 3.5)
    assert trace["colorbar"]["title"] == "likeness to the start"
    assert "likeness to the start " in trace["customdata"][0][0]
    assert not spec(stream(drawn, WORDS, STOPS, here=None))["layout"].get("shapes")


def test_a_likeness_has_two_colours() -> None:
    """It lies between −1 and 1, and its colours do so whatever the numbers are."""
    (trace,) = heatmaps(stream(np.full((4, 3), 0.5), WORDS, STOPS, here=0))
    assert trace["zmax"] == -trace["zmin"] == 1
    assert color(trace, 0.0) == rgb(LIGHT.signed[2][1])


def test_colours_are_of_the_last_rows_words() -> None:
    """What is told of each guess is how sure it is, which is another number where it differs."""
    words, sure = [["a", "b"], ["c", "b"]], np.array([[0.9, 0.4], [0.8, 0.7]])
    final = np.array([[0.05, 0.4], [0.8, 0.7]])
    (cells,) = lens(words, sure, final, WORDS[:2], ["embedding", "layer 1"]).cells
    np.testing.assert_array_equal(cells.values, final)
    _, told = cells.tells
    np.testing.assert_array_equal(told.values, sure)
    bold = [["<b>" in text for text in line] for line in cells.texts]
    assert bold == [[False, True], [True, True]]


@pytest.mark.parametrize("count", [3, 8, 9, 20, 21])
def test_names_of_stops_have_room_to_be_slanted(count: int) -> None:
    names = [f"encoder {number}<br>masked self-attention" for number in range(count)]
    figure = stream(values(4, count), WORDS, names, here=0)
    layout = of_plotly(figure).layout
    across = (figure.min_width - layout.margin.l - layout.margin.r) / count
    assert across >= 30
    assert layout.margin.t >= 4 * len("masked self-attention")
    (trace,) = heatmaps(figure)
    assert bool(trace.get("texttemplate")) == (count <= 16)
