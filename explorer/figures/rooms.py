"""Pictures of a room's answers."""

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from explorer.drawing.drawing import Axis, Bars, Cells, Drawing, Quantity
from explorer.drawing.grid import Grid, Side, amount_colors
from explorer.drawing.labels import bar_label, tick_labels
from explorer.drawing.theme import INK
from explorer.figures.charts import bar_chart
from explorer.languages import tr


def marked_cells(
    rows: Sequence[str],
    columns: Sequence[str],
    counts: Mapping[tuple[int, int], int],
    people: int,
    *,
    right: Collection[tuple[int, int]] | None = None,
) -> Drawing:
    """How many of the people marked each cell; with `right`, the right cells are framed."""
    shares = np.zeros((len(rows), len(columns)), np.float32)
    texts = [[""] * len(columns) for _ in rows]
    for (row, column), count in counts.items():
        shares[row, column] = count / max(1, people)
        texts[row][column] = str(count or "")
    left, top = tick_labels(rows), tick_labels(columns)
    cells = Cells(
        values=shares,
        colors=amount_colors(),
        tells=[Quantity(values=texts, around=tr("%{{}} of {people}", people=people))],
        rows=left,
        columns=top,
        texts=texts,
        name="marked",
    )
    picture = Grid([cells], Side(), Side(), pad=(0.05, 0.05))
    for row, column in sorted(right or ()):
        picture.frame((column, column), (row, row), inset=0.06)
    return picture


def counted(rows: Sequence[tuple[str, int, bool]], people: int, *, revealed: bool) -> Drawing:
    """How many of the people gave each answer; once revealed, the right one has a tick."""
    labels = [
        f"{'✓ ' if right and revealed else ''}{bar_label(label, 24)}" for label, _, right in rows
    ]
    plain, good = INK.tint(None), INK.text
    bars = Bars(
        values=np.array([count for _, count, _ in rows]),
        rows=labels,
        tells=Quantity(digits=0, around=tr("%{{}} of {people}", people=people)),
        width=0.66,
        colors=[good if right and revealed else plain for *_, right in rows],
        texts=[str(count) for _, count, _ in rows],
        size=15,
    )
    across = Axis(letter="x", ends=(0, 1.1 * max(1, people)), shown=False)
    return bar_chart([bars], across, "room", row=40, size=15, top=8)
