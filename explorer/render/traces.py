"""The parts inside the axes: cells, curves, bars, and frames."""

from collections.abc import Iterator, Sequence
from typing import Final, TypeVar

import numpy as np

from explorer.drawing.drawing import Bars, Cells, Curve, Frame, Line, Part, Stroke
from explorer.drawing.theme import INK, coloured
from explorer.render import cells, hatch
from explorer.render.markup import at, element, share, stroke, text, words
from explorer.render.scene import Scene

_CURVE_UNITS: Final = 1000  # units of the square in which a curve is drawn
Each = TypeVar("Each", str, float)


def part(scene: Scene, about: Part) -> Iterator[str]:
    """A part of any kind, as SVG."""
    if isinstance(about, Cells):
        return heatmap(scene, about)
    return curve(scene, about) if isinstance(about, Curve) else bars(scene, about)


def heatmap(scene: Scene, about: Cells) -> Iterator[str]:
    """Cells as one image, the gaps as lines over it, and what is written in them."""
    if not about.values.size:
        return
    left, right, top, bottom = box = scene.drawing.box(about)
    scale = about.colors
    colors = cells.pixels(about.drawn, scene.colors(scale), scale.low, scale.high)
    texts = cells.written(about, scene.drawing.separators)
    rows, columns = about.values.shape
    image = element(
        "image",
        width=columns,
        height=rows,
        preserveAspectRatio="none",
        style="image-rendering:pixelated",
        href=cells.png(colors),
    )
    yield element(
        "svg",
        image,
        *_gaps(about),
        x=share(left),
        y=share(top),
        width=share(right - left),
        height=share(bottom - top),
        viewBox=f"0 0 {columns} {rows}",
        preserveAspectRatio="none",
    )
    if about.codes is not None:
        yield from hatch.over(about.codes, box, coloured(about.hatch, scene.theme))
    if texts is None:
        return
    xs = [share(left + (n + 0.5) / columns * (right - left)) for n in range(columns)]
    ys = [share(top + (n + 0.5) / rows * (bottom - top)) for n in range(rows)]
    dark = cells.needs_black_text(colors)
    for color, chosen in (("#000000", dark), ("#ffffff", ~dark)):
        written = [
            text(texts[row][column], xs[column], ys[row])
            for row, column in np.argwhere(chosen).tolist()
            if texts[row][column]
        ]
        if written:
            yield words(written, about.size, color)


def _gaps(about: Cells) -> Iterator[str]:
    rows, columns = about.values.shape
    across, down = about.gaps
    for gap, path_data in (
        (across, "".join(f"M{n} 0V{rows}" for n in range(1, columns))),
        (down, "".join(f"M0 {n}H{columns}" for n in range(1, rows))),
    ):
        if gap and path_data:
            yield element(
                "path",
                d=path_data,
                stroke=INK.background,
                stroke_width=gap,
                vector_effect="non-scaling-stroke",
                shape_rendering="crispEdges",
            )


def curve(scene: Scene, about: Curve) -> Iterator[str]:
    """A curve: its line, broken where there is no number; its dots; and the labels beside them."""
    x_axis, y_axis = scene.drawing.main_axes
    xs, ys = x_axis.share(about.x.astype(float)), y_axis.share(about.y.astype(float))
    if about.line is not None:
        yield _line(xs, ys, about, about.line)
    if not about.sizes:
        return
    places = list(enumerate(zip(map(share, xs.tolist()), map(share, ys.tolist()), strict=True)))
    color = about.colors or (about.line.color if about.line else "")
    radii = [_of_point(about.sizes, number) / 2 for number, _ in places]
    dots = (
        element("circle", cx=x, cy=y, r=radii[number], fill=_of_point(color, number))
        for number, (x, y) in places
    )
    if places:
        yield element("g", *dots)
    for number, (x, y) in places if about.labels else ():
        label = at(x, y, text(about.labels[number], f"{radii[number] + 4:g}", "0"))
        yield words([label], 11, about.label_colors[number], 0.0)


def _line(xs: np.ndarray, ys: np.ndarray, about: Curve, line: Line) -> str:
    """Lines in a square that is stretched over the plot area; their width stays the same."""
    segments: list[list[str]] = [[]]
    for x, y in zip((_CURVE_UNITS * xs).tolist(), (_CURVE_UNITS * ys).tolist(), strict=True):
        if x == x and y == y:
            segments[-1].append(f"{x:.1f} {y:.1f}")
        else:
            segments.append([])
    path = element(
        "path",
        d="".join("M" + "L".join(segment) for segment in segments if len(segment) > 1),
        fill="none",
        vector_effect="non-scaling-stroke",
        opacity=about.opacity,
        **stroke(line),
    )
    square = f"0 0 {_CURVE_UNITS} {_CURVE_UNITS}"
    return element("svg", path, viewBox=square, preserveAspectRatio="none", overflow="visible")


def _of_point(value: Each | Sequence[Each], number: int) -> Each:
    """The value for one point: it may be given for all of them, or for each."""
    return value if isinstance(value, str | float | int) else value[number]


def bars(scene: Scene, about: Bars) -> Iterator[str]:
    """Horizontal bars, from 0 or from a place of their own; some are only an outline."""
    x_axis, y_axis = scene.drawing.main_axes
    outline = stroke(about.outline) if about.outline else {}
    for row, value in enumerate(about.values.tolist()):
        begin = about.begin(row)
        ends = x_axis.share(begin), x_axis.share(begin + value)
        top, bottom = y_axis.share(row - about.width / 2), y_axis.share(row + about.width / 2)
        yield element(
            "rect",
            x=share(min(ends)),
            y=share(top),
            width=share(abs(ends[1] - ends[0])),
            height=share(bottom - top),
            fill=about.colors[row] if about.colors else "none",
            **outline,
        )


def mark(scene: Scene, about: Frame | Stroke) -> str:
    """A frame, or a line from edge to edge."""
    x, y = scene.drawing.main_axes
    if isinstance(about, Stroke):
        (x1, y1), (x2, y2) = about.start, about.end
        downs = (y1, y2) if about.is_share else (y.share(y1), y.share(y2))
        ends = {"x1": share(x.share(x1)), "x2": share(x.share(x2))}
        ends |= {"y1": share(downs[0]), "y2": share(downs[1])}
        return element("line", **ends, **stroke(about.line))
    left, right = map(x.share, about.across)
    top, bottom = map(y.share, about.down)
    return element(
        "rect",
        x=share(left),
        y=share(top),
        width=share(right - left),
        height=share(bottom - top),
        fill=about.fill or "none",
        **stroke(about.line),
    )


def grid(scene: Scene) -> Iterator[str]:
    """Lines at the names of each axis that has them."""
    for axis in scene.drawing.axes:
        for place, _ in scene.ticks(axis) if axis.lines else ():
            where = share(place)
            ends = {"x1": where, "x2": where, "y1": "0", "y2": "100%"}
            if axis.letter == "y":
                ends = {"x1": "0", "x2": "100%", "y1": where, "y2": where}
            yield element("line", **ends, stroke=INK.line)
