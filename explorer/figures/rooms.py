"""Pictures of a room's answers and of its trainings."""

from collections.abc import Collection, Mapping, Sequence
from typing import Final

import numpy as np

from explorer.figures.drawing import Drawing, Picture, Room, rows_axis
from explorer.figures.grid import TEXT, Cells, Grid, Side, amount_colors
from explorer.figures.labels import bar_label, label_room, tick_labels
from explorer.figures.theme import Theme, axis, lines
from explorer.languages import tr

MAX_CURVES: Final = 40  # drawn; the table below the picture has them all
NAMED: Final = 3  # curves with their rank beside them
DASHES: Final = ("solid", "dash", "dot", "dashdot")


def marked_cells(
    rows: Sequence[str],
    columns: Sequence[str],
    counts: Mapping[tuple[int, int], int],
    people: int,
    theme: Theme,
    *,
    right: Collection[tuple[int, int]] | None = None,
) -> Drawing:
    """How many of the people marked each cell; with `right`, the right cells are framed."""
    shares = np.zeros((len(rows), len(columns)), np.float32)
    texts = [[""] * len(columns) for _ in rows]
    for (row, column), count in counts.items():
        shares[row, column] = count / max(1, people)
        texts[row][column] = str(count or "")
    size = 13 if len(columns) <= 20 else 10
    left, top = tick_labels(rows, theme), tick_labels(columns, theme)
    cells = Cells(
        values=shares,
        colors=amount_colors(theme),
        hover=[tr("%{{text}} of {people}", people=people)],
        rows=left,
        columns=top,
        written=TEXT,
        size=size,
        text=texts,
        name="marked",
    )
    row = max(24, min(40, 520 // max(1, len(rows))))
    room = Room(right=6, top=6, bottom=10, across=len(columns) * 24, down=row * len(rows))
    beside, over = Side(size=size, most=180), Side(size=size, most=120)
    picture = Grid([cells], beside, over, theme, room, pad=(0.05, 0.05))
    for row, column in sorted(right or ()):
        picture.frame((column, column), (row, row), theme.text, 3, inset=0.06)
    return picture.drawn()


def counted(
    rows: Sequence[tuple[str, int, bool]], people: int, theme: Theme, *, revealed: bool
) -> Drawing:
    """How many of the people gave each answer; once revealed, the right one has a tick."""
    labels = [
        f"{'✓ ' if right and revealed else ''}{bar_label(label, 24)}" for label, _, right in rows
    ]
    room = max(70, label_room(labels, size=15) + 20)
    row = max((20 + 20 * (1 + label.count("<br>")) for label in labels), default=40)
    height = 24 + row * max(1, len(rows))
    picture = Picture(theme, Room(height=height, left=room, right=60, across=90))
    plain, good = theme.tint(None), theme.text
    picture.bars(
        [count for _, count, _ in rows],
        tr("%{{x}} of {people}", people=people),
        width=0.66,
        colors=[good if right and revealed else plain for *_, right in rows],
        texts=[str(count) for _, count, _ in rows],
        size=15,
    )
    return picture.drawn(
        xaxis=axis(theme, range=[0, 1.1 * max(1, people)], visible=False),
        yaxis=rows_axis(theme, labels, size=15),
        uirevision="room",
    )


def board(
    curves: Sequence[Sequence[tuple[int, float]]], mine: int | None, steps: int, theme: Theme
) -> Drawing:
    """The accuracy of all trainings, best first; the best have their rank, one's own is thick.

    The axis extends to `steps`, so that nothing moves while the curves grow.
    """
    picture = Picture(theme, Room(height=400, left=44, right=40, top=26, bottom=40))
    for number, points in enumerate(curves[:MAX_CURVES]):
        own = number == mine
        named = own or number < NAMED
        color = theme.lines[number % len(theme.lines)] if named else theme.muted
        picture.scatter(
            tr("{rank}: step %{{x}}, %{{y:.1f}}% right", rank=number + 1),
            x=[step for step, _ in points],
            y=[100 * share for _, share in points],
            mode="lines",
            opacity=1 if named else 0.45,
            line={
                "color": color,
                "width": 4 if own else 2.5 if named else 1.2,
                "dash": DASHES[number % 4] if named else "solid",
            },
            name=str(number + 1),
        )
        if named and points:
            step, share = points[-1]
            rank = tr("{rank}, yours", rank=number + 1) if own else str(number + 1)
            picture.annotate(rank, step, 100 * share, color=color, xanchor="left", xshift=4)
    picture.heading(tr("held-out sentences right (%)"), 1.02)
    title = {"text": tr("steps"), "font": {"size": 12, "color": theme.muted}, "standoff": 4}
    return picture.drawn(
        xaxis=axis(theme, range=[0, 1.06 * steps], title=title, **lines(theme)),
        yaxis=axis(theme, range=[-3, 103], **lines(theme)),
        uirevision="board",
    )
