"""The parts of a model side by side, each with what it has computed."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from jaxtyping import Float

from explorer.drawing.drawing import Cells, Drawing, Quantity, Scale
from explorer.drawing.grid import HIDDEN, Grid, amount_colors, weight_colors
from explorer.drawing.labels import escape, label_room
from explorer.drawing.theme import INK

HEIGHT: Final = 110  # pixels of a tile
WIDTH: Final = 76  # of one that is square
GAP: Final = 0.35  # between two tiles, as a share of their height
LANE: Final = 1.7  # from lane to lane, in heights


@dataclass(frozen=True, slots=True, kw_only=True)
class Tile:
    """A part of the model: its name, the shape of its output, and numbers from −1 or 0 to 1."""

    name: str
    shape: str
    kind: str  # "signed", "amounts", or that of an attention
    values: Float[np.ndarray, "rows columns"]  # NaN is left empty


def model_map(lanes: Sequence[tuple[str, str, Sequence[Tile]]]) -> Drawing:
    """A lane for each stack, with its title and kind, above its tiles."""
    parts, notes, width = [], [], 0.0
    for lane, (title, kind, tiles) in enumerate(lanes):
        x = 0.0
        notes.append((f"<b>{escape(title)}</b>", 0.0, lane * LANE - 0.27, 14, INK.hue(kind)))
        for tile in tiles:
            rows, columns = tile.values.shape
            side, wide = 1 / rows, columns / rows
            parts.append(
                Cells(
                    values=tile.values,
                    colors=_colors(tile.kind),
                    hover=[f"<b>{escape(tile.name)}</b> {escape(tile.shape)}"],
                    tells=[Quantity(digits=2)],
                    x=x + side / 2,
                    y=lane * LANE + side / 2,
                    side=side,
                    gap=0,
                    name=tile.name,
                )
            )
            notes.append((escape(tile.name), x, lane * LANE - 0.12, 12, INK.text))
            notes.append((escape(tile.shape), x, lane * LANE + 1.12, 11, INK.muted))
            longest = label_room([tile.name, tile.shape], size=12) / WIDTH
            x += max(wide, longest) + GAP
        width = max(width, x)
    height = 60 + round(HEIGHT * (1 + LANE * (len(lanes) - 1)))
    picture = Grid(parts, HIDDEN, HIDDEN, height=height, over=40, under=20, pitch=WIDTH,
                   count=width + 0.5)  # fmt: skip
    for text, x, y, size, color in notes:
        picture.annotate(text, x, y, size=size, color=color, across=0.0)
    return picture


def _colors(kind: str) -> Scale:
    if kind == "signed":
        return Scale(INK.signed, -1, 1)
    return amount_colors() if kind == "amounts" else weight_colors(kind)
