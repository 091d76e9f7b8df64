"""Reads a figure as a person does: a cell by the labels of its row and column, a colour by eye."""

from typing import Any

import numpy as np

from explorer.drawing import plotly
from explorer.drawing.drawing import Drawing
from explorer.drawing.theme import LIGHT, Theme

Figure = Drawing | dict[str, Any]


def array(value: Any) -> np.ndarray:
    """The numbers of a picture, which may be nested lists, as an array."""
    return np.asarray(value)


def of_plotly(drawing: Drawing) -> Any:
    """The drawing as a chart of plotly's."""
    return plotly.figure(drawing, LIGHT)


def spec(figure: Figure, theme: Theme = LIGHT) -> dict[str, Any]:
    """The figure as plain dictionaries, in the colours of a theme.

    Its heatmaps also have what plotly does not know: the codes of what is `hidden`, and all values
    that are `told`.
    """
    if not isinstance(figure, Drawing):
        return figure
    found = plotly.spec(figure, theme)
    maps = (trace for trace in found["data"] if trace["type"] == "heatmap")
    for trace, part in zip(maps, figure.cells, strict=True):
        codes = np.zeros(part.values.shape) if part.codes is None else part.codes
        tells = (part.drawn if one.values is None else one.values for one in part.told)
        trace |= {"hidden": codes.tolist(), "told": [np.asarray(told).tolist() for told in tells]}
    return found


def heatmaps(figure: Figure) -> list[dict[str, Any]]:
    """The heatmaps of a figure, in the order in which they were drawn."""
    return [trace for trace in spec(figure)["data"] if trace["type"] == "heatmap"]


def labels(figure: Figure, axis: str) -> dict[float, str]:
    """The tick labels of an axis by their values: "x" for the columns, "y" for the rows."""
    found = spec(figure)["layout"][f"{axis}axis"]
    return dict(zip(array(found["tickvals"]).tolist(), found["ticktext"], strict=True))


def first_row_is_on_top(figure: Figure) -> bool:
    """Whether the first row is on top."""
    first, last = spec(figure)["layout"]["yaxis"]["range"]
    return bool(first > last)


def read_cells(figure: Figure, number: int = 0) -> dict[tuple[str, str], list[float]]:
    """Every value of a heatmap under the two labels that it stands at, (row, column)."""
    trace = heatmaps(figure)[number]
    rows, columns = labels(figure, "y"), labels(figure, "x")
    x0, y0 = trace.get("x0", 0), trace.get("y0", 0)
    cells: dict[tuple[str, str], list[float]] = {}
    for (row, column), value in np.ndenumerate(array(trace["z"])):
        cells.setdefault((rows[y0 + row], columns[x0 + column]), []).append(float(value))
    return cells


def color(trace: dict[str, Any], value: float) -> tuple[int, int, int]:
    """The colour in which a heatmap draws a value: linear between the stops of its scale."""
    low, high = trace["zmin"], trace["zmax"]
    at = min(1.0, max(0.0, (value - low) / (high - low)))
    stops = [(float(place), rgb(text)) for place, text in trace["colorscale"]]
    below = [stop for stop in stops if stop[0] <= at][-1]
    above = below if below[0] == at else next(stop for stop in stops if stop[0] > at)
    share = 0.0 if above[0] == below[0] else (at - below[0]) / (above[0] - below[0])
    r, g, b = (round(a + share * (c - a)) for a, c in zip(below[1], above[1], strict=True))
    return r, g, b


def rgb(text: str) -> tuple[int, int, int]:
    """ "#RRGGBB" as three numbers."""
    r, g, b = bytes.fromhex(text.removeprefix("#"))
    return r, g, b


def hatched(trace: dict[str, Any]) -> np.ndarray:
    """The hatch over every cell of a heatmap, by its code; 0 where there is none."""
    return array(trace["hidden"])
