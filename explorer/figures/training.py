"""The picture of a training: its loss, step by step."""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from explorer.drawing.drawing import Axis, Curve, Drawing, Line, Quantity, Room
from explorer.drawing.theme import INK
from explorer.figures.charts import dotted
from explorer.languages import tr

MAX_POINTS: Final = 300


def loss_curve(
    losses: Sequence[float], *, steps: int, top: float, marked: int | None = None
) -> Drawing:
    """The loss per step.

    The axes extend to `steps` and to a loss of `top`, so that nothing moves while the curve grows.
    `marked` is the step in focus. If there are many losses, a point is the mean of several steps.
    """
    at, means = _thinned(losses)
    tells = [Quantity(tr("step"), 0, at), Quantity(tr("loss"), 3, means)]
    small: dict[str, Any] = {"size": 11, "color": INK.muted}
    picture = Drawing(
        room=Room(height=220, left=48, right=12, top=26, bottom=40),
        axes=[
            Axis(letter="x", ends=(0, steps), title=tr("steps"), **small),
            Axis(letter="y", ends=(top, 0), lines=True, **small),
        ],
        parts=[Curve(x=at, y=means, tells=tells, line=Line(INK.lines[0], 2), name="loss")],
        kind="curves",
    )
    quiet: dict[str, Any] = {"size": 12, "color": INK.muted, "across": 0.0, "stands": "above"}
    picture.annotate(tr("loss per target word (nats)"), 0, 0, is_share=True, **quiet)
    if marked is not None:
        picture.marks.append(dotted(marked, (0, 1), INK.text))
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
