"""What a picture's cells and points tell, for the script that shows it.

A number is sent as it will be written: 0.1234 as 1234 and four digits.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Final

import numpy as np

from explorer.drawing.drawing import VALUE, Bars, Cells, Curve, Drawing, Quantity
from explorer.drawing.theme import FONT, INK, Theme, coloured
from explorer.languages import isolated

_SHARES: Final = 5  # digits of a share of the area


def hover(drawing: Drawing, theme: Theme) -> dict[str, Any]:
    """The cells of every heatmap and the points of every curve, each with its words.

    `box` is left, right, top and bottom of a heatmap, as shares of the area. A click tells the
    number of a cell's column and row, and the name of its heatmap.
    """
    points = [part for part in drawing.parts if not isinstance(part, Cells)]
    text, background = coloured(INK.text, theme), coloured(INK.background, theme)
    return {
        "maps": [_map(drawing, part, theme) for part in drawing.cells if part.values.size],
        "points": [_points(drawing, part, theme) for part in points if part.tells],
        "separators": drawing.separators,
        "label": {"bgcolor": background, "font": {"family": FONT, "size": 14, "color": text}},
    }


def _map(drawing: Drawing, part: Cells, theme: Theme) -> dict[str, Any]:
    rows, columns = part.values.shape
    lines, fields = list(part.hover), {}
    for number, told in enumerate(part.told):
        name = "z" if told.values is None else f"q{number}"
        values = part.drawn if told.values is None else np.asarray(told.values)
        fields[name] = _field(told, values.ravel().tolist(), theme)
        lines.append(told.line.replace(VALUE, f"%{{{name}}}"))
    template = "<br>".join(lines)
    for letter in ("x", "y"):
        if f"%{{{letter}}}" in template:
            fields[letter] = _words(part.names(letter), theme)
    alike = [word for line in part.alike for word in line]
    words = list(dict.fromkeys(alike))
    return {
        "name": part.name,
        "rows": rows,
        "columns": columns,
        "box": [round(edge, _SHARES) for edge in drawing.box(part)],
        "template": template,
        "fields": fields,
        "blank": np.flatnonzero(np.isnan(part.values.astype(np.float64))).tolist(),
        "pair": part.pair,
        "alike": list(map(words.index, alike)),
        "words": words,
    }


def _points(drawing: Drawing, part: Curve | Bars, theme: Theme) -> dict[str, Any]:
    x_axis, y_axis = drawing.main_axes
    places = list(part.points)
    begins = [part.begin(row) if isinstance(part, Bars) else 0.0 for row, *_ in places]
    shares = (
        (x_axis.share(begin + x), y_axis.share(y))
        for begin, (_, x, y) in zip(begins, places, strict=True)
    )
    return {
        "name": part.name,
        "bars": isinstance(part, Bars),
        "at": [[round(share, _SHARES) for share in point] for point in shares],
        "places": [[x, y] for _, x, y in places],
        "texts": [coloured(part.told(number), theme) for number, *_ in places],
    }


def _field(told: Quantity, values: Sequence[Any], theme: Theme) -> dict[str, Any]:
    if told.digits is None:
        return _words(values, theme)
    whole = np.rint(np.array(values, np.float64) * 10.0**told.digits)
    written = [None if n != n else int(n) if abs(n) < 2**53 else n for n in whole.tolist()]
    return {"digits": told.digits, "plus": told.plus, "numbers": written}


def _words(values: Iterable[object], theme: Theme) -> dict[str, Any]:
    """Each word once, and which of them stands where."""
    places: dict[str, int] = {}
    at = [places.setdefault(str(value), len(places)) for value in values]
    return {"words": [coloured(isolated(word), theme) for word in places], "at": at}
