"""Colours and scales: 0 differs from small weights, and different colours can be told apart."""

from itertools import combinations

import numpy as np
import pytest

from explorer.drawing.theme import DARK, LIGHT, PRINT, Theme, coloured, shades, weight_scale
from tests.figures.reading import rgb

THEMES = pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])


@THEMES
@pytest.mark.parametrize("kind", ["encoder", "decoder", "cross"])
def test_a_weight_of_0_has_a_colour_of_its_own(kind: str, theme: Theme) -> None:
    scale = [(at, coloured(color, theme)) for at, color in weight_scale(kind)]
    (at_0, masked), (almost_0, faintest), *rest = scale
    assert (at_0, masked) == (0.0, theme.masked)
    assert 0 < almost_0 < 1e-6
    assert faintest == theme.weights(kind)[0][1] != masked
    assert rest == theme.weights(kind)[1:]


def test_a_scale_in_steps_by_hand() -> None:
    scale = [(0.0, "#000000"), (0.5, "#FF0080"), (1.0, "#FFFFFF")]
    shares = np.linspace(0, 1, 5)
    assert shades(scale, shares).tolist() == [
        [0, 0, 0], [127, 0, 64], [255, 0, 128], [255, 127, 191], [255, 255, 255]
    ]  # fmt: skip


@THEMES
def test_colours_with_a_meaning_can_be_told_apart(theme: Theme) -> None:
    kinds = [theme.hue(kind) for kind in ("encoder", "decoder", "cross")]
    tints = [theme.tint(kind) for kind in ("encoder", "decoder", "cross")]
    for together in (kinds, tints, theme.lines):
        for one, other in combinations([*together, theme.background], 2):
            assert np.abs(np.subtract(rgb(one), rgb(other))).sum() > 60, (one, other)


def luminance(color: list[int]) -> float:
    """The luminance of a colour, as the Web Content Accessibility Guidelines define it."""
    parts = [part / 255 for part in color]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return float(np.dot(linear, [0.2126, 0.7152, 0.0722]))


@pytest.mark.parametrize("kind", ["encoder", "decoder", "cross", None])
@pytest.mark.parametrize("theme", [LIGHT, DARK, PRINT], ids=["light", "dark", "print"])
def test_a_larger_weight_is_further_from_the_background_also_in_grey(
    theme: Theme, kind: str | None
) -> None:
    shares = np.linspace(0, 1, 101)
    steps = [luminance(color) for color in shades(theme.weights(kind), shares).tolist()]
    away = np.diff(steps) * (1 if theme is DARK else -1)
    assert away.min() > 0
    # Both ends of numbers with a sign are as far away.
    ends = [luminance(color) for color in shades(theme.signed, np.linspace(0, 1, 3)).tolist()]
    assert min(abs(ends[0] - ends[1]), abs(ends[2] - ends[1])) > 0.4


@THEMES
def test_the_hues_can_be_read_on_the_background(theme: Theme) -> None:
    ground = luminance(list(rgb(theme.background)))
    for hue in (theme.encoder, theme.decoder, theme.cross, theme.muted):
        low, high = sorted((luminance(list(rgb(hue))), ground))
        assert (high + 0.05) / (low + 0.05) >= 4.5
