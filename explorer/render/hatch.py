"""Lines over cells that are hidden: one slant for each reason, crossed where both hold."""

import zlib
from collections.abc import Iterator
from itertools import groupby
from typing import Any, Final

import numpy as np

from explorer.render.markup import element, share

_TILE: Final = 6  # pixels from line to line
# By reason, as `explorer.masks` numbers them: the key is in the future, the key is PAD, both.
_UP: Final = "M-1 1L1 -1M0 6L6 0M5 7L7 5"
_DOWN: Final = "M-1 5L1 7M0 0L6 6M5 -1L7 1"
_WAYS: Final = {1: _UP, 2: _DOWN, 3: _UP + _DOWN}

Box = tuple[float, float, float, float]  # left, right, top and bottom, as shares of the area


def over(codes: np.ndarray, box: Box, color: str) -> Iterator[str]:
    """The hatch over cells of a heatmap; a code of 0 has none."""
    rows, columns = codes.shape
    left, right, top, bottom = box
    name = f"hatch-{zlib.crc32(codes.tobytes() + repr((box, color)).encode()):08x}"
    hatched: dict[int, list[str]] = {code: [] for code in sorted({*codes[codes > 0].tolist()})}
    wide, high = (right - left) / columns, (bottom - top) / rows
    for row, line in enumerate(codes.tolist()):
        column = 0
        for code, run in groupby(line):
            length = len(list(run))
            if code:
                rect = element(
                    "rect",
                    x=share(left + column * wide),
                    y=share(top + row * high),
                    width=share(length * wide),
                    height=share(high),
                )
                hatched[code].append(rect)
            column += length
    yield from (pattern(name, code, color) for code in hatched)
    for code, rects in hatched.items():
        yield element("g", *rects, fill=f"url(#{name}-{code})")


def pattern(name: str, code: int, color: str) -> str:
    """The definition of a hatch, to fill with `url(#name-code)`; its pixels do not stretch."""
    lines = element("path", d=_WAYS[code], stroke=color, stroke_width=1.2)
    size: dict[str, Any] = {"width": _TILE, "height": _TILE, "patternUnits": "userSpaceOnUse"}
    return element("pattern", lines, id=f"{name}-{code}", **size)
