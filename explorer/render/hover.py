"""The hover texts of a picture's cells and points, for the script that shows them.

A number is sent as it will be written: 0.1234 as 1234 and four digits.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

import numpy as np

from explorer.figures.drawing import Drawing
from explorer.figures.theme import Theme, coloured
from explorer.languages import isolated
from explorer.render.axes import Axis
from explorer.render.cells import FIELD
from explorer.render.scene import Part, Scene
from explorer.render.traces import begin_of, edges

_EXTRA: Final = re.compile(r"<extra>.*</extra>")
_SHARES: Final = 5  # digits of a share of the area


def hover(drawing: Drawing, theme: Theme) -> dict[str, Any]:
    """The cells of every heatmap and the points of every curve, each with its words.

    `box` is left, right, top and bottom of a heatmap, as shares of the area. A click tells the
    number of a cell's column and row, and the name of its heatmap.
    """
    scene = Scene.of(drawing, theme, 1, 0)  # shares do not depend on the size
    label = drawing.layout["hoverlabel"]
    return {
        "maps": [_map(scene, trace) for trace in drawing.data if _has_cells(trace)],
        "points": list(_points(scene)),
        "separators": scene.separators,
        "label": label
        | {name: coloured(label[name], theme) for name in ("bgcolor", "bordercolor")}
        | {"font": label["font"] | {"color": coloured(label["font"]["color"], theme)}},
    }


def _has_cells(trace: Part) -> bool:
    return trace["type"] == "heatmap" and bool(np.asarray(trace["z"]).size)


def _map(scene: Scene, trace: Part) -> dict[str, Any]:
    z = np.asarray(trace["z"])
    x_axis, y_axis = scene.axes_of(trace)
    rows, columns = z.shape
    x0, dx, y0, dy = (trace[name] for name in ("x0", "dx", "y0", "dy"))
    template = _EXTRA.sub("", trace["hovertemplate"])
    fields: dict[str, Any] = {}
    for name, plus, digits in FIELD.findall(template):
        if name == "x":
            names = (x_axis.name_of(x0 + n * dx, scene.separators) for n in range(columns))
            fields[name] = _words(names, theme=scene.theme)
        elif name == "y":
            names = (y_axis.name_of(y0 + n * dy, scene.separators) for n in range(rows))
            fields[name] = _words(names, theme=scene.theme)
        else:
            values = np.asarray(trace[name], object).ravel().tolist()
            fields[name] = _field(values, plus, digits, scene.theme)
    meta = trace.get("meta") or {}
    alike = [word for line in meta.get("alike") or () for word in line]
    words = list(dict.fromkeys(alike))
    blank = np.flatnonzero(np.isnan(z.astype(np.float64)))
    return {
        "name": trace.get("name"),
        "rows": rows,
        "columns": columns,
        "box": [round(edge, _SHARES) for edge in edges(scene, trace)],
        "template": template,
        "fields": fields,
        "blank": blank.tolist(),
        "pair": meta.get("pair") or "",
        "alike": list(map(words.index, alike)),
        "words": words,
        "named": {
            "rows": _has_names(y_axis, y0, dy, rows),
            "columns": _has_names(x_axis, x0, dx, columns),
        },
    }


def _has_names(axis: Axis, first: float, step: float, count: int) -> bool:
    """Whether all rows or columns have their own names beside the area."""
    return all(round(first + n * step, 6) in axis.names for n in range(count))


def _points(scene: Scene) -> Iterator[dict[str, Any]]:
    for trace in scene.data:
        if trace["type"] == "heatmap" or not trace.get("hovertemplate"):
            continue
        x_axis, y_axis = scene.axes_of(trace)
        places = [
            (number, float(x), float(y))
            for number, (x, y) in enumerate(
                zip(np.asarray(trace["x"]).tolist(), np.asarray(trace["y"]).tolist(), strict=True)
            )
            if x is not None and y is not None
        ]
        template, fields = _EXTRA.sub("", trace["hovertemplate"]), {}
        for name, plus, digits in FIELD.findall(template):
            if name in "xy" and not digits:
                axis, at = (x_axis, 1) if name == "x" else (y_axis, 2)
                names = (axis.name_of(p[at], scene.separators) for p in places)
                fields[name] = _words(names, theme=scene.theme)
            else:
                values = np.asarray(trace[name], object).tolist()
                chosen = [values[number] for number, *_ in places]
                fields[name] = _field(chosen, plus, digits, scene.theme)
        shares = [[x_axis.share(begin_of(trace, n) + x), y_axis.share(y)] for n, x, y in places]
        yield {
            "name": trace.get("name"),
            "at": [[round(share, _SHARES) for share in point] for point in shares],
            "places": [[x, y] for _, x, y in places],
            "template": template,
            "fields": fields,
        }


def _field(values: Iterable[Any], plus: str, digits: str, theme: Theme) -> dict[str, Any]:
    if not digits:
        return _words(map(str, values), theme=theme)
    numbers = np.array([np.nan if value is None else value for value in values], np.float64)
    whole = np.rint(numbers * 10.0 ** int(digits))
    written = [None if n != n else int(n) if abs(n) < 2**53 else n for n in whole.tolist()]
    return {"digits": int(digits), "plus": plus, "numbers": written}


def _words(values: Iterable[str], *, theme: Theme) -> dict[str, Any]:
    """Each word once, and which of them stands where."""
    places: dict[str, int] = {}
    at = [places.setdefault(value, len(places)) for value in values]
    return {"words": [coloured(isolated(word), theme) for word in places], "at": at}
