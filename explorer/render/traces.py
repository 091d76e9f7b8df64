"""What is drawn inside of the axes: heatmaps, curves, bars, and frames."""

from collections.abc import Iterator
from typing import Final

import numpy as np

from explorer.render import cells
from explorer.render.markup import element, share, stroke, text, words
from explorer.render.scene import Part, Scene

_FINE: Final = 1000  # units of a curve's own square


def drawn(scene: Scene, trace: Part) -> Iterator[str]:
    """A trace, whatever it is."""
    yield from {"heatmap": heatmap, "scatter": curve, "bar": bars}[trace["type"]](scene, trace)


def heatmap(scene: Scene, trace: Part) -> Iterator[str]:
    """Its cells as one image, the gaps as lines over it, and the numbers in it."""
    z = np.asarray(trace["z"])
    if not z.size:
        return
    left, right, top, bottom = edges(scene, trace)
    colors = cells.pixels(z, trace["colorscale"], trace["zmin"], trace["zmax"])
    texts = cells.numbers(trace, z, scene.separators)
    if bottom < top:  # its first row is the lowest
        colors, top, bottom = colors[::-1], bottom, top
        texts = None if texts is None else texts[::-1]
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
    if texts is None:
        return
    across = [share(left + (n + 0.5) / columns * (right - left)) for n in range(columns)]
    down = [share(top + (n + 0.5) / rows * (bottom - top)) for n in range(rows)]
    dark = cells.on_top(colors)
    for color, chosen in (("#000000", dark), ("#ffffff", ~dark)):
        written = [
            text(texts[row][column], across[column], down[row])
            for row, column in np.argwhere(chosen).tolist()
            if texts[row][column]
        ]
        if written:
            yield words(written, {**scene.font(trace.get("textfont")), "color": color})


def edges(scene: Scene, trace: Part) -> tuple[float, float, float, float]:
    """Left, right, top and bottom of a heatmap, as shares; top is where its first row begins."""
    across, down = scene.axes_of(trace)
    rows, columns = np.asarray(trace["z"]).shape
    x0, dx = trace.get("x0") or 0, trace.get("dx") or 1
    y0, dy = trace.get("y0") or 0, trace.get("dy") or 1
    return (
        across.share(x0 - dx / 2),
        across.share(x0 + dx * (columns - 0.5)),
        down.share(y0 - dy / 2),
        down.share(y0 + dy * (rows - 0.5)),
    )


def _gaps(scene: Scene, trace: Part, rows: int, columns: int) -> Iterator[str]:
    for gap, way in (
        (trace.get("xgap"), "".join(f"M{n} 0V{rows}" for n in range(1, columns))),
        (trace.get("ygap"), "".join(f"M0 {n}H{columns}" for n in range(1, rows))),
    ):
        if gap and way:
            yield element(
                "path",
                d=way,
                stroke=scene.layout["plot_bgcolor"],
                stroke_width=gap,
                vector_effect="non-scaling-stroke",
                shape_rendering="crispEdges",
            )


def curve(scene: Scene, trace: Part) -> Iterator[str]:
    """Its line and its dots."""
    across, down = scene.axes_of(trace)
    places = zip(np.asarray(trace["x"]).tolist(), np.asarray(trace["y"]).tolist(), strict=True)
    points = [
        (across.share(x), down.share(y)) for x, y in places if x is not None and y is not None
    ]
    mode, line = trace.get("mode", ""), trace.get("line") or {}
    if "lines" in mode and len(points) > 1:
        # A square that is stretched over the area, whose lines keep their width.
        way = "L".join(f"{_FINE * x:.2f} {_FINE * y:.2f}" for x, y in points)
        path = element(
            "path",
            d=f"M{way}",
            fill="none",
            vector_effect="non-scaling-stroke",
            opacity=trace.get("opacity"),
            **stroke(line),
        )
        square = f"0 0 {_FINE} {_FINE}"
        yield element("svg", path, viewBox=square, preserveAspectRatio="none", overflow="visible")
    if "markers" in mode and points:
        marker = trace.get("marker") or {}
        radius = marker["size"] / 2
        dots = [element("circle", cx=share(x), cy=share(y), r=radius) for x, y in points]
        yield element("g", *dots, fill=marker.get("color") or line["color"])


def bars(scene: Scene, trace: Part) -> Iterator[str]:
    """Bars that lie, each with its text behind its end."""
    across, down = scene.axes_of(trace)
    colors, half = trace["marker"]["color"], trace.get("width", 0.8) / 2
    texts = trace.get("text") or [""] * len(trace["x"])
    written = []
    for number, (x, y) in enumerate(zip(trace["x"], trace["y"], strict=True)):
        left, right = across.share(0.0), across.share(x)
        top, bottom = sorted((down.share(y - half), down.share(y + half)))
        yield element(
            "rect",
            x=share(left),
            y=share(top),
            width=share(right - left),
            height=share(bottom - top),
            fill=colors if isinstance(colors, str) else colors[number],
        )
        written.append(text(f"\u2002{texts[number]}", share(right), share((top + bottom) / 2)))
    yield words(written, scene.font(trace.get("textfont")), 0.0)


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
    """Lines at the numbers of an axis, where it has some."""
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
