"""A drawing as a figure of plotly's, for looking closer: zoomed into, with all its values."""

from dataclasses import replace
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
    Line,
    Stroke,
    Text,
)
from explorer.drawing.theme import FONT, INK, Theme, coloured
from explorer.languages import tr

Plain = dict[str, Any]
# The ends of the strokes over a cell that is hidden, by the codes of `explorer.masks`.
_UP: Final = ((-0.5, 0.5), (0.5, -0.5))
_DOWN: Final = ((-0.5, -0.5), (0.5, 0.5))
_STROKES: Final = {1: (_UP,), 2: (_DOWN,), 3: (_UP, _DOWN)}
_ANCHORS: Final = {0.0: "left", 0.5: "center", 1.0: "right"}
_STANDS: Final = {"above": "bottom", "on": "middle", "below": "top"}


def figure(drawing: Drawing, theme: Theme) -> go.Figure:
    """A new figure, to change, to show or to save.

    A stroke lies over each cell that is hidden; they can be switched off in the legend.
    """
    return go.Figure(_coloured(spec(drawing), theme))


def spec(drawing: Drawing) -> Plain:
    """Data and layout of a figure, with roles in the places of colours."""
    hidden = [part.codes for part in drawing.cells if part.codes is not None]
    codes = sorted({code for each in hidden for code in np.unique(each).tolist() if code})
    data = list(map(_trace, drawing.parts)) + [_strokes(drawing, code) for code in codes]
    if drawing.bar is not None:
        data[len(drawing.parts) - 1] |= {"showscale": True, "colorbar": {"title": drawing.bar}}
    font, room = {"family": FONT, "size": 13, "color": INK.text}, drawing.room
    below = max(40 * bool(codes), room.bottom)
    above = drawing.legend_above
    place = {"y": 1.02, "yanchor": "bottom"} if above else {"y": -0.02, "yanchor": "top"}
    layout: Plain = {
        "height": drawing.height,
        "margin": {"l": room.left, "r": room.right, "t": room.top, "b": below},
        **{"paper_bgcolor": INK.background, "plot_bgcolor": INK.background, "font": font},
        "hoverlabel": {"bgcolor": INK.background, "font": font, "align": "left"},
        **{"separators": drawing.separators, "hovermode": "closest", "barmode": "overlay"},
        "showlegend": bool(codes or drawing.legend),
        "legend": {"orientation": "h", "x": 0} | place,
        "annotations": list(map(_annotation, drawing.texts)),
        "shapes": list(map(_shape, drawing.marks)),
        "template": {"data": {"scatter": [{"type": "scatter"}]}},  # plotly's template "none"
        "meta": {"min_width": drawing.min_width},
    }
    for axis in drawing.axes:
        name = f"{axis.letter}axis"
        if name in layout:
            over = {"overlaying": "x", "matches": "x"} if axis.letter == "x" else {}
            layout[f"{name}2"] = _axis(axis) | over
        else:
            layout[name] = _axis(axis)
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


def _trace(part: Cells | Curve | Bars) -> Plain:
    if isinstance(part, Cells):
        return _heatmap(part)
    about: Plain = {"name": part.name, "hoverinfo": "skip"}
    if part.tells:
        told = [part.told(number) for number, *_ in part.points]
        about = {
            "name": part.name,
            "customdata": told,
            "hovertemplate": "%{customdata}<extra></extra>",
        }
    if isinstance(part, Bars):
        line = part.outline or Line("rgba(0,0,0,0)", 0)
        about |= {"type": "bar", "orientation": "h", "showlegend": False, "width": part.width}
        about |= {
            "x": part.values,
            "y": np.arange(len(part.rows)),
            "base": list(part.begins) or None,
        }
        look = {"color": part.colors or "rgba(0,0,0,0)"}
        about["marker"] = look | {"line": {"color": line.color, "width": line.width}}
        font = {"size": part.size, "color": INK.text}
        return about | _written(part.texts, font) | {"textposition": "outside", "cliponaxis": False}
    shows = {"lines": part.line, "markers": part.sizes, "text": part.labels}
    about |= {
        "type": "scatter",
        "mode": "+".join(name for name, shown in shows.items() if shown) or "none",
    }
    about |= {"x": _points(part.x), "y": _points(part.y), "yaxis": "y2" if part.is_below else "y"}
    about |= {"line": _line(part.line), "opacity": part.opacity, "showlegend": bool(part.name)}
    about["marker"] = {"size": part.sizes, "color": part.colors or None}
    font = {"size": 11, "color": part.label_colors or None}
    return about | _written(part.labels, font) | {"textposition": "middle right"}


def _written(texts: object, font: Plain) -> Plain:
    return {"text": texts or None, "textfont": font}


def _points(values: np.ndarray) -> list[float | None]:
    """Numbers, with nothing where a line is broken."""
    return [value if value == value else None for value in values.tolist()]


def _heatmap(part: Cells) -> Plain:
    across, down = part.gaps
    written = "%{text}" if part.texts else f"%{{z:.{part.digits}f}}" if part.digits else None
    return {
        **{"type": "heatmap", "z": part.drawn, "name": part.name, "showscale": False},
        **{"x0": part.x, "y0": part.y, "dx": part.side, "dy": part.side},
        **{"xgap": across, "ygap": down},
        **{"colorscale": part.colors.colors, "zmin": part.colors.low, "zmax": part.colors.high},
        **_written(part.texts, {"size": part.size}),
        **{"texttemplate": written, "customdata": _told(part), "hoverongaps": False},
        "hovertemplate": "%{customdata}<extra></extra>",
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
        return "<br>".join(filter(None, "<br>".join(found).split("<br>")))

    rows, columns = own.shape
    return [[cell(row, column) for column in range(columns)] for row in range(rows)]


def _axis(axis: Axis) -> Plain:
    first, last = axis.ends
    title = {"size": axis.title_size, "color": axis.title_color}
    found: Plain = {
        **{"showgrid": axis.lines, "gridcolor": INK.line, "zeroline": False, "ticks": ""},
        **{"ticklabelstandoff": 3, "tickfont": {"size": axis.size, "color": axis.color}},
        "title": {"text": axis.title, "font": title, "standoff": axis.off},
        "showticklabels": axis.shown,
    }
    if axis.letter == "y":  # plotly counts from below
        found |= {"range": [last, first], "domain": [1 - axis.span[1], 1 - axis.span[0]]}
    else:
        found |= {"range": [first, last], "side": "top" if axis.top else "bottom"}
        found |= {"tickangle": 0} if axis.level else {}
    if axis.places is not None:
        names = None if axis.names is None else list(axis.names)
        found |= {"tickvals": list(axis.places), "ticktext": names}
    return found


def _annotation(text: Text) -> Plain:
    return {
        **{"text": text.text, "x": text.x, "y": 1 - text.y if text.is_share else text.y},
        **{"yref": "paper" if text.is_share else "y", "showarrow": False},
        "font": {"size": text.size, "color": text.color},
        **{"xanchor": _ANCHORS[text.across], "yanchor": _STANDS[text.stands]},
        **{"xshift": text.shift[0], "yshift": text.shift[1]},
    }


def _shape(mark: Frame | Stroke) -> Plain:
    if isinstance(mark, Frame):
        (x0, x1), (y0, y1) = mark.across, mark.down
        look: Plain = {"type": "rect", "layer": "below" if mark.behind else "above"}
        look |= {"fillcolor": mark.fill or None}
    else:
        (x0, y0), (x1, y1) = mark.start, mark.end
        look = {"type": "line", "yref": "paper" if mark.is_share else "y"}
        if mark.is_share:
            y0, y1 = 1 - y0, 1 - y1
    return look | {"line": _line(mark.line), "x0": x0, "x1": x1, "y0": y0, "y1": y1}


def _line(line: Line | None) -> Plain | None:
    return None if line is None else {"color": line.color, "width": line.width, "dash": line.dash}


def _strokes(drawing: Drawing, code: int) -> Plain:
    """A stroke over each cell that is hidden for a reason."""
    x, y = [], []
    for part in drawing.cells:
        for row, column in (
            np.argwhere(part.codes == code).tolist() if part.hidden is not None else ()
        ):
            left, top = part.x + column * part.side, part.y + row * part.side
            for ends in _STROKES[code]:
                x += [*(left + across * part.side for across, _ in ends), None]
                y += [*(top + down * part.side for _, down in ends), None]
            line = {"color": part.hatch, "width": 1}
    return {"type": "scatter", "mode": "lines", "x": x, "y": y, "line": line, "hoverinfo": "skip",
            "name": tr(REASON_NAMES[code]), "showlegend": True}  # fmt: skip
