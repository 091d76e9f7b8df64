"""What a room has answered, and how far its trainings are."""

from collections.abc import Collection, Mapping, Sequence
from typing import Final

import numpy as np

from explorer.figures.drawing import Drawing, Picture
from explorer.figures.labels import elide, escape, label_room, tick_labels
from explorer.figures.theme import Theme, axis
from explorer.languages import tr

MOST_CURVES: Final = 40  # drawn; the table below the picture has them all
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
    for (row, column), count in counts.items():
        shares[row, column] = count / max(1, people)
    size = 13 if len(columns) <= 20 else 10
    left, top = tick_labels(rows, theme), tick_labels(columns, theme)
    above = min(120, label_room(top, size=size)) + 6
    picture = Picture(
        theme,
        height=above + 16 + max(24, min(40, 520 // max(1, len(rows)))) * len(rows),
        left=min(180, label_room(left, size=size)),
        right=6,
        top=above,
        bottom=10,
        cells=len(columns),
        cell_width=24,
    )
    picture.heatmap(
        z=shares,
        zmin=0,
        zmax=1,
        colorscale=theme.weights,
        showscale=False,
        xgap=1,
        ygap=1,
        text=[
            [str(counts.get((row, column), 0) or "") for column in range(len(columns))]
            for row in range(len(rows))
        ],
        texttemplate="%{text}",
        textfont={"size": size},
        hovertemplate=tr("%{{text}} of {people}", people=people) + "<extra></extra>",
        name="marked",
    )
    for row, column in sorted(right or ()):
        picture.draw(
            type="rect",
            x0=column - 0.44,
            x1=column + 0.44,
            y0=row - 0.44,
            y1=row + 0.44,
            line={"color": theme.cross, "width": 3},
        )
    ticks = {"size": size, "color": theme.text}
    return picture.drawn(
        xaxis=axis(
            theme,
            side="top",
            tickangle=-90,
            tickvals=list(range(len(columns))),
            ticktext=top,
            tickfont=ticks,
            range=[-0.55, len(columns) - 0.45],
        ),
        yaxis=axis(
            theme,
            tickvals=list(range(len(rows))),
            ticktext=left,
            tickfont=ticks,
            range=[len(rows) - 0.45, -0.55],
        ),
        uirevision="room",
    )


def counted(
    rows: Sequence[tuple[str, int, bool]], people: int, theme: Theme, *, revealed: bool
) -> Drawing:
    """How many of the people gave each answer; once revealed, the right one has a tick."""
    labels = [
        f"{'✓ ' if right and revealed else ''}{escape(elide(label, 34))}\u2002"
        for label, _, right in rows
    ]
    room = max(70, min(300, label_room(labels, size=15) + 20))
    picture = Picture(
        theme, height=24 + 40 * max(1, len(rows)), left=room, right=60, top=8, bottom=8,
        cells=1, cell_width=90,
    )  # fmt: skip
    plain, good = theme.lines[0], theme.cross
    picture.traces.append(
        {
            "type": "bar",
            "orientation": "h",
            "x": [count for _, count, _ in rows],
            "y": list(range(len(rows))),
            "marker": {"color": [good if right and revealed else plain for *_, right in rows]},
            "text": [str(count) for _, count, _ in rows],
            "textposition": "outside",
            "cliponaxis": False,
            "textfont": {"size": 15, "color": theme.text},
            "hovertemplate": tr("%{{x}} of {people}", people=people) + "<extra></extra>",
            "width": 0.66,
        }
    )
    return picture.drawn(
        xaxis=axis(theme, range=[0, 1.1 * max(1, people)], visible=False),
        yaxis=axis(
            theme,
            tickvals=list(range(len(rows))),
            ticktext=labels,
            tickfont={"size": 15, "color": theme.text},
            range=[max(1, len(rows)) - 0.5, -0.5],
        ),
        uirevision="room",
    )


def board(
    curves: Sequence[Sequence[tuple[int, float]]], mine: int | None, steps: int, theme: Theme
) -> Drawing:
    """The accuracy of all trainings, best first; the best have their rank, one's own is thick.

    The axis extends to `steps`, so that nothing moves while the curves grow.
    """
    picture = Picture(theme, height=400, left=44, right=40, top=26, bottom=40)
    for number, points in enumerate(curves[:MOST_CURVES]):
        own = number == mine
        named = own or number < NAMED
        color = theme.lines[number % 7] if named else theme.muted
        picture.scatter(
            x=[step for step, _ in points],
            y=[100 * share for _, share in points],
            mode="lines",
            opacity=1 if named else 0.45,
            line={
                "color": color,
                "width": 4 if own else 2.5 if named else 1.2,
                "dash": DASHES[number % 4] if named else "solid",
            },
            hovertemplate=tr("{rank}: step %{{x}}, %{{y:.1f}} % right", rank=number + 1)
            + "<extra></extra>",
            name=str(number + 1),
        )
        if named and points:
            picture.annotate(
                x=points[-1][0],
                y=100 * points[-1][1],
                text=tr("{rank}, yours", rank=number + 1) if own else str(number + 1),
                xanchor="left",
                xshift=4,
                font={"size": 13, "color": color},
            )
    picture.annotate(
        x=0, y=1.02, xref="paper", yref="paper", text=tr("held-out sentences right (%)"),
        xanchor="left", yanchor="bottom", font={"size": 12, "color": theme.muted},
    )  # fmt: skip
    grid = {"showgrid": True, "gridcolor": theme.line}
    title = {"text": tr("steps"), "font": {"size": 12, "color": theme.muted}, "standoff": 4}
    return picture.drawn(
        xaxis=axis(theme, range=[0, 1.06 * steps], title=title, **grid),
        yaxis=axis(theme, range=[-3, 103], **grid),
        uirevision="board",
    )
