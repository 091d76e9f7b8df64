"""The parts around the area: names of rows and columns, titles, notes, colour bars, a legend."""

import math
from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from explorer.figures.labels import SLANT, slanted_height
from explorer.figures.theme import coloured
from explorer.render import cells, hatch
from explorer.render.axes import Axis, even_ticks, tick_label
from explorer.render.markup import at, element, share, stroke, text, words
from explorer.render.scene import Part, Scene
from explorer.render.text import LINE, lines_of, width_of
from explorer.render.traces import begin_of

_BAR_GAP: Final = 12  # pixels from the area to a colour bar
_NUMBERS_GAP: Final = 4  # pixels from a colour bar to its numbers
_MIN_BAR: Final = 24  # pixels of a colour bar
_ANCHORS: Final = {"left": 0.0, "center": 0.5, "right": 1.0}


def names(scene: Scene, letter: str) -> Iterator[str]:
    """The names of the rows ("y") or of the columns ("x")."""
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
        edge, sign = ("0", -1) if above else ("100%", 1)
        lines = max(len(lines_of(name)) for _, name in ticks)
        level = f"translate(0 {sign * (off + LINE / 2 * lines * font['size']):g})"
        spare = scene.layout["meta"].get("spare") if above else None
        if not _may_slant(scene, axis, ticks):
            columns = (_moved_label(x, edge, name, level) for x, name in ticks)
            yield words(columns, font, 0.5, "names", data_spare=spare)
            continue
        shift = round(LINE / 4 * (lines - 1) * font["size"], 1)  # so that the last line stays out
        slanted = f"translate(0 {sign * (off + shift):g}) rotate({-SLANT})"
        is_level = scene.width >= _min_level_width(scene, axis, ticks)
        yield words(
            (_moved_label(x, edge, name, level if is_level else slanted) for x, name in ticks),
            font,
            0.5 if is_level else 0.0 if above else 1.0,
            "names turns",
            # The script that fits the picture to the screen chooses again.
            data_from=math.ceil(_min_level_width(scene, axis, ticks)),
            data_level=level,
            data_slanted=slanted,
            data_anchor="start" if above else "end",
            data_spare=spare,
        )


def titles(scene: Scene) -> Iterator[str]:
    """The titles of the axes."""
    margin = scene.layout["margin"]
    for axis in scene.axes.values():
        title = axis.layout.get("title") or {}
        if not title.get("text"):
            continue
        font, above = scene.font(title["font"]), axis.layout.get("side") == "top"
        size = font["size"]
        room = margin["l"] if axis.letter == "y" else margin["t"] if above else margin["b"]
        off = title.get("standoff", 8) + 0.55 * size
        out, low = (min(depth + off, room - 0.65 * size) for depth in _outer_sizes(scene, axis))
        if axis.letter == "y":
            middle = share((axis.start + axis.end) / 2)
            yield words([at("0", middle, text(title["text"], "0", str(-out), turned=True))], font)
            continue
        ticks = axis.ticks(scene.pixels(axis), scene.separators)
        is_level = bool(ticks) and scene.width >= _min_level_width(scene, axis, ticks)
        up, down = (f"translate(0 {-by if above else by:g})" for by in (low, out))
        turned = {"class": "turns", "data_from": math.ceil(_min_level_width(scene, axis, ticks))}
        turned |= {"data_level": up, "data_slanted": down}
        x = 0.0 if above else 0.5  # in sight also where the picture is wider than the screen
        label = _moved_label(x, "0" if above else "100%", title["text"], up if is_level else down)
        yield element("g", words([label], font, x), **turned if low < out else {})


def note(scene: Scene, about: Part) -> str:
    """A text somewhere on the picture."""
    font = scene.font(about.get("font"))
    x = about["x"] if about.get("xref") == "paper" else scene.axes["x"].share(about["x"])
    y = 1 - about["y"] if about.get("yref") == "paper" else scene.axes["y"].share(about["y"])
    half = len(lines_of(about["text"])) * LINE * font["size"] / 2 + 2
    down = {"bottom": -half, "middle": 0.0, "top": half}[about.get("yanchor") or "middle"]
    across = _ANCHORS[about.get("xanchor") or "center"]
    shift = about.get("xshift", 0) + (0 if across else 2)
    label = text(about["text"], str(shift), f"{down - about.get('yshift', 0):g}")
    return words([at(share(x), share(y), label)], font, across)


def bar_texts(scene: Scene, trace: Part) -> Iterator[str]:
    """The texts beyond the ends of bars; that of a long bar lies outside of the axes."""
    x_axis, y_axis = scene.axes_of(trace)
    for left in (False, True):
        texts = [
            at(
                share(x_axis.share(begin_of(trace, number) + float(x))),
                share(y_axis.share(y)),
                text(label, "-4" if left else "4", "0"),
            )
            for number, (x, y, label) in enumerate(
                zip(trace["x"], trace["y"], trace["text"], strict=True)
            )
            if (x < 0) == left
        ]
        if texts:
            # A stroke in the background's colour keeps grid lines away from the letters.
            halo = {"stroke": scene.layout["plot_bgcolor"], "stroke_width": 4}
            font = scene.font(trace["textfont"])
            yield words(texts, font, float(left), paint_order="stroke", **halo)


def color_bar(scene: Scene, trace: Part) -> str:
    """The colours of a heatmap with their numbers, at the right of the area."""
    bar, low, high = trace["colorbar"], trace["zmin"], trace["zmax"]
    title, numbers = scene.font(bar["title"]["font"]), scene.font(bar["tickfont"])
    lines = LINE * len(lines_of(bar["title"]["text"])) * title["size"]
    top = 10 + (lines + 0.6 * title["size"] if bar["title"]["text"] else 0)
    long = scene.height - 10 - top
    if long < _MIN_BAR:
        return ""
    shades = np.linspace(high, low, 64)[:, None]
    image = element(
        "image",
        x=_BAR_GAP,
        y=top,
        width=bar["thickness"],
        height=long,
        preserveAspectRatio="none",
        href=cells.png(cells.pixels(shades, scene.scale(trace), low, high)),
    )
    ticks = even_ticks(low, high, long, "y")
    beside = str(_BAR_GAP + bar["thickness"] + _NUMBERS_GAP)
    places = (f"{top + (high - value) / (high - low) * long:.1f}" for value in ticks)
    labels = (
        text(tick_label(value, ticks, scene.separators), beside, place)
        for value, place in zip(ticks, places, strict=True)
    )
    middle = top - lines / 2 - 0.75 * title["size"]
    named = text(bar["title"]["text"], str(_BAR_GAP), f"{middle:.1f}")
    return at("100%", "0", image, words(labels, numbers, 0.0), words([named], title, 0.0))


def has_bar(trace: Part) -> bool:
    """Whether a trace has a colour bar."""
    return bool(trace["type"] == "heatmap" and trace.get("showscale") is not False)


def room_for_bar(trace: Part, separators: str) -> float:
    """Pixels that a trace's colour bar needs at the right of the area."""
    if not has_bar(trace):
        return 0.0
    bar = trace["colorbar"]
    ticks = even_ticks(trace["zmin"], trace["zmax"], 300, "y")
    widths = (width_of(tick_label(v, ticks, separators), bar["tickfont"]["size"]) for v in ticks)
    numbers = float(bar["thickness"]) + _NUMBERS_GAP + max(widths, default=0.0)
    named = width_of(bar["title"]["text"], bar["title"]["font"]["size"])
    return _BAR_GAP + max(numbers, named) + 2


def legend(scene: Scene) -> str:
    """The names of colours or lines, if they are shown, side by side above or below the area."""
    if not scene.layout.get("showlegend"):
        return ""
    font, left, entries = scene.font(), 0.0, []
    for trace in scene.data:
        if trace["type"] != "scatter" or trace.get("showlegend") is False or not trace.get("name"):
            continue
        parts = []
        if "lines" in trace["mode"]:
            side = 26.0
            parts.append(element("line", x1=0, x2=side, y1=0, y2=0, **stroke(trace["line"])))
        else:
            side, color = float(trace["marker"]["size"]), trace["marker"]["color"]
            square: dict[str, Any] = {"y": -side / 2, "width": side, "height": side}
            if "hatch" in (trace.get("meta") or {}):
                code, lines = trace["meta"]["code"], coloured(trace["meta"]["hatch"], scene.theme)
                name = f"hatch-{lines[1:]}"
                parts.append(hatch.pattern(name, code, lines))
                square |= {"fill": f"url(#{name}-{code})", "stroke": lines}
            parts.append(element("rect", **{"fill": color} | square))
        parts.append(text(trace["name"], f"{side + 6:.0f}", "0"))
        at_left = f"translate({left:.0f} 0)"
        entries.append(element("g", *parts, transform=at_left, data_left=round(left)))
        left += side + width_of(trace["name"], font["size"]) + 22
    times = min(1.0, scene.width / left) if left else 1.0
    above = scene.layout["legend"].get("yanchor") == "bottom"
    y, down = ("0", -16.0) if above else ("100%", scene.layout["margin"]["b"] / 2)
    moved = f"translate(0 {down:.0f}) scale({times:.3f})"
    # The script that fits the picture to the screen scales it, or breaks it into two rows.
    about = {"class": "legend", "data_width": round(left), "data_down": round(down)}
    return at("0", y, element("g", words(entries, font, 0.0), transform=moved, **about))


def _moved_label(x: float, y: str, label: str, transform: str) -> str:
    """A label at a share of the area's width, moved by a transform."""
    return at(share(x), y, element("g", text(label, "0", "0"), transform=transform))


def _min_level_width(scene: Scene, axis: Axis, ticks: list[tuple[float, str]]) -> float:
    """The least width of the area at which level names of columns do not touch."""
    size = scene.font(axis.layout.get("tickfont"))["size"]
    widths = [width_of(name, size) for _, name in ticks]
    return max(
        (
            ((widths[n] + widths[n - 1]) / 2 + 3) / max(1e-9, abs(ticks[n][0] - ticks[n - 1][0]))
            for n in range(1, len(ticks))
        ),
        default=0.0,
    )


def _may_slant(scene: Scene, axis: Axis, ticks: list[tuple[float, str]]) -> bool:
    """Whether names of columns must slant when the picture is at its narrowest."""
    margin, least = scene.layout["margin"], scene.layout["meta"]["min_width"]
    narrowest = least - margin["l"] - margin["r"]
    return axis.layout.get("tickangle") != 0 and _min_level_width(scene, axis, ticks) > narrowest


def _outer_sizes(scene: Scene, axis: Axis) -> tuple[float, float]:
    """The pixels that names may need outside of the area; and if no name is slanted."""
    ticks = axis.ticks(scene.pixels(axis), scene.separators)
    if not ticks:
        return 0.0, 0.0
    size, off = scene.font(axis.layout.get("tickfont"))["size"], axis.layout["ticklabelstandoff"]
    longest = max(width_of(name, size) for _, name in ticks)
    level = float(off + 1.3 * size)
    if axis.letter == "y":
        return off + longest, off + longest
    return (
        off + slanted_height(longest) + size / 2 if _may_slant(scene, axis, ticks) else level
    ), level
