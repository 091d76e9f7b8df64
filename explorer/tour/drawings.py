"""A small drawing for each stop of the tour: what one sees there, in the same colours."""

from collections.abc import Iterable
from math import cos, pi
from typing import Final

WIDTH: Final = 96
HEIGHT: Final = 60


def drawing(name: str) -> str:
    """The drawing as SVG, for the eye alone: the stop's question stands beside it."""
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" '
        f'aria-hidden="true">{DRAWINGS[name]}</svg>'
    )


def _box(x: float, y: float, width: float, height: float, kind: str, strength: float = 1) -> str:
    return (
        f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="1.5" '
        f'class="{kind}" fill-opacity="{strength:g}"/>'
    )


def _line(points: Iterable[tuple[float, float]], kind: str, strength: float = 1) -> str:
    path = " ".join(f"{x:g},{y:g}" for x, y in points)
    return f'<polyline points="{path}" class="{kind} line" stroke-opacity="{strength:g}"/>'


def _text(x: float, y: float, label: str) -> str:
    return f'<text x="{x:g}" y="{y:g}">{label}</text>'


def _grid(x: float, y: float, side: float, rows: Iterable[Iterable[float]], kind: str) -> str:
    """Weights, from 0 to 1, as squares of this side."""
    return "".join(
        _box(x + side * column, y + side * row, side - 1, side - 1, kind, 0.12 + 0.88 * weight)
        for row, weights in enumerate(rows)
        for column, weight in enumerate(weights)
    )


def _pieces() -> str:
    words = [(6, 30, "learn", 812), (39, 18, "er", 97), (60, 30, "sings", 4051)]
    return "".join(
        _box(x, 13, width, 16, "quiet")
        + _text(x + width / 2, 24, word)
        + _text(x + width / 2, 46, str(number))
        for x, width, word, number in words
    )


def _embedding() -> str:
    row = (0.8, -0.4, 0.2, -0.9, 0.5, 0.1, -0.6, 0.9)
    cells = (
        _box(6 + 10.6 * at, 32, 9.6, 16, "gold" if number > 0 else "violet", abs(number))
        for at, number in enumerate(row)
    )
    return _text(48, 19, "812") + _line([(48, 22), (48, 28)], "ink") + "".join(cells)


def _positions() -> str:
    return "".join(
        _line(
            [(6 + x, 30 - 18 * cos(2 * pi * turns * x / 84)) for x in range(0, 85, 2)],
            "encoder",
            strength,
        )
        for turns, strength in ((3.5, 1), (1.5, 0.55), (0.5, 0.3))
    )


def _one_weight() -> str:
    keys = [(8, 0.25), (30, 1.0), (52, 0.1), (74, 0.45)]
    return (
        _box(39, 6, 18, 13, "encoder")
        + "".join(_line([(48, 19), (x + 7, 40)], "encoder", weight) for x, weight in keys)
        + "".join(_box(x, 40, 14, 13, "encoder", weight) for x, weight in keys)
    )


def _many_heads() -> str:
    jobs = ((0, 0), (1, 0), (0, 1), (0, -1))  # each query attends to one relative position
    return "".join(
        _grid(
            7 + 44 * (head % 2),
            5 + 27 * (head // 2),
            6,
            [
                [float(column == (0 if first else row + shift)) for column in range(6)]
                for row in range(4)
            ],
            "encoder",
        )
        for head, (first, shift) in enumerate(jobs)
    )


def _masks() -> str:
    rows = [[float(column <= row) for column in range(5)] for row in range(5)]
    return _grid(23, 5, 10, rows, "decoder")


def _layers() -> str:
    guesses = (0.15, 0.3, 0.55, 1.0)
    return _line([(48, 56), (48, 4)], "ink", 0.4) + "".join(
        _box(14, 46 - 13 * layer, 68, 9, "decoder", sure) for layer, sure in enumerate(guesses)
    )


def _translation() -> str:
    places = (6, 28, 50, 72)
    goes = zip(places, (6, 28, 72, 50), strict=True)
    return (
        "".join(_line([(upper + 9, 17), (lower + 9, 43)], "cross") for upper, lower in goes)
        + "".join(_box(x, 7, 18, 10, "encoder") for x in places)
        + "".join(_box(x, 43, 18, 10, "decoder") for x in places)
    )


def _choosing() -> str:
    bars = enumerate((72, 22, 12, 6))
    return "".join(
        _box(10, 6 + 13 * at, width, 9, "ink" if at == 0 else "quiet") for at, width in bars
    )


def _search() -> str:
    kept = [(8, 30), (34, 14), (60, 22), (88, 10)]
    others = [[(8, 30), (34, 46), (60, 40), (88, 48)], [(34, 14), (60, 6)], [(34, 46), (60, 54)]]
    dots = {*kept, *(dot for way in others for dot in way)}
    return (
        "".join(_line(way, "ink", 0.35) for way in others)
        + _line(kept, "ink")
        + "".join(f'<circle cx="{x}" cy="{y}" r="3" class="ink"/>' for x, y in sorted(dots))
    )


def _learning() -> str:
    falls = [(10 + x, 8 + 40 * (1 - 0.955**x)) for x in range(0, 79, 2)]
    return _line([(10, 4), (10, 54), (90, 54)], "ink", 0.4) + _line(falls, "ink")


def _mattering() -> str:
    parts = (26, -12, 8, 34, -6)
    return _line([(40, 4), (40, 56)], "ink", 0.4) + "".join(
        _box(40 + min(part, 0), 6 + 10 * at, abs(part), 7, "gold" if part > 0 else "violet")
        for at, part in enumerate(parts)
    )


def _feed_forward() -> str:
    rows = ((8, 3), (24, 6), (44, 3))
    return "".join(
        _box(48 - 8 * count + 16 * at, y, 13, 9, "quiet" if (at + y) % 3 else "ink")
        for y, count in rows
        for at in range(count)
    )


# By the function that writes the stop's answer.
DRAWINGS: Final = {
    "pieces": _pieces(),
    "embedding": _embedding(),
    "positions": _positions(),
    "one_weight": _one_weight(),
    "many_heads": _many_heads(),
    "masks": _masks(),
    "layers": _layers(),
    "translation": _translation(),
    "choosing": _choosing(),
    "search": _search(),
    "learning": _learning(),
    "mattering": _mattering(),
    "feed_forward": _feed_forward(),
}
