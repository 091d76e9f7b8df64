"""Pictures of positional encodings."""

from collections.abc import Sequence
from itertools import starmap

import numpy as np
from jaxtyping import Float

from explorer.drawing.drawing import Axis, Cells, Curve, Drawing, Entry, Line, Quantity, Room, Scale
from explorer.drawing.grid import Grid, Side, few, max_abs, signed_colors
from explorer.drawing.labels import tick_labels
from explorer.drawing.theme import INK
from explorer.figures.charts import dotted
from explorer.languages import numbered, numeral, tr

NAMED_ROWS = 20  # more positions leave no room for the tokens that stand there
DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")


def encoding_heatmap(
    encoding: Float[np.ndarray, "length d_model"],
    *,
    tokens: Sequence[str] = (),
    token: int | None = None,
) -> Drawing:
    """Positions on the rows, dimensions on the columns, −1 … 1.

    The row of a `token` is framed. If there is room, the rows are named after the `tokens`.
    """
    length, d_model = encoding.shape
    named = bool(tokens) and length <= NAMED_ROWS
    labels = tick_labels(list(starmap(numbered, enumerate(tokens[:length]))))
    labels += map(str, range(len(labels), length))
    cells = Cells(
        values=encoding,
        colors=Scale(INK.signed, -1, 1),
        hover=[tr("position") + " %{y}", tr("dimension") + " %{x}"],
        tells=[Quantity(digits=4)],
        rows=labels if named else (),
        gap=0,
    )
    picture = Grid(
        [cells],
        Side() if named else Side(title=tr("position")),
        Side(title=tr("dimension"), top=False),
        pitch=280 / d_model,
        bar=tr("values"),
    )
    if token is not None and token < length:
        picture.frame((0, d_model - 1), (token, token))
    return picture


def curves(
    encoding: Float[np.ndarray, "length d_model"],
    fine: Float[np.ndarray, "fine d_model"],
    fine_positions: Float[np.ndarray, " fine"],
    dimensions: Sequence[int],
    *,
    marked: Sequence[float] = (),
) -> Drawing:
    """One wave per dimension, with dots at the whole positions that the model uses."""
    wide = min(960, 12 * len(encoding))  # so that waves can be told apart on a phone, too
    room = Room(height=330, left=48, top=34, bottom=44, across=max(280, wide))
    parts, legend = [], []
    for order, dimension in enumerate(dimensions):
        line = Line(INK.lines[order % len(INK.lines)], 2, DASHES[order % len(DASHES)])
        wave = "sin" if dimension % 2 == 0 else "cos"
        name = tr("dim {dimension} ({wave})", dimension=dimension, wave=wave)
        places, values = np.arange(len(encoding)), encoding[:, dimension]
        dots = Curve(
            x=places,
            y=values,
            tells=[Quantity(tr("position"), 0, places), Quantity(name, 4, values)],
            sizes=6,
            colors=line.color,
        )
        parts += [
            Curve(x=fine_positions, y=fine[:, dimension], line=line, name=name),
            dots,
        ]
        legend.append(Entry(name=name, line=line))
    ends = np.append(fine_positions, [0, len(encoding) - 1])
    across = Axis(
        letter="x",
        ends=(float(ends.min()), float(ends.max())),
        title=tr("position"),
        title_color=INK.text,
    )
    return Drawing(
        room=room,
        axes=[across, Axis(letter="y", ends=(1.08, -1.08), lines=True)],
        parts=parts,
        marks=[dotted(position, (0, 1), INK.muted) for position in marked],
        legend=legend,
        legend_above=True,
        kind=f"{len(encoding)} {list(dimensions)}",
    )


def three_panels(
    panels: Sequence[tuple[str, Float[np.ndarray, "length d_model"]]],
    tokens: Sequence[str],
    *,
    dense: bool = False,
) -> Drawing:
    """Input, encoding and their sum on one scale, one row per token.

    In a `dense` picture the rows are thin, and only some of them are named.
    """
    length, width = panels[0][1].shape
    rows = tick_labels(tokens)
    numbers = length * width * len(panels) <= 120
    scale = signed_colors(*(values for _, values in panels))
    parts = [
        Cells(
            values=values,
            colors=scale,
            hover=[title, "<b>%{y}</b>", tr("dimension") + " %{x}"],
            tells=[Quantity(digits=4)],
            rows=rows,
            columns=list(map(str, range(width))),
            x=number * width * 1.08,
            gap=0,
            digits=2 if numbers else None,
            size=11,
        )
        for number, (title, values) in enumerate(panels)
    ]
    columns = Side(
        color=INK.muted,
        every=max(1, width // 8),
        title=tr("dimension"),
        top=False,
        level=True,
    )
    picture = Grid(
        parts,
        Side(every=10 if dense else 1),
        columns,
        height=360,
        over=28,
        pitch=160 / width,
        bar=tr("values"),
    )
    picture.titles([title for title, _ in panels])
    return picture


def similarity_heatmap(similarity: Float[np.ndarray, "length length"]) -> Drawing:
    """PE(p)·PE(q) for every pair of positions, on a scale from the smallest product."""
    low, high = float(similarity.min()), float(similarity.max())
    cells = Cells(
        values=similarity,
        colors=Scale(INK.amounts, low, high),
        hover=[tr("positions %{y} and %{x}")],
        tells=[Quantity(digits=3)],
        gap=0,
    )
    rows, columns = Side(title=tr("position p")), Side(title=tr("position q"), top=False)
    return Grid([cells], rows, columns, pitch=280 / len(similarity), bar=tr("dot product"))


def _distance(value: float) -> str:
    """With one decimal; vectors that are the same up to rounding have none."""
    return "0" if value < 1e-4 else numeral(value, ".1f")


def distances(
    panels: Sequence[tuple[str, Float[np.ndarray, "first second"]]],
    first: Sequence[str],
    second: Sequence[str],
) -> Drawing:
    """Distance from each output of one sentence to each output of another; 0 = the same vector."""
    rows, columns = tick_labels(first), tick_labels(second)
    far = max_abs(*(values for _, values in panels))
    parts = [
        Cells(
            values=values,
            colors=Scale([(1 - at, color) for at, color in reversed(INK.amounts)], 0, far),
            hover=["%{y} / %{x}"],
            tells=[Quantity(tr("distance"), 6)],
            rows=rows,
            columns=columns,
            x=number * (len(columns) + 1.4),
            texts=[[_distance(value) for value in line] for line in values.tolist()]
            if few(values)
            else None,
            size=13,
        )
        for number, (_, values) in enumerate(panels)
    ]
    picture = Grid(parts, Side(), Side(), height=330, row=31, over=28, bar=tr("distance"))
    picture.titles([title for title, _ in panels])
    return picture
