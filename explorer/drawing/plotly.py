"""A drawing as a figure of plotly's, for looking closer: zoomed into, with all its values."""

import json
from dataclasses import asdict, replace
from typing import Any, Final

import numpy as np
import plotly.graph_objects as go

from explorer.drawing.drawing import (
    REASON_NAMES,
    VALUE,
    Axis,
    Bars,
    Cells,
    Curve,
    Drawing,
    Frame,
    Stroke,
    Text,
)
from explorer.drawing.theme import FONT, INK, Theme, coloured
from explorer.languages import tr

Plain = dict[str, Any]
_ANCHORS: Final = {0.0: "left", 0.5: "center", 1.0: "right"}
_STANDS: Final = {"above": "bottom", "on": "middle", "below": "top"}
_CLEAR: Final = "rgba(0,0,0,0)"


def figure(drawing: Drawing, theme: Theme) -> go.Figure:
    """A new figure, to change, to show or to save.

    A stroke lies over each cell that is hidden; they can be switched off in the legend.
    """
    found = spec(drawing, theme)
    for trace, part in zip(found["data"], drawing.parts, strict=False):
        if isinstance(part, Cells):
            trace["z"] = part.drawn  # an array, to compute with
    return go.Figure(found)


def spec(drawing: Drawing, theme: Theme) -> Plain:
    """Data and layout of a figure, as JSON has them."""
    traces = [_heatmap(part) if isinstance(part, Cells) else _marks(part) for part in drawing.parts]
    if drawing.bar is not None:
        traces[-1] |= {"showscale": True, "colorbar": {"title": drawing.bar}}
    strokes = [stroke for code in (1, 2, 3) if (stroke := _strokes(drawing, code))["x"]]
    room = drawing.room
    layout: Plain = {
        "template": "none",
        "height": drawing.height,
        "margin": {"l": room.left, "r": room.right, "t": room.top, "b": room.bottom},
        **dict.fromkeys(["paper_bgcolor", "plot_bgcolor"], INK.background),
        "font": {"family": FONT, "size": 13, "color": INK.text},
        "separators": drawing.separators,
        "barmode": "overlay",
        "showlegend": bool(strokes or drawing.legend),
        "legend": {"orientation": "h"}
        | ({"y": 1.02, "yanchor": "bottom"} if drawing.legend_above else {}),
        "annotations": list(map(_annotation, drawing.texts)),
        "shapes": list(map(_shape, drawing.marks)),
    }
    for axis in drawing.axes:
        name, second = f"{axis.letter}axis", {"overlaying": "x", "matches": "x"}
        if name in layout:
            layout[f"{name}2"] = _axis(axis) | second
        else:
            layout[name] = _axis(axis)
    found = {"data": [*traces, *strokes], "layout": layout}
    text = json.dumps(found, ensure_ascii=False, default=np.ndarray.tolist)
    plain: Plain = json.loads(coloured(text, theme))
    return plain


def _marks(part: Curve | Bars) -> Plain:
    """Bars; or a line, dots, and labels."""
    about: Plain = {"name": part.name, "hoverinfo": "skip"}
    if part.tells:
        about |= _telling([part.told(number) for number, *_ in part.points])
    if isinstance(part, Bars):
        begins = {"base": part.begins or None, "width": part.width, "orientation": "h"}
        outline = part.outline and {"color": part.outline.color, "width": part.outline.width}
        look = {"marker": {"color": part.colors or _CLEAR, "line": outline}, "showlegend": False}
        beyond = {"textposition": "outside", "cliponaxis": False}
        about |= {"type": "bar", "x": part.values, "y": list(range(len(part.rows)))}
        return about | begins | look | _written(part.texts, part.size, INK.text) | beyond
    shown = {"lines": part.line, "markers": part.sizes, "text": part.labels}
    mode = "+".join(name for name, what in shown.items() if what) or "none"
    line = {"line": part.line and asdict(part.line), "opacity": part.opacity}
    dots = {"marker": {"size": part.sizes, "color": part.colors or None}}
    labels = _written(part.labels, 11, part.label_colors or None) | {"textposition": "middle right"}
    about |= {"type": "scatter", "x": part.x, "y": part.y, "showlegend": bool(part.name)}
    return about | {"mode": mode} | line | dots | labels


def _heatmap(part: Cells) -> Plain:
    place = {"x0": part.x, "y0": part.y, "dx": part.side, "dy": part.side}
    gaps = dict(zip(("xgap", "ygap"), part.gaps, strict=True))
    scale = part.colors
    look = {"colorscale": scale.colors, "zmin": scale.low, "zmax": scale.high, "showscale": False}
    form = "%{text}" if part.texts else part.digits and f"%{{z:.{part.digits}f}}"
    about = {"type": "heatmap", "z": part.drawn, "name": part.name, "texttemplate": form}
    about |= _written(part.texts, part.size) | _telling(_told(part)) | {"hoverongaps": False}
    return about | place | gaps | look


def _written(texts: object, size: int, color: object = None) -> Plain:
    return {"text": texts or None, "textfont": {"size": size, "color": color}}


def _telling(texts: object) -> Plain:
    return {"customdata": texts, "hovertemplate": "%{customdata}<extra></extra>"}


def _told(part: Cells) -> list[list[str]]:
    """What is told of each cell, and always why it is hidden."""
    if not part.reasons and all(quantity.digits for quantity in part.tells):
        part = replace(part, reasons=[tr(name) for name in REASON_NAMES])
    own, columns, rows = part.drawn, part.names("x"), part.names("y")
    tells = [(one, own if one.values is None else np.asarray(one.values)) for one in part.told]

    def cell(row: int, column: int) -> str:
        lines = [one.line.replace(VALUE, one.written(values[row, column])) for one, values in tells]
        text = "<br>".join([*part.hover, *lines])
        text = text.replace("%{x}", columns[column]).replace("%{y}", rows[row])
        return "<br>".join(filter(None, text.split("<br>")))

    return [[cell(row, column) for column in range(own.shape[1])] for row in range(len(own))]


def _axis(axis: Axis) -> Plain:
    first, last = axis.ends
    if axis.letter == "y":  # plotly counts from below
        place: Plain = {"range": [last, first]}
    else:
        place = {"range": [first, last], "side": "top" if axis.top else "bottom"}
    names = {
        "tickvals": None if axis.places is None else list(axis.places),
        "ticktext": axis.names and list(axis.names),
        "tickangle": 0 if axis.level else None,
        "tickfont": {"size": axis.size, "color": axis.color},
        "showticklabels": axis.shown,
        "title": {"text": axis.title, "font": {"color": axis.title_color}},
    }
    return place | names | {"showgrid": axis.lines, "gridcolor": INK.line, "zeroline": False}


def _annotation(text: Text) -> Plain:
    place = {"x": text.x, "y": 1 - text.y if text.is_share else text.y}
    anchors = {"xanchor": _ANCHORS[text.across], "yanchor": _STANDS[text.stands]}
    shift = {"xshift": text.shift[0], "yshift": text.shift[1]}
    look = {"text": text.text, "font": {"size": text.size, "color": text.color}}
    yref = {"yref": "paper" if text.is_share else "y", "showarrow": False}
    return look | place | yref | anchors | shift


def _shape(mark: Frame | Stroke) -> Plain:
    about: Plain = {"line": asdict(mark.line)}
    if isinstance(mark, Frame):
        (x0, x1), (y0, y1) = mark.across, mark.down
        layer = "below" if mark.behind else "above"
        about |= {"type": "rect", "layer": layer, "fillcolor": mark.fill or None}
    else:
        (x0, y0), (x1, y1) = mark.start, mark.end
        about |= {"type": "line", "yref": "paper" if mark.is_share else "y"}
        if mark.is_share:
            y0, y1 = 1 - y0, 1 - y1
    return about | {"x0": x0, "x1": x1, "y0": y0, "y1": y1}


def _strokes(drawing: Drawing, code: int) -> Plain:
    """A stroke over each cell that is hidden for a reason: up, down, or both."""
    x: list[float | None] = []
    y: list[float | None] = []
    for part in drawing.cells:
        for row, column in np.argwhere(part.codes == code).tolist():
            left, top = part.x + (column - 0.5) * part.side, part.y + (row - 0.5) * part.side
            for first, last in [(1, 0)] * (code & 1) + [(0, 1)] * (code >> 1):
                x += [left, left + part.side, None]
                y += [top + first * part.side, top + last * part.side, None]
    look = {"mode": "lines", "line": {"color": INK.lines[2], "width": 1}, "hoverinfo": "skip"}
    name = {"name": tr(REASON_NAMES[code]), "showlegend": True}
    return {"type": "scatter", "x": x, "y": y} | look | name
