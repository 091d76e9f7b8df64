"""Colours and scales: 0 is no small weight, and what is told apart by colour can be."""

from itertools import combinations

import numpy as np
import pytest

from explorer.figures.theme import DARK, LIGHT, Theme, evenly, weight_scale
from tests.figures.reading import rgb

THEMES = pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])


@THEMES
def test_a_weight_of_0_has_a_colour_of_its_own(theme: Theme) -> None:
    (at_0, masked), (almost_0, faintest), *rest = weight_scale(theme)
    assert (at_0, masked) == (0.0, theme.masked)
    assert 0 < almost_0 < 1e-6
    assert faintest == theme.weights[0][1] != masked
    assert rest == theme.weights[1:]


def test_a_scale_in_steps_by_hand() -> None:
    scale = [(0.0, "#000000"), (0.5, "#FF0080"), (1.0, "#FFFFFF")]
    assert evenly(scale, 5) == [
        [0, 0, 0], [127, 0, 64], [255, 0, 128], [255, 127, 191], [255, 255, 255]
    ]  # fmt: skip


@THEMES
def test_what_is_told_apart_by_colour_can_be(theme: Theme) -> None:
    kinds = [theme.hue(kind) for kind in ("encoder", "decoder", "cross")]
    reasons = [theme.may_attend, theme.future, theme.pad, theme.both]
    for together in (kinds, reasons, theme.lines):
        for one, other in combinations([*together, theme.background], 2):
            assert np.abs(np.subtract(rgb(one), rgb(other))).sum() > 60, (one, other)
