"""The comparison of a prediction with what was computed."""

from collections.abc import Sequence
from typing import Final, Literal

import numpy as np

from explorer.drawing.drawing import Bars, Drawing, Quantity
from explorer.drawing.labels import bar_label, escape
from explorer.drawing.theme import INK
from explorer.figures.charts import axis_above, bar_chart
from explorer.languages import numeral

Mark = Literal["right", "missed", "too much", ""]
SIGNS: Final[dict[Mark, str]] = {"right": "✓", "missed": "○", "too much": "✗", "": ""}


def mark_color(mark: Mark) -> str:
    """The colour of a mark, legible to a colour-blind reader; a sign always goes with it."""
    return {
        "right": INK.text,
        "missed": INK.lines[1],
        "too much": INK.lines[2],
        "": INK.tint(None),
    }[mark]


def compared_bars(
    name: str,
    labels: Sequence[str],
    values: Sequence[float],
    marks: Sequence[Mark],
) -> Drawing:
    """Numbers as bars; the sign before a label marks the prediction as right, missed or wrong."""
    rows = [
        f"{SIGNS[mark]} <b>{bar_label(label, 26)}</b>" if mark else bar_label(label, 26)
        for label, mark in zip(labels, marks, strict=True)
    ]
    largest = max(map(abs, values))
    bars = Bars(
        values=np.array(values),
        rows=rows,
        tells=Quantity(escape(name), 5),
        width=0.66,
        colors=[mark_color(mark) for mark in marks],
        texts=[_short(value, largest) for value in values],
    )
    low, high = min(0.0, *values), max(0.0, *values)
    beside = 0.25 * (high - low)  # for a number that stands at the left of its bar
    ends = low - beside if low else 0.0, 1.15 * high or (beside or 1.0)
    across = axis_above(ends, title=escape(name))
    return bar_chart([bars], across, "compared", row=34, top=44)


def _short(value: float, largest: float) -> str:
    """As many digits as count beside the largest value."""
    if abs(value) >= 1000:
        return numeral(value, ",.0f")
    if largest < 0.01:
        return numeral(value, ".2e") if value else numeral(0)
    if value == 0 or abs(value) >= 0.001:
        return numeral(value, ".3f")
    return f"< {numeral(0.001)}" if value > 0 else "> " + numeral(-0.001, ".3f")
