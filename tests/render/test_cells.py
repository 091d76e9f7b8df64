"""Cells have the same colours as in plotly, and other libraries can read the PNG."""

import io
from base64 import b64decode
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image
from plotly.colors import sample_colorscale, unlabel_rgb

from explorer.drawing.drawing import Cells, Scale
from explorer.drawing.theme import DARK, LIGHT, PRINT, Theme
from explorer.render.cells import needs_black_text, pixels, png, written

THEMES = pytest.mark.parametrize("theme", [LIGHT, DARK, PRINT], ids=["light", "dark", "print"])


@THEMES
def test_colours_are_those_of_plotly(theme: Theme) -> None:
    values = np.linspace(-1, 1, 41)
    scale = [[at, color] for at, color in theme.signed]
    wanted = [unlabel_rgb(color) for color in sample_colorscale(scale, (values + 1) / 2)]
    drawn = pixels(values[None], theme.signed, -1, 1)
    np.testing.assert_allclose(drawn[0, :, :3], np.round(wanted), atol=1)
    assert (drawn[..., 3] == 255).all()


def test_steps_of_flat_colours_are_exact() -> None:
    steps = [(0, "#112233"), (0.5, "#112233"), (0.5, "#AABBCC"), (1, "#AABBCC")]
    drawn = pixels(np.array([[0, 1]]), steps, -0.5, 1.5)
    assert drawn[0, :, :3].tolist() == [[0x11, 0x22, 0x33], [0xAA, 0xBB, 0xCC]]


def test_nan_is_transparent_and_values_are_clipped_to_the_scale() -> None:
    drawn = pixels(np.array([[np.nan, -7.0, 7.0]]), LIGHT.signed, -1, 1)
    assert drawn[0, :, 3].tolist() == [0, 255, 255]
    ends = pixels(np.array([[-1.0, 1.0]]), LIGHT.signed, -1, 1)
    assert drawn[0, 1:].tolist() == ends[0].tolist()


@given(st.integers(1, 40), st.integers(1, 40), st.integers(0, 2**32 - 1))
def test_the_picture_has_these_pixels(rows: int, columns: int, seed: int) -> None:
    colors = np.random.default_rng(seed).integers(0, 256, (rows, columns, 4), np.uint8)
    head, _, content = png(colors).partition(",")
    assert head == "data:image/png;base64"
    np.testing.assert_array_equal(np.asarray(Image.open(io.BytesIO(b64decode(content)))), colors)


def test_numbers_can_be_read_on_every_colour() -> None:
    """The better of black and white has a contrast of 4.5 or more (WCAG 2.2, 1.4.3)."""
    every = np.stack(np.meshgrid(*[np.arange(0, 256, 15)] * 3), -1).reshape(1, -1, 3)
    channels = every / 255
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    luminance = linear @ [0.2126, 0.7152, 0.0722]
    contrast = np.where(
        needs_black_text(every), (luminance + 0.05) / 0.05, 1.05 / (luminance + 0.05)
    )
    assert contrast.min() > 4.5


def test_numbers_in_cells() -> None:
    z = np.array([[0.126, np.nan], [-0.004, 12.0]])  # -0.004 rounds to 0.00: left out
    cells = Cells(values=z, colors=Scale(LIGHT.signed, -1, 1))
    assert written(replace(cells, digits=2), ",.") == [["0,13", ""], ["", "12,00"]]
    assert written(replace(cells, texts=[["a", "b"]]), ".,") == [["a", "b"]]
    assert written(cells, ".,") is None
