"""What charts have in common: bars beside their names, a quiet axis, a dotted line."""

from collections.abc import Sequence
from typing import Any

from explorer.drawing.drawing import Axis, Bars, Drawing, Line, Room, Stroke
from explorer.drawing.labels import label_room
from explorer.drawing.theme import INK


def axis_above(ends: tuple[float, float], **more: Any) -> Axis:
    """A quiet axis above the area."""
    return Axis(letter="x", ends=ends, top=True, size=11, color=INK.muted, **more)


def bar_chart(
    bars: Sequence[Bars],
    across: Axis,
    kind: str,
    *,
    row: int,
    size: int = 13,
    top: int = 28,
    count: int = 1,
) -> Drawing:
    """Bars, from above, beside their names; there is room for `count` of them at least.

    A `row` has so many pixels; if a name has several lines, half as many more for each.
    """
    names = bars[0].rows
    lines = max((name.count("<br>") for name in names), default=0)
    high = round(row * (1 + lines / 2) * max(len(names), count))
    left = min(220, label_room(names, size=size)) + 6
    room = Room(left=left, right=56, top=top, across=60, down=high)
    down = Axis(
        letter="y",
        ends=(-0.5, max(len(names), count) - 0.5),
        places=range(len(names)),
        names=names,
        size=size,
    )
    return Drawing(room=room, axes=[across, down], parts=bars, kind=kind)


def dotted(x: float, span: tuple[float, float], color: str) -> Stroke:
    """A dotted line down, over these shares of the height."""
    line = Line(color, dash="dot")
    return Stroke(start=(x, span[0]), end=(x, span[1]), line=line, is_share=True)
