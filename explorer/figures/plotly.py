"""A drawing as a figure of plotly's, for looking closer: zoomed into, with all its values."""

from collections.abc import Iterator
from typing import Any, Final

import numpy as np
import plotly.graph_objects as go

from explorer.figures.drawing import Drawing
from explorer.figures.masks import REASON_NAMES
from explorer.figures.theme import Theme, coloured
from explorer.languages import tr

# The ends of the strokes over a cell that is hidden, by the codes of `explorer.masks`.
_UP: Final = ((-0.5, 0.5), (0.5, -0.5))
_DOWN: Final = ((-0.5, -0.5), (0.5, 0.5))
_STROKES: Final = {1: (_UP,), 2: (_DOWN,), 3: (_UP, _DOWN)}


def figure(drawing: Drawing, theme: Theme) -> go.Figure:
    """A new figure, to change, to show or to save.

    A stroke lies over each cell that is hidden; they can be switched off in the legend.
    """
    traces = [_trace(trace) for trace in drawing.data if "code" not in (trace.get("meta") or {})]
    codes = {code for trace in drawing.data for code in np.unique(_hidden(trace)).tolist() if code}
    traces += [_strokes(drawing, code) for code in sorted(codes)]
    layout = drawing.layout | {"hovermode": "closest"}
    if codes:
        legend = {"orientation": "h", "x": 0, "y": -0.02, "yanchor": "top"}
        margin = layout["margin"] | {"b": max(40, layout["margin"]["b"])}
        layout |= {"showlegend": True, "legend": legend, "margin": margin}
    return go.Figure(_coloured({"data": traces, "layout": layout}, theme))


def _coloured(value: Any, theme: Theme) -> Any:
    """The same with colours in the places of roles."""
    if isinstance(value, str):
        return coloured(value, theme)
    if isinstance(value, dict):
        return {key: _coloured(part, theme) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_coloured(part, theme) for part in value]
    return value


def _hidden(trace: dict[str, Any]) -> np.ndarray:
    found: np.ndarray = (trace.get("meta") or {}).get("hidden", np.zeros((0, 0)))
    return found


def _trace(trace: dict[str, Any]) -> dict[str, Any]:
    """The trace without what plotly does not know, and why a cell is hidden."""
    found = {key: value for key, value in trace.items() if key != "meta"}
    hidden = _hidden(trace)
    if hidden.any() and found["customdata"] is None:
        reasons = np.array([tr(name) if code else "" for code, name in enumerate(REASON_NAMES)])
        found["customdata"] = reasons[hidden]
        template = found["hovertemplate"].removesuffix("<extra></extra>")
        found["hovertemplate"] = f"{template}<br>%{{customdata}}<extra></extra>"
    return found


def _strokes(drawing: Drawing, code: int) -> dict[str, Any]:
    x: list[float | None] = []
    y: list[float | None] = []
    for left, top, wide, high, color in _cells(drawing, code):
        for (x0, y0), (x1, y1) in _STROKES[code]:
            x += [left + x0 * wide, left + x1 * wide, None]
            y += [top + y0 * high, top + y1 * high, None]
        line = {"color": color, "width": 1}
    name = tr(REASON_NAMES[code])
    return {"type": "scatter", "mode": "lines", "x": x, "y": y, "line": line, "hoverinfo": "skip",
            "name": name, "showlegend": True}  # fmt: skip


def _cells(drawing: Drawing, code: int) -> Iterator[tuple[float, float, float, float, str]]:
    """Place, size and colour of each cell that is hidden for a reason."""
    for trace in drawing.data:
        dx, dy = trace.get("dx", 1), trace.get("dy", 1)
        for row, column in np.argwhere(_hidden(trace) == code).tolist():
            x, y = trace["x0"] + column * dx, trace["y0"] + row * dy
            yield x, y, dx, dy, trace["meta"]["hatch"]
