"""Tables and pictures as CSV that a spreadsheet opens rightly."""

import csv
import html
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any, Final, Literal

import numpy as np

from explorer.figures.labels import TURN
from explorer.languages import for_programs, without_isolates

Spec = Mapping[str, Any]  # a plotly figure as a dict: data and layout
Rows = list[list[object]]
DecimalSign = Literal[".", ","]

# What a spreadsheet takes for the start of a formula, also in its full-width form.
_STARTS_FORMULA: Final = tuple("=+-@＝＋－＠\t\r\n")
_MINUS: Final = re.compile(r"−(?=[\d.∞])")
_TAG: Final = re.compile(r"<[^>]*>")
_SHOWN: Final = re.compile(r"([^<>%{}]*)%\{(z|customdata|text)[:}]")


def to_csv(rows: Sequence[Sequence[object]], decimal: DecimalSign = ".") -> bytes:
    """Rows as CSV in UTF-8, with the mark by which a spreadsheet knows the encoding.

    With commas in its numbers, a file has semicolons between its cells. Texts stay as they are,
    even if they look like numbers: somebody may have typed them. One that a spreadsheet would run
    as a formula gets an apostrophe in front of it.
    """
    text = io.StringIO()
    writer = csv.writer(text, delimiter=";" if decimal == "," else ",")
    writer.writerows([[_cell(value, decimal) for value in row] for row in rows])
    return text.getvalue().encode("utf-8-sig")


def picture_rows(spec: Spec) -> Rows:
    """The numbers of a plotly figure: a block of rows for each heatmap and each curve."""
    rows: Rows = []
    for trace in spec["data"]:
        blocks = _heatmap(trace, spec) if trace.get("type") == "heatmap" else _points(trace, spec)
        for block in blocks:
            rows += [[], *block] if rows else block
    return rows


def plain(label: object) -> str:
    """A label of plotly's, which is a kind of HTML, as text."""
    return html.unescape(_TAG.sub("", str(label).replace(TURN, " ").replace("<br>", ", ")))


def _cell(value: object, decimal: DecimalSign) -> object:
    if isinstance(value, float | np.floating):
        number = f"{value:.7g}" if np.isfinite(value) else "" if np.isnan(value) else str(value)
        return number.replace(".", decimal)
    if isinstance(value, Decimal):
        return str(value).replace(".", decimal)
    if not isinstance(value, str):
        return value
    text = _MINUS.sub("-", without_isolates(value))
    runs = text.startswith(_STARTS_FORMULA) and not _is_number(text)
    return f"'{text}" if runs else text


def _is_number(text: str) -> bool:
    """Whether a spreadsheet reads it as a number."""
    return re.fullmatch(r"[+-]?(\d+[.,]?\d*|[.,]\d+)([eE][+-]?\d+)?|-∞", text) is not None


def _heatmap(trace: Spec, spec: Spec) -> Iterator[Rows]:
    """A block for each quantity that pointing at a cell shows."""
    shown = _SHOWN.findall(trace.get("hovertemplate") or "%{z}")
    if any(field != "text" for _, field in shown):
        shown = [(name, field) for name, field in shown if field != "text"]
    for name, field in shown:
        values = np.asarray(trace[field])
        if values.ndim != 2 or (field == "customdata" and values.dtype.kind == "i"):
            continue  # whole numbers beside a cell say where it is
        rows = _labels(trace, spec, "y", values.shape[0])
        columns = _labels(trace, spec, "x", values.shape[1])
        corner = " ".join(filter(None, (trace.get("name"), name.strip(" :"))))
        yield [
            [corner, *columns],
            *(
                [row, *map(_number_or_text, line)]
                for row, line in zip(rows, values.tolist(), strict=True)
            ),
        ]


def _number_or_text(value: object) -> object:
    return for_programs(plain(value)) if isinstance(value, str) else value


def _points(trace: Spec, spec: Spec) -> Iterator[Rows]:
    """A block with a row for each point of a curve or bar."""
    if trace.get("x") is None or trace.get("y") is None:
        return
    x, y = np.asarray(trace["x"]).tolist(), np.asarray(trace["y"]).tolist()
    if all(value is None for value in (*x, *y)):  # an entry of the legend
        return
    titles = [_axis(trace, spec, side).get("title", {}).get("text") or side for side in "xy"]
    named = [_ticks(trace, spec, side) for side in "xy"]
    yield [
        [trace.get("name") or "", *map(plain, titles)],
        *(
            ["", *(names.get(at, at) for names, at in zip(named, point, strict=True))]
            for point in zip(x, y, strict=False)
            if None not in point
        ),
    ]


def _labels(trace: Spec, spec: Spec, side: str, count: int) -> list[object]:
    """The labels of rows or columns; else their numbers."""
    at = [trace[f"{side}0"] + trace[f"d{side}"] * n for n in range(count)]
    names = _ticks(trace, spec, side)
    return [
        names.get(round(place, 2) if isinstance(place, float) else place, n)
        for n, place in enumerate(at)
    ]


def _ticks(trace: Spec, spec: Spec, side: str) -> dict[object, str]:
    axis = _axis(trace, spec, side)
    places, names = axis.get("tickvals"), axis.get("ticktext")
    if places is None or names is None:
        return {}
    return {
        round(place, 2) if isinstance(place, float) else place: plain(name)
        for place, name in zip(np.asarray(places).tolist(), names, strict=False)
    }


def _axis(trace: Spec, spec: Spec, side: str) -> Spec:
    number = str(trace.get(f"{side}axis") or side)[1:]
    found: Spec = spec["layout"].get(f"{side}axis{number}") or {}
    return found
