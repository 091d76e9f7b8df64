"""Every kind of picture has the same values and names when pointed at, in its table and chart."""

from typing import Any

import numpy as np
import pytest

from explorer.drawing.drawing import Drawing
from explorer.drawing.labels import plain
from explorer.drawing.plotly import figure
from explorer.drawing.theme import LIGHT
from explorer.export.tables import picture_rows
from explorer.languages import without_isolates
from explorer.render.hover import hover
from tests.render.drawings import drawings

WORDS = ["the", "PAD", "cat", "cat"]
DRAWN = list(drawings(WORDS))
EACH = pytest.mark.parametrize("drawing", [d for _, d in DRAWN], ids=[name for name, _ in DRAWN])


def blocks(drawing: Drawing) -> list[list[list[object]]]:
    """The tables of a picture's file: rows up to an empty one."""
    found: list[list[list[object]]] = [[]]
    for row in picture_rows(drawing):
        if row:
            found[-1].append(row)
        else:
            found.append([])
    return found


@EACH
def test_numbers_of_cells(drawing: Drawing) -> None:
    maps = hover(drawing, LIGHT)["maps"]
    charts = [trace for trace in figure(drawing, LIGHT).data if trace.type == "heatmap"]
    assert len(maps) == len(charts)
    tables = iter(blocks(drawing))
    for told, chart in zip(maps, charts, strict=True):
        shape = told["rows"], told["columns"]
        assert np.shape(chart.z) == shape
        if "z" not in told["fields"]:
            continue
        digits = told["fields"]["z"]["digits"]
        numbers = np.array(told["fields"]["z"]["numbers"], float).reshape(shape) / 10**digits
        np.testing.assert_allclose(numbers, chart.z, atol=0.51 * 10**-digits)
        table = next(one for one in tables if len(one) == shape[0] + 1)
        np.testing.assert_allclose(np.array([row[1:] for row in table[1:]], float), chart.z)
        for side, names in (("x", table[0][1:]), ("y", [row[0] for row in table[1:]])):
            if side in told["fields"]:
                words, at = told["fields"][side]["words"], told["fields"][side]["at"]
                said = [without_isolates(plain(words[n])) for n in at]
                assert said == list(map(str, names))


@EACH
def test_places_of_points(drawing: Drawing) -> None:
    charts = [trace for trace in figure(drawing, LIGHT).data if trace.hovertemplate]
    charts = [trace for trace in charts if trace.type != "heatmap"]
    points = hover(drawing, LIGHT)["points"]
    assert len(points) == len(charts)
    for told, chart in zip(points, charts, strict=True):
        wanted = [[x, y] for x, y in zip(chart.x, chart.y, strict=True) if x == x and y == y]
        np.testing.assert_allclose(told["places"], wanted)
        assert told["texts"] == [text for text in chart.customdata if text is not None]


@EACH
def test_what_a_cell_tells(drawing: Drawing) -> None:
    charts = [trace for trace in figure(drawing, LIGHT).data if trace.type == "heatmap"]
    for told, chart in zip(hover(drawing, LIGHT)["maps"], charts, strict=True):
        for (row, column), text in np.ndenumerate(np.array(chart.customdata, object)):
            filled = told["template"]
            for name, field in told["fields"].items():
                at = {"x": column, "y": row}.get(name, row * told["columns"] + column)
                filled = filled.replace(f"%{{{name}}}", said(field, at))
            lines = [line for line in without_isolates(filled).split("<br>") if line]
            assert without_isolates(text).split("<br>")[: len(lines)] == lines


def said(field: dict[str, Any], at: int) -> str:
    """One word or number of a cell, as the script writes it."""
    if "words" in field:
        return str(field["words"][field["at"][at]])
    number, digits = field["numbers"][at], field["digits"]
    if number is None:
        return "nan"
    sign = "−" if number < 0 else field["plus"]
    return f"{sign}{abs(number) / 10**digits:.{digits}f}"
