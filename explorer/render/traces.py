"""The parts inside the axes: heatmaps, curves, bars, and frames."""

from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from explorer.figures.theme import coloured
from explorer.render import cells, hatch
from explorer.render.markup import at, element, share, stroke, text, words
from explorer.render.scene import Part, Scene

_CURVE_UNITS: Final = 1000  # units of the square in which a curve is drawn
_TRANSPARENT: Final = "rgba(0,0,0,0)"  # what plotly calls no colour


def draw_trace(scene: Scene, trace: Part) -> Iterator[str]:
    """A trace of any kind, as SVG."""
    yield from {"heatmap": heatmap, "scatter": curve, "bar": bars}[trace["type"]](scene, trace)


def heatmap(scene: Scene, trace: Part) -> Iterator[str]:
    """A heatmap: its cells as one image, the gaps as lines over it, and the numbers in it."""
    z = np.asarray(trace["z"])
    if not z.size:
        return
    left, right, top, bottom = edges(scene, trace)
    colors = cells.pixels(z, scene.scale(trace), trace["zmin"], trace["zmax"])
    texts = cells.numbers(trace, z, scene.separators)
    rows, columns = z.shape
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
        *_gaps(scene, trace, rows, columns),
        x=share(left),
        y=share(top),
        width=share(right - left),
        height=share(bottom - top),
        viewBox=f"0 0 {columns} {rows}",
        preserveAspectRatio="none",
    )
    meta = trace.get("meta") or {}
    if "hidden" in meta:
        color = coloured(meta["hatch"], scene.theme)
        yield from hatch.over(meta["hidden"], (left, right, top, bottom), color)
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
            yield words(written, {**scene.font(trace.get("textfont")), "color": color})


def edges(scene: Scene, trace: Part) -> tuple[float, float, float, float]:
    """Left, right, top and bottom of a heatmap, as shares; top is where its first row begins."""
    x_axis, y_axis = scene.axes_of(trace)
    rows, columns = np.asarray(trace["z"]).shape
    x0, dx, y0, dy = (trace[name] for name in ("x0", "dx", "y0", "dy"))
    return (
        x_axis.share(x0 - dx / 2),
        x_axis.share(x0 + dx * (columns - 0.5)),
        y_axis.share(y0 - dy / 2),
        y_axis.share(y0 + dy * (rows - 0.5)),
    )


def _gaps(scene: Scene, trace: Part, rows: int, columns: int) -> Iterator[str]:
    for gap, path_data in (
        (trace.get("xgap"), "".join(f"M{n} 0V{rows}" for n in range(1, columns))),
        (trace.get("ygap"), "".join(f"M0 {n}H{columns}" for n in range(1, rows))),
    ):
        if gap and path_data:
            yield element(
                "path",
                d=path_data,
                stroke=scene.layout["plot_bgcolor"],
                stroke_width=gap,
                vector_effect="non-scaling-stroke",
                shape_rendering="crispEdges",
            )


def curve(scene: Scene, trace: Part) -> Iterator[str]:
    """A curve: its line, broken at points that are None; its dots; and the labels beside them."""
    x_axis, y_axis = scene.axes_of(trace)
    segments: list[list[tuple[float, float]]] = [[]]
    for x, y in zip(np.asarray(trace["x"]).tolist(), np.asarray(trace["y"]).tolist(), strict=True):
        if x is None or y is None:
            segments.append([])
        else:
            segments[-1].append((x_axis.share(x), y_axis.share(y)))
    points = [point for segment in segments for point in segment]
    mode = trace.get("mode", "")
    if "lines" in mode:
        yield _line(segments, trace)
    if "markers" in mode and points:
        yield _dots(points, trace)
    if "text" in mode:
        font = scene.font(trace["textfont"])
        for number, (x, y) in enumerate(points):
            beside = _of_point(trace["marker"]["size"], number) / 2 + 4
            label = at(share(x), share(y), text(trace["text"][number], f"{beside:g}", "0"))
            yield words([label], {**font, "color": _of_point(font["color"], number)}, 0.0)


def _line(segments: list[list[tuple[float, float]]], trace: Part) -> str:
    """Lines in a square that is stretched over the plot area; their width stays the same."""
    path_data = "".join(
        "M" + "L".join(f"{_CURVE_UNITS * x:.1f} {_CURVE_UNITS * y:.1f}" for x, y in segment)
        for segment in segments
        if len(segment) > 1
    )
    path = element(
        "path",
        d=path_data,
        fill="none",
        vector_effect="non-scaling-stroke",
        opacity=trace.get("opacity"),
        **stroke(trace["line"]),
    )
    square = f"0 0 {_CURVE_UNITS} {_CURVE_UNITS}"
    return element("svg", path, viewBox=square, preserveAspectRatio="none", overflow="visible")


def _dots(points: list[tuple[float, float]], trace: Part) -> str:
    marker = trace.get("marker") or {}
    color = marker.get("color") or trace["line"]["color"]
    dots = (
        element(
            "circle",
            cx=share(x),
            cy=share(y),
            r=_of_point(marker["size"], number) / 2,
            fill=_of_point(color, number),
        )
        for number, (x, y) in enumerate(points)
    )
    return element("g", *dots)


def bars(scene: Scene, trace: Part) -> Iterator[str]:
    """Horizontal bars, from 0 or from a base of their own; some are only an outline."""
    x_axis, y_axis = scene.axes_of(trace)
    half, marker = trace["width"] / 2, trace["marker"]
    outline = stroke(marker["line"]) if marker.get("line") else {}
    for number, (x, y) in enumerate(zip(trace["x"], trace["y"], strict=True)):
        begin = begin_of(trace, number)
        ends = x_axis.share(begin), x_axis.share(begin + float(x))
        top, bottom = sorted((y_axis.share(y - half), y_axis.share(y + half)))
        color = _of_point(marker["color"], number)
        yield element(
            "rect",
            x=share(min(ends)),
            y=share(top),
            width=share(abs(ends[1] - ends[0])),
            height=share(bottom - top),
            fill="none" if color == _TRANSPARENT else color,
            **outline,
        )


def begin_of(trace: Part, number: int) -> float:
    """Where a bar begins."""
    return float(trace["base"][number]) if trace.get("base") is not None else 0.0


def _of_point(value: Any, number: int) -> Any:
    """The value for one point: it may be given for all of them, or for each."""
    return value[number] if isinstance(value, list) else value


def shape(scene: Scene, about: Part) -> str:
    """A frame, or a line from edge to edge."""
    x, y = scene.axes["x"], scene.axes["y"]
    left, right = sorted(x.share(about[side]) for side in ("x0", "x1"))
    paper = about.get("yref") == "paper"
    top, bottom = sorted(
        1 - about[side] if paper else y.share(about[side]) for side in ("y0", "y1")
    )
    if about["type"] == "line":
        ends = {"x1": share(left), "x2": share(right), "y1": share(top), "y2": share(bottom)}
        return element("line", **ends, **stroke(about["line"]))
    return element(
        "rect",
        x=share(left),
        y=share(top),
        width=share(right - left),
        height=share(bottom - top),
        fill=about.get("fillcolor") or "none",
        **stroke(about["line"]),
    )


def grid(scene: Scene) -> Iterator[str]:
    """Lines at the ticks of each axis that shows a grid."""
    for axis in scene.axes.values():
        if not axis.layout.get("showgrid"):
            continue
        color = axis.layout["gridcolor"]
        for place, _ in axis.ticks(scene.pixels(axis), scene.separators):
            where = share(place)
            if axis.letter == "x":
                yield element("line", x1=where, x2=where, y1="0", y2="100%", stroke=color)
            else:
                yield element("line", x1="0", x2="100%", y1=where, y2=where, stroke=color)
