"""Tables and pictures as CSV that a spreadsheet opens rightly."""

import csv
import io
import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Final, Literal

import numpy as np

from explorer.drawing.drawing import Bars, Cells, Drawing, Part
from explorer.drawing.labels import plain
from explorer.languages import for_programs, without_isolates

Rows = list[list[object]]
DecimalSign = Literal[".", ","]

# What a spreadsheet takes for the start of a formula, also in its full-width form.
_STARTS_FORMULA: Final = tuple("=+-@＝＋－＠\t\r\n")
_MINUS: Final = re.compile(r"−(?=[\d.∞])")


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


def picture_rows(drawing: Drawing) -> Rows:
    """The numbers of a drawing: a block of rows for all that its cells and its points tell.

    Columns that stand beside each other are one block; of a column in two parts, each has what the
    other leaves empty.
    """
    blocks: list[Rows] = []
    for part in drawing.parts:
        for block in _blocks(part):
            if not (blocks and _joins(blocks[-1], block)):
                blocks.append(block)
    rows = [row for block in blocks for row in [[], *block]]
    return rows[1:]


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


def _joins(left: Rows, right: Rows) -> bool:
    """Whether the right block is one column for the rows of the left one, which takes it then.

    It is one more column, or what the last one leaves empty.
    """
    names, more = ([row[:1] for row in block] for block in (left, right))
    if len(right[0]) != 2 or names != more:
        return False
    if left[0][-1] != right[0][1]:
        for row, (_, value) in zip(left, right, strict=True):
            row.append(value)
        return True
    pairs = [(row[-1], value) for row, (_, value) in zip(left[1:], right[1:], strict=True)]
    if not all(mine != mine or other != other for mine, other in pairs):  # one is NaN
        return False
    for row, (mine, other) in zip(left[1:], pairs, strict=True):
        row[-1] = other if mine != mine else mine
    return True


def _blocks(part: Part) -> Iterator[Rows]:
    if isinstance(part, Cells):
        for told in part.tells:
            values = part.drawn if told.values is None else np.asarray(told.values)
            values = values if told.exact is None else told.exact
            corner = " ".join(filter(None, (part.name, told.name)))
            if [corner] == [*map(plain, part.names("x"))]:  # it says so once
                corner = ""
            lines = zip(map(plain, part.names("y")), values.tolist(), strict=True)
            rows = [[name, *map(_number_or_text, line)] for name, line in lines]
            yield [[corner, *map(plain, part.names("x"))], *rows]
    elif isinstance(part, Bars):
        lines = zip(part.rows, part.values.tolist(), strict=True)
        what = part.name or plain(part.tells.name)
        yield [["", what], *([plain(name).strip(), value] for name, value in lines)]
    elif part.tells:
        columns = [np.asarray(told.values).tolist() for told in part.tells]
        rows = [[_number_or_text(column[n]) for column in columns] for n, *_ in part.points]
        yield [[plain(told.name) for told in part.tells], *rows]


def _number_or_text(value: object) -> object:
    return for_programs(plain(value)) if isinstance(value, str) else value
