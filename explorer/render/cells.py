"""The cells of a heatmap as an image with one pixel per cell, and the numbers in the cells."""

import struct
import zlib
from base64 import b64encode
from collections.abc import Sequence
from typing import Final

import numpy as np

from explorer.drawing.drawing import Cells, numeral
from explorer.drawing.theme import ColorScale, shades

_EQUAL_CONTRAST: Final = 0.179  # the luminance from which black has more contrast


def pixels(values: np.ndarray, scale: ColorScale, low: float, high: float) -> np.ndarray:
    """Red, green, blue and opacity of every cell; NaN is transparent."""
    shares = (values.astype(np.float64) - low) / (high - low)
    found = np.full((*shares.shape, 4), 255, np.uint8)
    missing = np.isnan(shares)
    found[..., :3] = shades(scale, np.where(missing, 0.0, shares))
    found[missing] = 0
    return found


def needs_black_text(colors: np.ndarray) -> np.ndarray:
    """Whether black is easier to read on a colour than white, for every cell."""
    channels = colors[..., :3] / 255
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    luminance: np.ndarray = linear @ np.array([0.2126, 0.7152, 0.0722])
    found: np.ndarray = luminance > _EQUAL_CONTRAST
    return found


def png(colors: np.ndarray) -> str:
    """The pixels as a PNG in a data URL."""
    height, width, _ = colors.shape
    lines = np.zeros((height, 1 + 4 * width), np.uint8)  # each line begins with its filter, none
    lines[:, 1:] = colors.reshape(height, 4 * width)
    header = struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)
    parts = [(b"IHDR", header), (b"IDAT", zlib.compress(lines.tobytes(), 6)), (b"IEND", b"")]
    content = b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        for name, data in parts
    )
    return f"data:image/png;base64,{b64encode(content).decode()}"


def written(part: Cells, separators: str) -> Sequence[Sequence[str]] | None:
    """The text in every cell, empty for NaN and numbers that round to 0; None if there is none."""
    if part.digits is None:
        return part.texts
    least = 0.5 * 10**-part.digits  # a smaller number would be written as 0
    return [
        [numeral(value, part.digits, separators) if abs(value) >= least else "" for value in line]
        for line in part.drawn.tolist()
    ]
