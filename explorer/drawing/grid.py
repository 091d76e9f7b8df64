"""Cells under their names: what all heatmaps have in common."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

import numpy as np

from explorer.drawing.drawing import Axis, Cells, Drawing, Letter, Room, Scale
from explorer.drawing.labels import label_room, slanted_height
from explorer.drawing.theme import INK, weight_scale


def weight_colors(kind: str | None, top: float = 1.0) -> Scale:
    """The colours of weights of a kind, with one for what is hidden; `top` has the strongest."""
    return Scale(weight_scale(kind), 0.0, top)


def amount_colors(top: float = 1.0) -> Scale:
    """The colours of numbers that are never negative; `top` has the strongest."""
    return Scale(INK.amounts, 0.0, top)


def max_abs(*values: np.ndarray) -> float:
    """The largest absolute value of the finite numbers; 1 where all are 0."""
    sizes = (np.abs(each[np.isfinite(each)]).max(initial=0.0) for each in values)
    return max(map(float, sizes)) or 1.0


def signed_colors(*values: np.ndarray, top: float | None = None) -> Scale:
    """Colours symmetric about 0, as far as the numbers reach; only from 0 if none is negative.

    With a `top`, pictures can be compared: all reach from −`top` to `top`.
    """
    if top is None and all(np.nanmin(each, initial=0.0) >= 0 for each in values):
        return amount_colors(max_abs(*values))
    top = top or max_abs(*values)
    return Scale(INK.signed, -top, top)


def steps(flat: Sequence[str]) -> Scale:
    """A colour for each of the numbers 0, 1, 2 …"""
    count = len(flat)
    scale = [(at / count, color) for n, color in enumerate(flat) for at in (n, n + 1)]
    return Scale(scale, -0.5, count - 0.5)


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """The style of the names of rows or columns; cells without names are numbered."""

    size: int = 13
    color: str = INK.text
    most: int = 0  # pixels for the longest name at most, besides free space
    every: int = 1  # only every so many names are written
    title: str = ""
    title_color: str = INK.text
    title_size: int = 13
    off: int = 8  # pixels from the names to the title
    top: bool = True  # names of columns: above the cells
    level: bool = False  # names of columns: they lie also where there is no room; else slanted
    hidden: bool = False

    def pixels(self, parts: Sequence[Cells]) -> int:
        """The pixels of the longest name of a row."""
        names = [label for part in parts if "y" in part.beside for label in part.rows]
        return min(self.most, label_room(names, size=self.size)) if self.most else 0

    def above(self, parts: Sequence[Cells], pitch: float) -> int:
        """The pixels of the names of columns, which are at least so many pixels wide."""
        names = [label for part in parts if "x" in part.beside for label in part.columns]
        if not self.most or not names:
            return 0
        longest = label_room(names, size=self.size)
        level_height = self.level_height(parts)
        if self.level or longest <= pitch:
            return min(self.most, level_height)
        return min(self.most, max(level_height, round(slanted_height(longest)) + 6))

    def level_height(self, parts: Sequence[Cells]) -> int:
        """The pixels of names of columns that lie, in one line or more."""
        lines = max(1 + name.count("<br>") for part in parts for name in part.columns or [""])
        return round((0.3 + 1.3 * lines) * self.size)

    def overhang(self, parts: Sequence[Cells], pitch: float) -> int:
        """The pixels by which the last name may stand out at the right."""
        last = [part.columns[-1:] for part in parts if "x" in part.beside][-1:]
        if not self.most or self.level or not last:
            return 0
        return max(0, round(label_room(last[0], size=self.size) / 2 - pitch / 2))

    def axis(self, letter: Letter, parts: Sequence[Cells], ends: tuple[float, float]) -> Axis:
        """The axis of the cells, with the names that stand beside them."""
        named = {
            (part.x if letter == "x" else part.y) + n * part.side: label
            for part in parts
            if letter in part.beside
            for n, label in enumerate(part.columns if letter == "x" else part.rows)
            if n % self.every == 0
        }
        return Axis(
            letter=letter,
            ends=ends,
            places=list(named) or None,
            names=list(named.values()) or None,
            size=self.size,
            color=self.color,
            title=self.title,
            title_size=self.title_size,
            title_color=self.title_color,
            off=self.off,
            top=self.top,
            level=self.level,
            shown=not self.hidden,
        )


HIDDEN: Final = Side(hidden=True)


class Grid(Drawing):
    """Cells with their names around them."""

    def __init__(
        self,
        parts: Sequence[Cells],
        rows: Side,
        columns: Side,
        room: Room,
        *,
        bar: str | None = None,
        pad: tuple[float, float] = (0.0, 0.0),
        count: float = 0,
    ) -> None:
        """`bar` is the title of a colour bar, for the last of the cells.

        There is room for `count` columns at least, and for a little more on every side: `pad`, in
        columns and in rows.
        """
        left, right, top, bottom = zip(*(part.edges for part in parts), strict=True)
        across = min(left) - pad[0], max(*right, count - 0.5) + pad[0]
        down = min(top) - pad[1], max(bottom) + pad[1]
        pitch = room.across / (across[1] - across[0])
        above = columns.above(parts, pitch)
        room = room.with_names(rows.pixels(parts), above)
        axes = columns.axis("x", parts, across), rows.axis("y", parts, down)
        super().__init__(
            room=replace(room, right=max(room.right, columns.overhang(parts, pitch))),
            axes=axes,
            parts=parts,
            bar=bar,
            spare=max(0, above - columns.level_height(parts)) if room.shrinks else None,
            kind=" ".join(str(axis.ends) for axis in axes),
        )
        self.up = room.top - 24 if columns.most else 0  # pixels to a title

    def title(self, part: Cells, name: str, color: str = INK.text) -> None:
        """A title of cells, above the names of their columns."""
        above = {"is_share": True, "shift": (0, self.up), "stands": "above", "color": color}
        self.annotate(f"<b>{name}</b>", part.middle, 0, **above)

    def titles(self, names: Sequence[str]) -> None:
        """The titles of all of them, from left to right."""
        for part, name in zip(self.cells, names, strict=True):
            self.title(part, name)

    def captions(self, names: Sequence[str], focus: int, color: str) -> None:
        """Names of small pictures, at their upper left corners; the one in focus is framed."""
        for number, (part, name) in enumerate(zip(self.cells, names, strict=True)):
            left, right, top, bottom = part.edges
            here = number == focus
            self.annotate(
                f"<b>{name}</b>" if here else name,
                left,
                top,
                size=12,
                color=color if here else INK.muted,
                across=0.0,
                stands="above",
                shift=(0, 1),
            )
            if here:
                self.frame((left + 0.5, right - 0.5), (top + 0.5, bottom - 0.5), color, 3)

    def sign(self, left: Cells, right: Cells, sign: str, *, size: int = 24) -> None:
        """A sign in the gap between cells that stand side by side."""
        height = min(len(left.values), len(right.values))
        self.annotate(sign, (left.edges[1] + right.edges[0]) / 2, (height - 1) / 2, size=size)

    def signs(self, signs: Sequence[str]) -> None:
        """The signs between all of them, from left to right."""
        for (left, right), sign in zip(pairwise(self.cells), signs, strict=False):
            self.sign(left, right, f"<b>{sign}</b>")
