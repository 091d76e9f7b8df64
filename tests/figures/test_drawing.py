"""A picture is put together in plotly's terms."""

import pytest

from explorer.figures.drawing import Picture, Room
from tests.figures.reading import of_plotly


def test_plotly_checks_a_figure() -> None:
    picture = Picture(Room(height=100))
    picture.scatter(x=[1.0], y=[1.0], colour="red")
    with pytest.raises(ValueError, match="colour"):
        of_plotly(picture.drawn())


def test_a_picture_says_how_narrow_it_may_become() -> None:
    picture = Picture(Room(height=100, left=10, right=20, across=120))
    assert picture.drawn().layout["meta"]["min_width"] == 150
