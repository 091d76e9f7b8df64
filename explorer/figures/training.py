"""Pictures of training: loss and accuracy, step by step."""

from collections.abc import Sequence
from typing import Final

import numpy as np

from explorer.figures.drawing import Drawing, Picture, Room
from explorer.figures.theme import INK, axis, lines
from explorer.languages import mark, tr

MAX_POINTS: Final = 300
RIGHT: Final = {
    "held-out sentences": mark("held-out sentences right (%)"),
    "pairs": mark("pairs right (%)"),
}  # by the judged unit, see `explorer.tasks.tasks.judged_on`
UPPER, LOWER = (0.58, 1.0), (0.0, 0.42)  # shares of the height, for loss and accuracy


def curves(
    losses: Sequence[float],
    accuracies: Sequence[tuple[int, float]],
    *,
    steps: int,
    top: float,
    marked: int | None = None,
    judged: str = "held-out sentences",
    height: int = 330,
) -> Drawing:
    """Above, the loss per step; below, the share of sentences answered without a mistake.

    The axes extend to `steps` and to a loss of `top`, so that nothing moves while the curves grow.
    `marked` is the step in focus. If there are many losses, a point is the mean of several steps.
    """
    picture = Picture(Room(height=height, left=48, right=12, top=26, bottom=40))
    at, means = _thinned(losses)
    picture.scatter(
        tr("step %{x:.0f}<br>loss %{y:.3f}"),
        x=at,
        y=means,
        mode="lines",
        line={"color": INK.lines[0], "width": 2},
        name="loss",
    )
    picture.scatter(
        tr("step %{x}<br>%{y:.1f}% right"),
        x=[step for step, _ in accuracies],
        y=[100 * share for _, share in accuracies],
        mode="lines+markers",
        line={"color": INK.lines[0], "width": 2},
        marker={"size": 4},
        name="accuracy",
        yaxis="y2",
    )
    picture.heading(tr("loss per target word (nats)"), 1.0)
    picture.heading(tr(RIGHT[judged]), 0.44)
    if marked is not None:
        for low, high in (LOWER, UPPER):
            picture.stroke((marked, low), (marked, high), INK.text, dash="dot", yref="paper")
    small = {"size": 11, "color": INK.muted}
    title = {"text": tr("steps"), "font": {"size": 12, "color": INK.muted}, "standoff": 4}
    down = {"tickfont": small, **lines()}
    percent = {"range": [-3, 103], "tickvals": [0, 50, 100], "anchor": "x"}
    return picture.drawn(
        xaxis=axis(range=[0, steps], anchor="y2", tickfont=small, title=title),
        yaxis=axis(range=[0, top], domain=list(UPPER), **down),
        yaxis2=axis(domain=list(LOWER), **percent, **down),
        uirevision="curves",
    )


def _thinned(losses: Sequence[float]) -> tuple[np.ndarray, np.ndarray]:
    """Steps and losses; many are averaged over stretches of equal length."""
    values = np.asarray(losses, dtype=np.float64)
    stretch = -(-len(values) // MAX_POINTS) or 1
    starts = np.arange(0, len(values), stretch)
    if not len(starts):
        return values, values
    lengths = np.diff(np.append(starts, len(values)))
    means = np.add.reduceat(values, starts) / lengths
    return starts + 1 + (lengths - 1) / 2, means
