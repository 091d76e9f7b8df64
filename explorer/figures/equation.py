"""Matrices side by side with the signs of an equation between them.

All cells have the same size, so the shapes of a product are to scale: (1 × 64) times (64 × 12) is
(1 × 12).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np
from jaxtyping import Float

from explorer.figures.drawing import Drawing, Picture
from explorer.figures.labels import elide, escape, label_room, tick_labels
from explorer.figures.theme import Theme, axis
from explorer.languages import numeral, tr

GAP: Final = 58  # pixels between two matrices, for the sign
WIDTH: Final = 510  # pixels for the picture on most screens
NUMBERS_FROM: Final = 26  # cell width in pixels that fits a number
# Each matrix is shifted down by this much, too little to see, so that rows at the same height keep
# separate labels.
SHIFT: Final = 0.02


Scale = Literal["signed", "weights"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Matrix:
    """One matrix of an equation. Values that are not finite are drawn as masked."""

    name: str
    title: str
    values: Float[np.ndarray, "rows columns"]
    rows: Sequence[str] | None = None  # tokens, or None for numbered dimensions
    columns: Sequence[str] | None = None
    scale: Scale = "signed"
    top: float | None = None  # value of the strongest colour, if signed; by default the largest
    frame: tuple[slice, slice] | None = None  # rows and columns to frame
    shape: tuple[int, int] | None = None  # of the full matrix, if only a part is shown


def equation(matrices: Sequence[Matrix], signs: Sequence[str], theme: Theme) -> Drawing:
    """Draw the matrices with `signs` between them; `cell_at` decodes the clicks.

    The rows of the first matrix are labelled on the left. Columns that are tokens are labelled on
    top.
    """
    tallest = max(matrix.values.shape[0] for matrix in matrices)
    wide = sum(matrix.values.shape[1] for matrix in matrices)
    row_labels = tick_labels(matrices[0].rows or [], theme)
    row_size = 12 if tallest <= 24 else 9 if tallest <= 40 else 7
    left = min(150, label_room(row_labels, size=row_size)) if row_labels else 6
    columns = [tick_labels(matrix.columns or [], theme, most=12) for matrix in matrices]
    longest = [label for labels in columns for label in labels]
    room = WIDTH - left - GAP * (len(matrices) - 1)
    cell = min(60.0, room / wide)
    column_size = max(7, min(11, round(cell)))  # no wider than a column
    above = label_room(longest, size=column_size) if longest else 0
    gap = GAP / cell
    numbers = cell >= NUMBERS_FROM
    row_height = min(26.0, max(cell, 5.0, row_size + 1.0 if row_labels else 0.0))
    picture = Picture(
        theme,
        height=round(26 + above + tallest * row_height + 20),
        left=left,
        right=max(22, round(room - cell * wide)),
        top=26 + above,
        bottom=20,
        cells=1,
        cell_width=round(wide * (24 if numbers else 1.2) + GAP * (len(matrices) - 1)),
    )
    ticks = _Ticks()
    offset = 0.0
    for number, matrix in enumerate(matrices):
        height, width = matrix.values.shape
        x0, y0 = offset, number * SHIFT
        offset += width + gap
        # plotly would fill %{…} in a text, even if a person typed it.
        title = escape(matrix.title.replace("%{", "％{"))
        axes = ticks.add(matrix, x0, y0, columns[number], row_labels if number == 0 else [])
        picture.heatmap(
            z=np.where(np.isfinite(matrix.values), matrix.values, np.nan).astype(np.float32),
            x0=x0,
            dx=1,
            y0=y0,
            dy=1,
            **axes,
            **_colors(matrix, theme),
            xgap=1 if cell >= 8 else 0,
            ygap=1 if cell >= 8 else 0,
            showscale=False,
            text=[[_short(value) for value in row] for row in matrix.values.tolist()]
            if numbers
            else None,
            texttemplate="%{text}" if numbers else None,
            textfont={"size": 10},
            hoverongaps=False,
            hovertemplate=title
            + "<br>"
            + tr("row %{y}, column %{x}")
            + "<br>%{z:.4f}<extra></extra>",
            name=f"{matrix.name}@{x0:g},{y0:g}",
        )
        middle = x0 + (width - 1) / 2
        picture.annotate(
            x=middle,
            y=-0.5,
            yshift=above if columns[number] else 0,
            text=f"<b>{title}</b>",
            yanchor="bottom",
            font={"size": 13},
        )
        picture.annotate(
            x=middle,
            y=height - 0.5,
            text=_shape(matrix),
            yanchor="top",
            font={"size": 11, "color": theme.muted},
        )
        hidden = {} if np.isfinite(matrix.values).all() else {"fillcolor": theme.masked}
        picture.draw(**_outline(x0, height, width, theme.line, 1), layer="below", **hidden)
        if matrix.frame is not None:
            at_rows, at_columns = matrix.frame
            first, last, _ = at_columns.indices(width)
            top, bottom, _ = at_rows.indices(height)
            picture.draw(**_outline(x0 + first, bottom - top, last - first, theme.text, 2, top=top))
        if number:
            picture.annotate(
                x=x0 - 0.5 - gap / 2,
                y=(min(height, matrices[number - 1].values.shape[0]) - 1) / 2,
                text="<br>".join(signs[number - 1].rsplit(" ", 1)),
                font={"size": 13 if len(signs[number - 1]) > 3 else 15},
            )
    # plotly draws the overlaid axes only if the first pair of axes has a trace, too.
    picture.scatter(x=[None], y=[None], hoverinfo="skip", name="")
    return picture.drawn(
        **ticks.axes(
            theme, [-0.6, offset - gap - 0.4], [tallest - 0.4, -0.6], row_size, column_size
        ),
        uirevision=str([matrix.values.shape for matrix in matrices]),
    )


def cell_at(point: dict[str, Any]) -> tuple[str, int, int]:
    """Name, row and column of the matrix cell that was clicked."""
    name, _, origin = str(point["name"]).partition("@")
    x0, y0 = map(float, origin.split(","))
    return name, round(float(point["y"]) - y0), round(float(point["x"]) - x0)


class _Ticks:
    """Names of rows and columns: all appear when hovering, some also beside the picture.

    Names that only appear when hovering are on a second, hidden pair of axes over the first.
    """

    def __init__(self) -> None:
        self.names: dict[str, dict[float, str]] = {"x": {}, "x2": {}, "y": {}, "y2": {}}

    def add(
        self, matrix: Matrix, x0: float, y0: float, columns: Sequence[str], rows: Sequence[str]
    ) -> dict[str, str]:
        """Add the names of a matrix at (x0, y0), and return its axes."""
        height, width = matrix.values.shape
        x, y = "x" if columns else "x2", "y" if rows else "y2"
        hidden_rows = [escape(elide(row)) for row in matrix.rows or map(str, range(height))]
        self.names[x] |= {x0 + n: name for n, name in enumerate(columns or map(str, range(width)))}
        self.names[y] |= {y0 + n: name for n, name in enumerate(rows or hidden_rows)}
        return {"xaxis": x, "yaxis": y}

    def axes(
        self,
        theme: Theme,
        across: list[float],
        down: list[float],
        row_size: int,
        column_size: int,
    ) -> dict[str, object]:
        def one(name: str, span: list[float], **more: object) -> dict[str, object]:
            ticks = self.names[name]
            return axis(
                theme, range=span, tickvals=list(ticks), ticktext=list(ticks.values()), **more
            )

        hidden = {"showticklabels": False, "showline": False}
        words = {"tickangle": -90, "tickfont": {"size": column_size, "color": theme.text}}
        return {
            "xaxis": one("x", across, side="top", **words),
            "yaxis": one("y", down, tickfont={"size": row_size, "color": theme.text}),
            "xaxis2": one("x2", across, overlaying="x", matches="x", **hidden),
            "yaxis2": one("y2", down, overlaying="y", matches="y", **hidden),
        }


def _shape(matrix: Matrix) -> str:
    """The shape of the full matrix, and how much of it is shown if that is not all."""
    height, width = matrix.values.shape
    rows, columns = matrix.shape or (height, width)
    if width == columns and height == rows:
        return f"({rows}, {columns})"
    shown = width if width < columns else height
    return tr("({rows}, {columns}), {shown} shown", rows=rows, columns=columns, shown=shown)


def _colors(matrix: Matrix, theme: Theme) -> dict[str, object]:
    if matrix.scale == "weights":
        return {"colorscale": theme.weights, "zmin": 0.0, "zmax": 1.0}
    seen = matrix.values[np.isfinite(matrix.values)]
    top = matrix.top or (float(np.abs(seen).max()) if seen.size else 0.0) or 1.0
    return {"colorscale": theme.signed, "zmin": -top, "zmax": top}


def _short(value: float) -> str:
    """A number short enough for a cell."""
    if not math.isfinite(value):
        return ""
    size = abs(value)
    return numeral(value, ".0f" if size >= 100 else ".1f" if size >= 10 else ".2f")


def _outline(
    x: float, height: int, width: int, color: str, line: int, *, top: int = 0
) -> dict[str, object]:
    """A frame around `height` by `width` cells."""
    return {
        "type": "rect",
        "x0": x - 0.5,
        "x1": x + width - 0.5,
        "y0": top - 0.5,
        "y1": top + height - 0.5,
        "line": {"color": color, "width": line},
    }
