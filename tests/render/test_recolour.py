"""Another theme's colours: every colour of ours is exchanged, and no word that somebody typed."""

import re

import pytest

from explorer.figures.theme import DARK, LIGHT, PRINT, Theme
from explorer.render.recolour import recoloured
from explorer.render.svg import svg
from tests.render.drawings import drawings

COLOUR = re.compile(r"#[0-9A-Fa-f]{6}")
TYPED = "#0B6FB8"  # a colour of the light theme, as a word


@pytest.mark.parametrize("theme", [DARK, PRINT], ids=["dark", "print"])
def test_a_drawing_is_that_of_the_other_theme(theme: Theme) -> None:
    words = ["the", "PAD", "cat", "cat"]
    pairs = zip(drawings(LIGHT, words), drawings(theme, words), strict=True)
    for (name, light), (_, wanted) in pairs:
        found = recoloured(light, LIGHT, theme)
        as_text = [str(one.spec) for one in (found, wanted)]
        # Where two places of a theme have one colour, the other theme may have two.
        assert len(as_text[0]) == len(as_text[1]), name
        strange = set(COLOUR.findall(as_text[0])) - set(COLOUR.findall(repr(theme)))
        assert not strange, name


def test_typed_text_stays_unchanged() -> None:
    words = [TYPED, "PAD", TYPED, "b"]
    for name, light in drawings(LIGHT, words):
        drawn = svg(recoloured(light, LIGHT, DARK), 700)
        assert svg(light, 700).count(f">{TYPED}") == drawn.count(f">{TYPED}"), name
