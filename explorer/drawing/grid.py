"""Cells under their names: what all heatmaps have in common."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

import numpy as np

from explorer.drawing.drawing import SMALL, Axis, Cells, Drawing, Entry, Letter, Room, Scale
from explorer.drawing.labels import LINE, SLANT, label_room, slanted_height
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


MANY: Final = 24  # rows or columns: the names of more are smaller, and the app writes one of them
MOST: Final = (210, 130)  # pixels of the longest name of a row, and of a column
ROWS: Final = 400  # pixels of all rows, where they are not too many for it
BAR: Final = 56  # pixels of a colour bar, at least


def few(values: np.ndarray) -> bool:
    """Whether numbers have room in cells of these values, on half of a page."""
    return len(values) <= MANY and len(values.T) <= 16


def cell_pixels(parts: Sequence[Cells]) -> tuple[int, float]:
    """The least width and height of a cell for what is written in it."""
    texts = [text for part in parts for line in part.texts or () for text in line]
    ends = [
        f"{end:.{part.digits}f}"
        for part in parts
        if part.digits is not None
        for end in (np.nanmin(part.values), np.nanmax(part.values))
    ]
    written = {text.replace("−", "-") for text in (*texts, *ends)}
    if not any(written):
        return 0, 0
    size = max(part.size for part in parts)
    lines = max(1 + text.count("<br>") for text in written)
    bold = [text for text in written if "<b>" in text]
    width = max(label_room([*written], size=size), 1.1 * label_room(bold, size=size) * bool(bold))
    return max(24, round(width) - 6), LINE * size * lines + 3


def level(pictures: Sequence[Drawing]) -> None:
    """Have the areas of pictures side by side one place and one size."""
    sizes = {
        side: max(getattr(one.room, side) for one in pictures) for side in ("left", "top", "down")
    }
    spares = [one.spare for one in pictures]
    spare = None if None in spares else min(filter(None, spares), default=0)
    for one in pictures:
        one.room, one.spare = replace(one.room, **sizes), spare


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """The style of the names of rows or columns; cells without names are numbered."""

    color: str = INK.text
    small: bool = False  # as those of many
    every: int = 1  # only every so many names are written
    title: str = ""
    title_color: str = INK.text
    top: bool = True  # names of columns: above the cells
    level: bool = False  # names of columns: they lie also where there is no room; else slanted
    hidden: bool = False

    def size(self, parts: Sequence[Cells], letter: Letter) -> int:
        """The size of the font: many names are smaller."""
        return 11 if self.small or self.are_many(parts, letter) else 13

    def are_many(self, parts: Sequence[Cells], letter: Letter) -> bool:
        """Whether only the name that is pointed at is written in the app, where there is no room.

        Columns with words in their cells are wide enough for their names.
        """
        if letter == "x" and any(part.texts for part in parts):
            return False
        most: int = max(part.values.shape[letter == "x"] for part in parts)
        return most > MANY

    def names(self, parts: Sequence[Cells], letter: Letter) -> dict[float, str]:
        """The names that stand beside the cells, by their places."""
        return {
            (part.x if letter == "x" else part.y) + n * part.side: label
            for part in parts
            if letter in part.beside
            for n, label in enumerate(part.columns if letter == "x" else part.rows)
            if n % self.every == 0
        }

    def pitch(self, parts: Sequence[Cells], letter: Letter) -> float:
        """The least pixels from name to name; 0 where not all are written."""
        names = self.names(parts, letter).values()
        if self.hidden or self.every > 1 or not names:
            return 0
        lines = max(1 + name.count("<br>") for name in names)
        size = self.size(parts, letter)
        if letter == "x" and lines > 1:  # if they are slanted
            return 1 + size * LINE * lines / math.sin(math.radians(SLANT))
        return 1 + size * (1 + LINE * (lines - 1))

    def beside(self, parts: Sequence[Cells]) -> int:
        """The pixels of the longest name of a row, and of the title of all."""
        if self.hidden:
            return 0
        names = list(self.names(parts, "y").values()) or ["100"]
        return min(MOST[0], label_room(names, size=self.size(parts, "y"))) + 24 * bool(self.title)

    def below(self) -> int:
        """The pixels of names and a title below the area."""
        return 0 if self.top or self.hidden else 20 + 20 * bool(self.title)

    def above(self, parts: Sequence[Cells], pitch: float) -> tuple[int, int, int]:
        """Pixels of the names of columns, which are at least so many pixels wide.

        Their height, if they lie and as they are; and what the last one stands out at the right.
        """
        names = list(self.names(parts, "x").values()) or ["0"]
        if self.hidden or not self.top:
            return 0, 0, 0
        size = self.size(parts, "x")
        longest = label_room(names, size=size)
        level = round((0.3 + 1.3 * max(1 + name.count("<br>") for name in names)) * size)
        if self.level or longest <= pitch:
            return level, level, 0
        slanted = min(MOST[1], max(level, round(slanted_height(longest)) + 6))
        return level, slanted, max(0, round(label_room(names[-1:], size=size) / 2 - pitch / 2))

    def axis(self, letter: Letter, parts: Sequence[Cells], ends: tuple[float, float]) -> Axis:
        """The axis of the cells, with the names that stand beside them."""
        named = self.names(parts, letter)
        return Axis(
            letter=letter,
            ends=ends,
            places=list(named) or None,
            names=list(named.values()) or None,
            size=self.size(parts, letter),
            color=self.color,
            title=self.title,
            title_color=self.title_color,
            top=self.top,
            level=self.level,
            shown=not self.hidden,
            many=not self.hidden and self.are_many(parts, letter),
        )


HIDDEN: Final = Side(hidden=True)


class Grid(Drawing):
    """Cells with their names around them."""

    def __init__(
        self,
        parts: Sequence[Cells],
        rows: Side,
        columns: Side,
        *,
        height: int = 0,
        row: float | None = None,
        over: int | None = None,
        under: int = 4,
        right: int = 4,
        pitch: float | None = None,
        bar: str | None = None,
        legend: Sequence[Entry] = (),
        pad: tuple[float, float] = (0.0, 0.0),
        count: float = 0,
        shrinks: bool = False,
    ) -> None:
        """Pixels follow from the parts and what stands around them.

        Only what is special is given: the least `height` of the picture, and that of a `row` where
        there are few; what is free `over` the names of columns (by default, for their title),
        `under` the area and at its `right`; and the `pitch` of columns. `bar` is the title of a
        colour bar, for the last of the cells. There is room for `count` columns at least, and for a
        little more on every side: `pad`, in columns and in rows. If it `shrinks`, level names make
        it lower; pictures side by side do not.
        """
        left, ends, top, bottom = zip(*(part.edges for part in parts), strict=True)
        across = min(left) - pad[0], max(*ends, count - 0.5) + pad[0]
        down = min(top) - pad[1], max(bottom) + pad[1]
        wide, high = cell_pixels(parts)
        pitch = pitch or max(SMALL, wide, columns.pitch(parts, "x"))
        level, above, beyond = columns.above(parts, pitch)
        row = (0 if height else 24) if row is None else row
        n_rows = down[1] - down[0]
        needed = n_rows * max(high, rows.pitch(parts, "y"))
        over = (28 if columns.title and columns.top else 4) if over is None else over
        room = Room(
            height=height,
            left=4 + rows.beside(parts),
            right=max(right, beyond, 0 if bar is None else BAR),
            top=over + above,
            bottom=under + columns.below() + 28 * bool(legend),
            across=round(pitch * (across[1] - across[0])),
            down=round(max(needed, min(row * n_rows, ROWS))),
        )
        axes = columns.axis("x", parts, across), rows.axis("y", parts, down)
        super().__init__(
            room=room,
            axes=axes,
            parts=parts,
            legend=list(legend),
            bar=bar,
            spare=above - level if shrinks or axes[0].many else None,
            kind=" ".join(str(axis.ends) for axis in axes),
        )
        self.up = over + above - 24 if above else 0  # pixels to a title

    def title(self, part: Cells, name: str, color: str = INK.text, *, across: float = 0.5) -> None:
        """A title of cells, above the names of their columns; in the middle, or at the left."""
        left, right, *_ = part.edges
        above = {"is_share": True, "shift": (0, self.up), "stands": "above"}
        x = left + across * (right - left)
        self.annotate(f"<b>{name}</b>", x, 0, color=color, across=across, **above)

    def titles(self, names: Sequence[str]) -> None:
        """The titles of all of them, from left to right."""
        for part, name in zip(self.cells, names, strict=True):
            self.title(part, name)

    def captions(self, names: Sequence[str], focus: int) -> None:
        """Names of small pictures, at their upper left corners; the one in focus is framed."""
        for number, (part, name) in enumerate(zip(self.cells, names, strict=True)):
            left, right, top, bottom = part.edges
            here = number == focus
            self.annotate(
                f"<b>{name}</b>" if here else name,
                left,
                top,
                size=12,
                color=INK.text if here else INK.muted,
                across=0.0,
                stands="above",
                shift=(0, 1),
            )
            if here:
                self.frame((left + 0.5, right - 0.5), (top + 0.5, bottom - 0.5))

    def sign(self, left: Cells, right: Cells, sign: str, *, size: int = 24) -> None:
        """A sign in the gap between cells that stand side by side."""
        height = min(len(left.values), len(right.values))
        self.annotate(sign, (left.edges[1] + right.edges[0]) / 2, (height - 1) / 2, size=size)

    def signs(self, signs: Sequence[str]) -> None:
        """The signs between all of them, from left to right."""
        for (left, right), sign in zip(pairwise(self.cells), signs, strict=False):
            self.sign(left, right, f"<b>{sign}</b>")
