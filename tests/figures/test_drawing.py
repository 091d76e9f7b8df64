"""A picture is put together in plotly's terms."""

import pytest

from explorer.figures.drawing import Picture, Room
from explorer.figures.theme import DARK, LIGHT, Theme
from tests.figures.reading import of_plotly
from tests.render.drawings import drawings


def test_plotly_checks_a_figure() -> None:
    picture = Picture(LIGHT, Room(height=100))
    picture.scatter(x=[1.0], y=[1.0], colour="red")
    with pytest.raises(ValueError, match="colour"):
        of_plotly(picture.drawn())


def test_a_picture_says_how_narrow_it_may_become() -> None:
    picture = Picture(LIGHT, Room(height=100, left=10, right=20, across=120))
    assert picture.drawn().layout["meta"]["min_width"] == 150


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_plotly_knows_every_word_of_the_pictures(theme: Theme) -> None:
    """They are made without its checks, which are slow."""
    for _, drawing in drawings(theme, ["<b>", "%{z}", "PAD", "a&b"]):
        of_plotly(drawing)  # raises where something is not plotly's
