"""A drawing as a figure of plotly's, for looking closer: zoomed into, with all its values."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

import numpy as np
import plotly.graph_objects as go

from explorer.figures.drawing import (
    VALUE,
    Axis,
    Bars,
    Cells,
    Curve,
    Drawing,
    Frame,
    Line,
    Stroke,
    Text,
)
from explorer.figures.masks import REASON_NAMES
from explorer.figures.theme import FONT, INK, Theme, coloured
from explorer.languages import tr

Part = dict[str, Any]
# The ends of the strokes over a cell that is hidden, by the codes of `explorer.masks`.
_UP: Final = ((-0.5, 0.5), (0.5, -0.5))
_DOWN: Final = ((-0.5, -0.5), (0.5, 0.5))
_STROKES: Final = {1: (_UP,), 2: (_DOWN,), 3: (_UP, _DOWN)}


def figure(drawing: Drawing, theme: Theme) -> go.Figure:
    """A new figure, to change, to show or to save.

    A stroke lies over each cell that is hidden; they can be switched off in the legend.
    """
    return go.Figure(_coloured(spec(drawing), theme))


def spec(drawing: Drawing) -> Part:
    """Data and layout of a figure, in roles of colours."""
    hidden = [part.codes for part in drawing.cells if part.codes is not None]
    codes = sorted({int(code) for each in hidden for code in np.unique(each) if code})
    data = list(map(_trace, drawing.parts))
    data += [_strokes(drawing, code) for code in codes]
    if drawing.bar is not None:
        data[len(drawing.parts) - 1] |= {"showscale": True, "colorbar": {"title": drawing.bar}}
    font = {"family": FONT, "size": 13, "color": INK.text}
    background = INK.background
    layout: Part = {
        "height": drawing.height,
        "margin": {"l": drawing.left, "r": drawing.right, "t": drawing.top, "b": drawing.bottom},
        "paper_bgcolor": background,
        "plot_bgcolor": background,
        "font": font,
        "hoverlabel": {"bgcolor": background, "font": font, "align": "left"},
        "separators": drawing.separators,
        "hovermode": "closest",
        "barmode": "overlay",
        "showlegend": bool(codes or drawing.legend),
        "legend": {"orientation": "h", "x": 0, "y": -0.02, "yanchor": "top"},
        "annotations": list(map(_annotation, drawing.texts)),
        "shapes": list(map(_shape, drawing.marks)),
        "template": {"data": {"scatter": [{"type": "scatter"}]}},  # plotly's template "none"
        "meta": {"min_width": drawing.min_width},
    }
    if codes:
        layout["margin"]["b"] = max(40, drawing.bottom)
    for name, axis in drawing.axes.items():
        over = {"overlaying": "x", "matches": "x"} if name == "x2" else {}
        layout[f"{name[0]}axis{name[1:]}"] = _axis(axis) | over
    return {"data": data, "layout": layout}


def _coloured(value: Any, theme: Theme) -> Any:
    """The same with colours in the places of roles."""
    if isinstance(value, str):
        return coloured(value, theme)
    if isinstance(value, dict):
        return {key: _coloured(part, theme) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_coloured(part, theme) for part in value]
    return value


def _trace(part: Cells | Curve | Bars) -> Part:
    if isinstance(part, Cells):
        return _heatmap(part)
    about: Part = {
        "name": part.name,
        "customdata": [part.told(number) for number, *_ in part.points],
    }
    about |= (
        {"hovertemplate": "%{customdata}<extra></extra>"}
        if part.tells or part.hover
        else {"hoverinfo": "skip"}
    )
    if isinstance(part, Bars):
        outline = part.outline or Line("", 0)
        return about | {
            "type": "bar",
            "orientation": "h",
            "x": part.values,
            "y": np.arange(len(part.rows)),
            "base": list(part.begins) or None,
            "width": part.width,
            "marker": {
                "color": part.colors or "rgba(0,0,0,0)",
                "line": {"color": outline.color or None, "width": outline.width},
            },
            "text": part.texts or None,
            "textposition": "outside",
            "cliponaxis": False,
            "textfont": {"size": part.size, "color": INK.text},
            "showlegend": False,
        }
    shows = {"lines": part.line, "markers": part.sizes, "text": part.labels}
    return about | {
        "type": "scatter",
        "mode": "+".join(name for name, shown in shows.items() if shown),
        "x": _points(part.x),
        "y": _points(part.y),
        "yaxis": part.upon,
        "line": _line(part.line),
        "opacity": part.opacity,
        "marker": {"size": part.sizes, "color": part.colors or None},
        "text": part.labels or None,
        "textposition": "middle right",
        "textfont": {"size": 11, "color": part.label_colors or None},
        "showlegend": bool(part.name),
    }


def _points(values: np.ndarray) -> list[float | None]:
    """Numbers, with nothing where a line is broken."""
    return [value if value == value else None for value in values.tolist()]


def _heatmap(part: Cells) -> Part:
    across, down = part.gap if isinstance(part.gap, tuple) else (part.gap, part.gap)
    written = "%{text}" if part.texts else f"%{{z:.{part.digits}f}}" if part.digits else None
    return {
        "type": "heatmap",
        "z": part.drawn,
        **{"x0": part.x, "y0": part.y, "dx": part.side, "dy": part.side},
        **{"xgap": across, "ygap": down},
        **{"colorscale": part.colors.colors, "zmin": part.colors.low, "zmax": part.colors.high},
        "text": part.texts,
        "texttemplate": written,
        "textfont": {"size": part.size},
        "customdata": _told(part),
        "hovertemplate": "%{customdata}<extra></extra>",
        "hoverongaps": False,
        "showscale": False,
        "name": part.name,
    }


def _told(part: Cells) -> list[list[str]]:
    """What is told of each cell, and always why it is hidden."""
    if not part.reasons and all(quantity.digits for quantity in part.tells):
        part = replace(part, reasons=[tr(name) for name in REASON_NAMES])
    own, names, tells = part.drawn, (part.names("x"), part.names("y")), part.told
    values = [own if told.values is None else np.asarray(told.values) for told in tells]

    def cell(row: int, column: int) -> str:
        lines = "<br>".join(part.hover).replace("%{x}", names[0][column])
        found = [lines.replace("%{y}", names[1][row])]
        for told, each in zip(tells, values, strict=True):
            line = told.line.replace("%{y}", names[1][row])
            found.append(line.replace(VALUE, told.written(each[row, column])))
        return "<br>".join(filter(None, found))

    rows, columns = own.shape
    return [[cell(row, column) for column in range(columns)] for row in range(rows)]


def _axis(axis: Axis) -> Part:
    first, last = axis.ends
    title = {"size": axis.title_size, "color": axis.title_color}
    found: Part = {
        "range": [first, last],
        "showgrid": axis.lines,
        "gridcolor": INK.line,
        "zeroline": False,
        "ticks": "",
        "ticklabelstandoff": 3,
        "tickfont": {"size": axis.size, "color": axis.color},
        "title": {"text": axis.title, "font": title, "standoff": axis.off},
        "showticklabels": axis.shown,
    }
    if axis.letter == "y":  # plotly counts from below
        top, bottom = axis.span
        found |= {"range": [last, first], "domain": [1 - bottom, 1 - top]}
    else:
        found |= {"side": "top" if axis.top else "bottom"} | (
            {"tickangle": 0} if axis.level else {}
        )
    if axis.places is not None:
        found["tickvals"] = list(axis.places)
        found["ticktext"] = None if axis.names is None else list(axis.names)
    return found


def _annotation(text: Text) -> Part:
    right, up = text.shift
    return {
        "text": text.text,
        "x": text.x,
        "y": 1 - text.y if text.is_share else text.y,
        "yref": "paper" if text.is_share else "y",
        "font": {"size": text.size, "color": text.color},
        "showarrow": False,
        "xanchor": {0.0: "left", 0.5: "center", 1.0: "right"}[text.across],
        "yanchor": {"above": "bottom", "on": "middle", "below": "top"}[text.stands],
        "xshift": right,
        "yshift": up,
    }


def _shape(mark: Frame | Stroke) -> Part:
    line = _line(mark.line)
    if isinstance(mark, Frame):
        (x0, x1), (y0, y1) = mark.across, mark.down
        layer = "below" if mark.behind else "above"
        look = {"type": "rect", "line": line, "fillcolor": mark.fill or None, "layer": layer}
        return look | {"x0": x0, "x1": x1, "y0": y0, "y1": y1}
    (x0, y0), (x1, y1) = mark.start, mark.end
    if mark.is_share:
        y0, y1 = 1 - y0, 1 - y1
    ends = {"x0": x0, "x1": x1, "y0": y0, "y1": y1, "yref": "paper" if mark.is_share else "y"}
    return {"type": "line", "line": line} | ends


def _line(line: Line | None) -> Part | None:
    return None if line is None else {"color": line.color, "width": line.width, "dash": line.dash}


def _strokes(drawing: Drawing, code: int) -> Part:
    x: list[float | None] = []
    y: list[float | None] = []
    colors = []
    for left, top, side, color in _cells(drawing, code):
        for (x0, y0), (x1, y1) in _STROKES[code]:
            x += [left + x0 * side, left + x1 * side, None]
            y += [top + y0 * side, top + y1 * side, None]
        colors.append(color)
    name = tr(REASON_NAMES[code])
    line = {"color": colors[-1], "width": 1}
    return {"type": "scatter", "mode": "lines", "x": x, "y": y, "line": line, "hoverinfo": "skip",
            "name": name, "showlegend": True}  # fmt: skip


def _cells(drawing: Drawing, code: int) -> Iterator[tuple[float, float, float, str]]:
    """Place, size and colour of each cell that is hidden for a reason."""
    for part in drawing.cells:
        codes = np.zeros((0, 0)) if part.codes is None else part.codes
        for row, column in np.argwhere(codes == code).tolist():
            x, y = part.x + column * part.side, part.y + row * part.side
            yield x, y, part.side, part.hatch
