"""The cells of a heatmap as an image with one pixel per cell, and the numbers in the cells."""

import re
import struct
import zlib
from base64 import b64encode
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

import numpy as np

from explorer.render.axes import numeral

FIELD: Final = re.compile(r"%\{(\w+)(?::(\+?)\.(\d)f)?\}")  # of a cell or point, in a text
_EQUAL_CONTRAST: Final = 0.179  # the luminance from which black has more contrast


def pixels(
    z: np.ndarray, scale: Sequence[tuple[float, str]], low: float, high: float
) -> np.ndarray:
    """Red, green, blue and opacity of every cell; NaN is transparent."""
    places, colors = _table(tuple((float(at), color) for at, color in scale))
    shares = (z.astype(np.float64) - low) / (high - low)
    channels = [np.interp(shares, places, colors[:, n]) for n in range(3)]
    opaque = np.where(np.isnan(shares), 0, 255)
    every = np.stack([*map(np.rint, channels), opaque], axis=-1)
    found: np.ndarray = np.nan_to_num(every).astype(np.uint8)
    return found


@lru_cache(maxsize=32)
def _table(scale: tuple[tuple[float, str], ...]) -> tuple[np.ndarray, np.ndarray]:
    places = np.array([at for at, _ in scale])
    # Two colours at one place make a step: the second begins just after the first.
    places = places + 1e-12 * np.arange(len(places))
    colors = np.array([[int(color[n : n + 2], 16) for n in (1, 3, 5)] for _, color in scale])
    return places, colors


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


def numbers(trace: Mapping[str, Any], z: np.ndarray, separators: str) -> list[list[str]] | None:
    """The text in every cell, empty for NaN and numbers that round to 0; None if there is none."""
    template = trace.get("texttemplate")
    if not template:
        return None
    if template == "%{text}":
        return [[str(text) for text in line] for line in trace["text"]]
    found = FIELD.fullmatch(template)
    if found is None or found[1] != "z":
        raise ValueError(f"a cell's text is %{{text}} or %{{z:.2f}}, got {template!r}")
    digits, plus = int(found[3]), found[2]
    least = 0.5 * 10**-digits  # a smaller number would be written as 0
    return [
        [numeral(value, digits, separators, plus) if abs(value) >= least else "" for value in line]
        for line in z.tolist()
    ]
