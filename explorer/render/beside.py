"""What stands around the area: names of rows and columns, titles, notes, colour bars, a legend."""

from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from explorer.render import cells, hatch
from explorer.render.axes import Axis, even_ticks, written
from explorer.render.markup import at, element, share, stroke, text, words
from explorer.render.scene import Part, Scene
from explorer.render.text import LINE, lines_of, width_of

_OFF: Final = 12  # pixels from the area to a colour bar
_BESIDE: Final = 4  # pixels from a colour bar to its numbers
_SHORTEST: Final = 24  # pixels of a colour bar
_ACROSS: Final = {"left": 0.0, "center": 0.5, "right": 1.0}


def names(scene: Scene, letter: str) -> Iterator[str]:
    """What the rows ("y") or the columns ("x") are called."""
    for axis in scene.axes.values():
        ticks = axis.ticks(scene.pixels(axis), scene.separators)
        if axis.letter != letter or not ticks:
            continue
        font, off = scene.font(axis.layout.get("tickfont")), axis.layout["ticklabelstandoff"]
        if letter == "y":
            rows = (text(name, str(-off), share(y)) for y, name in ticks)
            yield words(rows, font, 1.0, "names")
            continue
        above = axis.layout.get("side") == "top"
        edge = "0" if above else "100%"
        if _is_upright(scene, axis, ticks):
            shift, across = (off, 0.0) if above else (-off, 1.0)
            turned = (at(share(x), edge, text(n, str(shift), "0", turned=True)) for x, n in ticks)
            yield words(turned, font, across, "names")
        else:
            down = (-1 if above else 1) * (off + 0.65 * font["size"])
            lying = (text(n, share(x), edge, down=down) for x, n in ticks)
            yield words(lying, font, 0.5, "names")


def titles(scene: Scene) -> Iterator[str]:
    """What the axes are called."""
    margin = scene.layout["margin"]
    for axis in scene.axes.values():
        title = axis.layout.get("title") or {}
        if not title.get("text"):
            continue
        font, above = scene.font(title["font"]), axis.layout.get("side") == "top"
        size = font["size"]
        room = margin["l"] if axis.letter == "y" else margin["t"] if above else margin["b"]
        out = _depth(scene, axis) + title.get("standoff", 8) + 0.55 * size
        out = min(out, room - 0.65 * size)
        if axis.letter == "y":
            middle = share((axis.start + axis.end) / 2)
            yield words([at("0", middle, text(title["text"], "0", str(-out), turned=True))], font)
        elif above:
            yield words([text(title["text"], "50%", "0", down=-out)], font)
        else:
            yield words([text(title["text"], "50%", "100%", down=out)], font)


def note(scene: Scene, about: Part) -> str:
    """A text somewhere on the picture."""
    font = scene.font(about.get("font"))
    x = about["x"] if about.get("xref") == "paper" else scene.axes["x"].share(about["x"])
    y = 1 - about["y"] if about.get("yref") == "paper" else scene.axes["y"].share(about["y"])
    half = len(lines_of(about["text"])) * LINE * font["size"] / 2 + 2
    down = {"bottom": -half, "middle": 0.0, "top": half}[about.get("yanchor") or "middle"]
    across = _ACROSS[about.get("xanchor") or "center"]
    aside = about.get("xshift", 0) + (0 if across else 2)
    said = text(about["text"], str(aside), "0", down=down - about.get("yshift", 0))
    return words([at(share(x), share(y), said)], font, across)


def bar_texts(scene: Scene, trace: Part) -> Iterator[str]:
    """The texts beyond the ends of bars; that of a long bar lies outside of the axes."""
    across, down = scene.axes_of(trace)
    for left in (False, True):
        texts = [
            at(
                share(across.share(float(x))),
                share(down.share(y)),
                text(said, "-4" if left else "4", "0"),
            )
            for x, y, said in zip(trace["x"], trace["y"], trace["text"], strict=True)
            if (x < 0) == left
        ]
        if texts:
            yield words(texts, scene.font(trace["textfont"]), float(left))


def color_bar(scene: Scene, trace: Part) -> str:
    """The colours of a heatmap with their numbers, at the right of the area."""
    bar, low, high = trace["colorbar"], trace["zmin"], trace["zmax"]
    title, numbers = scene.font(bar["title"]["font"]), scene.font(bar["tickfont"])
    top = 10 + (1.9 * title["size"] if bar["title"]["text"] else 0)
    long = scene.down - 10 - top
    if long < _SHORTEST:
        return ""
    shades = np.linspace(high, low, 64)[:, None]
    image = element(
        "image",
        x=_OFF,
        y=top,
        width=bar["thickness"],
        height=long,
        preserveAspectRatio="none",
        href=cells.png(cells.pixels(shades, trace["colorscale"], low, high)),
    )
    ticks = even_ticks(low, high, long, "y")
    beside = str(_OFF + bar["thickness"] + _BESIDE)
    places = (f"{top + (high - value) / (high - low) * long:.1f}" for value in ticks)
    said = (
        text(written(value, ticks, scene.separators), beside, place)
        for value, place in zip(ticks, places, strict=True)
    )
    named = text(bar["title"]["text"], str(_OFF), f"{top - 1.4 * title['size']:.1f}")
    return at("100%", "0", image, words(said, numbers, 0.0), words([named], title, 0.0))


def has_bar(trace: Part) -> bool:
    """Whether a trace has a colour bar."""
    return bool(trace["type"] == "heatmap" and trace.get("showscale") is not False)


def room_for_bar(trace: Part, separators: str) -> float:
    """Pixels that a trace's colour bar needs at the right of the area."""
    if not has_bar(trace):
        return 0.0
    bar = trace["colorbar"]
    ticks = even_ticks(trace["zmin"], trace["zmax"], 300, "y")
    widths = (width_of(written(v, ticks, separators), bar["tickfont"]["size"]) for v in ticks)
    numbers = float(bar["thickness"]) + _BESIDE + max(widths, default=0.0)
    named = width_of(bar["title"]["text"], bar["title"]["font"]["size"])
    return _OFF + max(numbers, named) + 2


def legend(scene: Scene) -> str:
    """The names of colours or lines, if they are shown, side by side above or below the area."""
    if not scene.layout.get("showlegend"):
        return ""
    font, left, parts = scene.font(), 0.0, []
    for trace in scene.data:
        if trace["type"] != "scatter" or trace.get("showlegend") is False or not trace.get("name"):
            continue
        if "lines" in trace["mode"]:
            side = 26.0
            ends = {"x1": left, "x2": left + side, "y1": 0, "y2": 0}
            parts.append(element("line", **ends, **stroke(trace["line"])))
        else:
            side, color = float(trace["marker"]["size"]), trace["marker"]["color"]
            square: dict[str, Any] = {"x": left, "y": -side / 2, "width": side, "height": side}
            if "hatch" in (trace.get("meta") or {}):
                code, lines = trace["meta"]["code"], trace["meta"]["hatch"]
                name = f"hatch-{lines[1:]}"
                parts.append(hatch.pattern(name, code, lines))
                square |= {"fill": f"url(#{name}-{code})", "stroke": lines}
            parts.append(element("rect", **{"fill": color} | square))
        parts.append(text(trace["name"], f"{left + side + 6:.0f}", "0"))
        left += side + width_of(trace["name"], font["size"]) + 22
    times = min(1.0, scene.across / left) if left else 1.0
    above = scene.layout["legend"].get("yanchor") == "bottom"
    y, down = ("0", -16.0) if above else ("100%", scene.layout["margin"]["b"] / 2)
    moved = f"translate(0 {down:.0f}) scale({times:.3f})"
    # The script that fits the picture scales it anew.
    about = {"class": "legend", "data_width": round(left), "data_down": round(down)}
    return at("0", y, element("g", words(parts, font, 0.0), transform=moved, **about))


def _is_upright(scene: Scene, axis: Axis, ticks: list[tuple[float, str]]) -> bool:
    """Whether the names of columns stand upright: they are to, or would touch."""
    angle = axis.layout.get("tickangle")
    if angle is not None:
        return bool(angle)
    size = scene.font(axis.layout.get("tickfont"))["size"]
    widths = [width_of(name, size) for _, name in ticks]
    return any(
        abs(ticks[n][0] - ticks[n - 1][0]) * scene.across < (widths[n] + widths[n - 1]) / 2 + 3
        for n in range(1, len(ticks))
    )


def _depth(scene: Scene, axis: Axis) -> float:
    """How far the names of rows or columns reach out of the area."""
    ticks = axis.ticks(scene.pixels(axis), scene.separators)
    if not ticks:
        return 0.0
    size, off = scene.font(axis.layout.get("tickfont"))["size"], axis.layout["ticklabelstandoff"]
    if axis.letter == "x" and not _is_upright(scene, axis, ticks):
        return float(off + 1.3 * size)
    return float(off + max(width_of(name, size) for _, name in ticks))
