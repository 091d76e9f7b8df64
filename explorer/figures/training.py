"""Pictures of training: loss and accuracy, step by step."""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from explorer.drawing.drawing import Axis, Curve, Drawing, Line, Quantity, Room, dotted
from explorer.drawing.theme import INK
from explorer.languages import mark, tr

MAX_POINTS: Final = 300
RIGHT: Final = {
    "held-out sentences": mark("held-out sentences right (%)"),
    "pairs": mark("pairs right (%)"),
}  # by the judged unit, see `explorer.tasks.tasks.judged_on`
UPPER, LOWER = (0.0, 0.42), (0.58, 1.0)  # shares of the height, for loss and accuracy


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
    at, means = _thinned(losses)
    judged_at, shares = np.array(accuracies).reshape(-1, 2).T
    right, line = 100 * shares, Line(INK.lines[0], 2)
    parts = [
        Curve(
            x=at,
            y=means,
            tells=[Quantity(tr("step"), 0, at), Quantity(tr("loss"), 3, means)],
            line=line,
            name="loss",
        ),
        Curve(
            x=judged_at,
            y=right,
            tells=[
                Quantity(tr("step"), 0, judged_at),
                Quantity(tr("right"), 1, right, around=tr("%{}% right")),
            ],
            line=line,
            sizes=4,
            name="accuracy",
            is_below=True,
        ),
    ]
    small: dict[str, Any] = {"size": 11, "color": INK.muted}
    picture = Drawing(
        room=Room(height=height, left=48, right=12, top=26, bottom=40),
        axes=[
            Axis(letter="x", ends=(0, steps), title=tr("steps"), title_size=12, off=4, **small),
            Axis(letter="y", ends=(top, 0), span=UPPER, lines=True, **small),
            Axis(letter="y", ends=(103, -3), places=[0, 50, 100], span=LOWER, lines=True, **small),
        ],
        parts=parts,
        kind="curves",
    )
    for text, y in ((tr("loss per target word (nats)"), 0), (tr(RIGHT[judged]), 0.56)):
        quiet: dict[str, Any] = {"size": 12, "color": INK.muted, "across": 0.0, "stands": "above"}
        picture.annotate(text, 0, y, is_share=True, **quiet)
    if marked is not None:
        picture.marks += [dotted(marked, span, INK.text) for span in (LOWER, UPPER)]
    return picture


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
