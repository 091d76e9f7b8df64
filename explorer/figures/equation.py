"""Matrices side by side with the signs of an equation between them.

All cells have the same size, so the shapes of a product are to scale: (1 × 64) times (64 × 12) is
(1 × 12).
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, Literal

import numpy as np
from jaxtyping import Float

from explorer.drawing.drawing import Cells, Drawing, Quantity, Scale
from explorer.drawing.grid import MOST, Grid, Side, signed_colors
from explorer.drawing.labels import elide, escape, label_room, tick_labels
from explorer.drawing.theme import INK
from explorer.figures.arithmetic import signed_number
from explorer.figures.describe import weight_in_words
from explorer.languages import numeral, tr

GAP: Final = 58.0  # pixels between two matrices at most, for the sign
WIDTH: Final = 510  # pixels for the picture on most screens
NUMBERS_FROM: Final = 26  # cell width in pixels that fits a number
WHOLE_FROM: Final = 46  # … and one with all of its decimals

Reach = Literal["signed", "weights"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Matrix:
    """One matrix of an equation. Values that are not finite are drawn as masked."""

    name: str
    title: str
    values: Float[np.ndarray, "rows columns"]
    rows: Sequence[str] | None = None  # tokens, or None for numbered dimensions
    columns: Sequence[str] | None = None
    scale: Reach = "signed"
    kind: str | None = None  # of weights of a model
    hidden: np.ndarray | None = None  # why a cell is, by the codes of `explorer.masks`
    top: float | None = None  # value of the strongest colour, if signed; by default the largest
    frame: tuple[slice, slice] | None = None  # rows and columns to frame
    shape: tuple[int, int] | None = None  # of the full matrix, if only a part is shown


def equation(matrices: Sequence[Matrix], signs: Sequence[str]) -> Drawing:
    """Draw the matrices with `signs` between them.

    The rows of the first matrix are labelled on the left. Columns that are tokens are labelled on
    top.
    """
    wide = sum(matrix.values.shape[1] for matrix in matrices)
    rows = tick_labels(matrices[0].rows or [])
    left = min(MOST[0], label_room(rows))
    broken = ["<br>".join(sign.rsplit(" ", 1)) for sign in signs]
    widest = label_room([line for sign in broken for line in sign.split("<br>")], size=15)
    gap = min(GAP, widest + 14.0)
    gaps = gap * (len(matrices) - 1)
    room = WIDTH - left - gaps
    named = any(matrix.columns for matrix in matrices)
    least = 11.0 if named else 3.0
    cell = min(60.0, max(room / wide, least))
    numbers = cell >= NUMBERS_FROM
    parts = list(_cells(matrices, cell, gap, numbers=numbers))
    across = max(
        wide * (24 if numbers else least) + gaps,
        (cell * wide + gaps) * min(1.0, widest / gap),  # so that each sign has room
    )
    picture = Grid(
        parts,
        Side(),
        Side(small=True, hidden=not named),
        row=min(26.0, max(cell, 5.0)),
        over=26,
        under=20,
        right=max(22, round(room - cell * wide)),
        pitch=across / (wide + gaps / cell),
        pad=(0.1, 0.1),
    )
    for matrix, part in zip(matrices, parts, strict=True):
        height, width = matrix.values.shape
        up = picture.up if "x" in part.beside else 0
        title = f"<b>{_shown(matrix.title)}</b>"
        picture.annotate(title, part.middle, -0.5, shift=(0, up), stands="above")
        picture.annotate(
            _shape(matrix), part.middle, height - 0.5, size=11, color=INK.muted, stands="below"
        )
        fill = "" if np.isfinite(matrix.values).all() else INK.masked
        whole = part.x, part.x + width - 1
        picture.frame(whole, (0, height - 1), INK.line, 1, behind=True, fill=fill)
        if matrix.frame is not None:
            upper, lower, _ = matrix.frame[0].indices(height)
            first, last, _ = matrix.frame[1].indices(width)
            picture.frame((part.x + first, part.x + last - 1), (upper, lower - 1))
    for (one, other), sign in zip(pairwise(parts), broken, strict=False):
        picture.sign(one, other, sign, size=13 if len(sign) > 3 else 15)
    return picture


def _cells(
    matrices: Sequence[Matrix], cell: float, gap: float, *, numbers: bool
) -> Iterator[Cells]:
    """The matrices from left to right; `cell` and `gap` are widths in pixels."""
    x = 0.0
    for number, matrix in enumerate(matrices):
        values = matrix.values
        named = number == 0 and bool(matrix.rows)
        whole = weight_in_words if matrix.scale == "weights" else signed_number
        written = whole if cell >= WHOLE_FROM else _short
        columns = tick_labels(matrix.columns or [], most=12)
        yield Cells(
            values=np.where(np.isfinite(values), values, np.nan),
            colors=_colors(matrix),
            hover=[_shown(matrix.title), tr("row %{y}, column %{x}")],
            tells=[Quantity(digits=4)],
            rows=tick_labels(matrix.rows or [])
            if named
            else [escape(elide(row)) for row in matrix.rows or ()],
            columns=columns,
            x=x,
            gap=int(cell >= 8),
            texts=[[written(x) if math.isfinite(x) else "" for x in row] for row in values.tolist()]
            if numbers
            else None,
            name=matrix.name,
            hidden=matrix.hidden,
            beside="x" * bool(columns) + "y" * named,
        )
        x += values.shape[1] + gap / cell


def _shown(title: str) -> str:
    """A title in which no typed text is taken for the place of a number."""
    return escape(title.replace("%{", "％{"))


def _shape(matrix: Matrix) -> str:
    """The shape of the full matrix, and how much of it is shown if that is not all."""
    height, width = matrix.values.shape
    rows, columns = matrix.shape or (height, width)
    if width == columns and height == rows:
        return f"({rows}, {columns})"
    shown = width if width < columns else height
    return tr("({rows}, {columns}), {shown} shown", rows=rows, columns=columns, shown=shown)


def _colors(matrix: Matrix) -> Scale:
    if matrix.scale == "weights":
        return Scale(INK.weights(matrix.kind), 0.0, 1.0)
    return signed_colors(matrix.values[np.isfinite(matrix.values)], top=matrix.top)


def _short(value: float) -> str:
    """A number short enough for a cell."""
    size = abs(value)
    return numeral(value, ".0f" if size >= 100 else ".1f" if size >= 10 else ".2f")
