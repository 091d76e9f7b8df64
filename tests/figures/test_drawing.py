"""A picture reaches the browser as it was put together."""

import json

import numpy as np
import plotly.graph_objects as go
import pytest
from hypothesis import given
from hypothesis.extra import numpy as arrays

from explorer.figures.drawing import Picture, packed
from explorer.figures.theme import LIGHT
from tests.figures.reading import array

NUMBERS = arrays.integer_dtypes(endianness="<") | arrays.floating_dtypes(
    endianness="<", sizes=(32, 64)
)


@given(arrays.arrays(NUMBERS, arrays.array_shapes(max_dims=2)))
def test_an_array_arrives_as_plotly_itself_would_send_it(values: np.ndarray) -> None:
    sent = json.loads(json.dumps(packed(values)))
    theirs = go.Figure(data=[{"type": "heatmap", "z": values}]).to_dict()["data"][0]["z"]
    assert isinstance(sent, dict) == isinstance(theirs, dict)
    assert np.array_equal(array(sent), array(theirs), equal_nan=values.dtype.kind == "f")


def test_an_empty_array_arrives_as_an_empty_list() -> None:
    assert packed(np.zeros(0, np.float32)) == []


@pytest.mark.parametrize(
    "number", [127, -128, 128, 2**31 - 1, -(2**31), 2**31, 2**63 - 1, -(2**63)]
)
def test_the_largest_integers_arrive(number: int) -> None:
    assert array(json.loads(json.dumps(packed(np.array([5, number]))))).tolist() == [5, number]


def test_only_arrays_are_packed() -> None:
    with pytest.raises(TypeError, match="float32"):
        json.dumps({"x": np.float32(1.5)}, default=packed)


def test_words_arrive_as_words() -> None:
    assert packed(np.array([["a", None]], dtype=object)) == [["a", None]]


def test_what_is_none_is_left_to_plotly() -> None:
    picture = Picture(LIGHT, height=100)
    picture.heatmap(z=[[None, 1.0]], text=None)
    drawing = picture.drawn(xaxis={"ticktext": None, "range": [0, 1]})
    assert drawing.data == [{"type": "heatmap", "z": [[None, 1.0]]}]
    assert drawing.layout["xaxis"] == {"range": [0, 1]}


def test_plotly_checks_a_figure() -> None:
    picture = Picture(LIGHT, height=100)
    picture.heatmap(z=[[1.0]], colour="red")
    with pytest.raises(ValueError, match="colour"):
        picture.drawn().figure()
