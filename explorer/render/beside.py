"""The parts around the area: names of rows and columns, titles, notes, colour bars, a legend."""

import math
from collections.abc import Iterator
from textwrap import wrap
from typing import Any, Final

import numpy as np

from explorer.drawing.drawing import Axis, Bars, Drawing, Text
from explorer.drawing.labels import LINE, SLANT, slanted_height
from explorer.drawing.theme import INK, coloured
from explorer.render import cells, hatch
from explorer.render.axes import even_ticks, tick_label
from explorer.render.markup import at, element, share, stroke, text, words
from explorer.render.scene import Scene
from explorer.render.text import lines_of, width_of

_BAR_GAP: Final = 12  # pixels from the area to a colour bar
_NUMBERS_GAP: Final = 4  # pixels from a colour bar to its numbers
_MIN_BAR: Final = 24  # pixels of a colour bar
_BAR: Final = 10  # pixels: its width
_BAR_FONT: Final = 12
_OFF: Final = 3  # pixels from the area to names
FONT_SIZE: Final = 13
Ticks = list[tuple[float, str]]


def names(scene: Scene, letter: str) -> Iterator[str]:
    """The names of the rows ("y") or of the columns ("x")."""
    for axis in scene.drawing.axes:
        ticks = scene.ticks(axis)
        if axis.letter != letter or not ticks:
            continue
        many = "" if axis.many else None
        if letter == "y":
            rows = (text(name, str(-_OFF), share(y)) for y, name in ticks)
            yield words(rows, axis.size, axis.color, 1.0, "names", data_many=many)
            continue
        edge, sign = ("0", -1) if axis.top else ("100%", 1)
        lines = max(len(lines_of(name)) for _, name in ticks)
        level = f"translate(0 {sign * (_OFF + LINE / 2 * lines * axis.size):g})"
        spare = scene.drawing.spare if axis.top else None
        if not _may_slant(scene, axis, ticks):
            columns = (_moved_label(x, edge, name, level) for x, name in ticks)
            yield words(
                columns, axis.size, axis.color, 0.5, "names", data_spare=spare, data_many=many
            )
            continue
        shift = round(LINE / 4 * (lines - 1) * axis.size, 1)  # so that the last line stays out
        slanted = f"translate(0 {sign * (_OFF + shift):g}) rotate({-SLANT})"
        least = _min_level_width(axis, ticks)
        is_level = scene.width >= least
        yield words(
            (_moved_label(x, edge, name, level if is_level else slanted) for x, name in ticks),
            axis.size,
            axis.color,
            0.5 if is_level else 0.0 if axis.top else 1.0,
            "names turns",
            # The script that fits the picture to the screen chooses again.
            data_from=math.ceil(least),
            data_level=level,
            data_slanted=slanted,
            data_anchor="start" if axis.top else "end",
            data_spare=spare,
            data_many=many,
        )


def titles(scene: Scene) -> Iterator[str]:
    """The titles of the axes."""
    drawing = scene.drawing
    for axis in drawing.axes:
        if not axis.title:
            continue
        size, color, ticks = FONT_SIZE, axis.title_color, scene.ticks(axis)
        around = drawing.room
        room = around.left if axis.letter == "y" else around.top if axis.top else around.bottom
        sizes = _outer_sizes(scene, axis, ticks)
        out, low = (min(depth + 6 + 0.55 * size, room - 0.65 * size) for depth in sizes)
        if axis.letter == "y":
            turned = at("0", "50%", text(axis.title, "0", str(-out), turned=True))
            yield words([turned], size, color)
            continue
        least = _min_level_width(axis, ticks)
        is_level = bool(ticks) and scene.width >= least
        up, down = (f"translate(0 {-by if axis.top else by:g})" for by in (low, out))
        turns = {"class": "turns", "data_from": math.ceil(least)}
        turns |= {"data_level": up, "data_slanted": down, "data_many": "" if axis.many else None}
        x = 0.0 if axis.top else 0.5  # in sight also where the picture is wider than the screen
        edge = "0" if axis.top else "100%"
        label = _moved_label(x, edge, axis.title, up if is_level else down)
        yield element("g", words([label], size, color, x), **turns if low < out else {})


def note(scene: Scene, about: Text) -> str:
    """A text somewhere on the picture."""
    x_axis, y_axis = scene.drawing.main_axes
    x, y = x_axis.share(about.x), about.y if about.is_share else y_axis.share(about.y)
    half = len(lines_of(about.text)) * LINE * about.size / 2 + 2
    down = {"above": -half, "on": 0.0, "below": half}[about.stands]
    right, up = about.shift
    right += 0 if about.across else 2
    label = text(about.text, str(right), f"{down - up:g}")
    return words([at(share(x), share(y), label)], about.size, about.color, about.across)


def bar_texts(scene: Scene, part: Bars) -> Iterator[str]:
    """The texts beyond the ends of bars; that of a long bar lies outside of the axes."""
    x_axis, y_axis = scene.drawing.main_axes
    for left in (False, True):
        texts = [
            at(
                share(x_axis.share(part.begin(row) + value)),
                share(y_axis.share(row)),
                text(label, "-4" if left else "4", "0"),
            )
            for (row, value, _), label in zip(part.points, part.texts, strict=False)
            if (value < 0) == left
        ]
        if texts:
            # A stroke in the background's colour keeps grid lines away from the letters.
            halo: dict[str, Any] = {
                "paint_order": "stroke",
                "stroke": INK.background,
                "stroke_width": 4,
            }
            yield words(texts, part.size, INK.text, float(left), **halo)


def color_bar(scene: Scene) -> str:
    """The colours of the last cells with their numbers, at the right of the area."""
    if scene.drawing.bar is None:
        return ""
    scale, title = scene.drawing.cells[-1].colors, _bar_title(scene.drawing.bar)
    lines = LINE * len(lines_of(title)) * _BAR_FONT
    top = 10 + (lines + 0.6 * _BAR_FONT if title else 0)
    long = scene.height * scene.drawing.flattest - 10 - top
    if long < _MIN_BAR:
        return ""
    colors = np.linspace(scale.high, scale.low, 64)[:, None]
    image = element(
        "image",
        x=_BAR_GAP,
        y=top,
        width=_BAR,
        height=long,
        preserveAspectRatio="none",
        href=cells.png(cells.pixels(colors, scene.colors(scale), scale.low, scale.high)),
    )
    ticks = even_ticks(scale.low, scale.high, long, "y")
    beside = str(_BAR_GAP + _BAR + _NUMBERS_GAP)
    span = scale.high - scale.low
    labels = (
        text(
            tick_label(value, ticks, scene.drawing.separators),
            beside,
            f"{top + (scale.high - value) / span * long:.1f}",
        )
        for value in ticks
    )
    named = text(title, str(_BAR_GAP), f"{top - lines / 2 - 0.75 * _BAR_FONT:.1f}")
    look = _BAR_FONT, INK.muted, 0.0
    return at("100%", "0", image, words(labels, *look), words([named], *look))


def room_for_bar(drawing: Drawing) -> float:
    """Pixels that the colour bar needs at the right of the area."""
    if drawing.bar is None:
        return 0.0
    scale = drawing.cells[-1].colors
    ticks = even_ticks(scale.low, scale.high, 300, "y")
    labels = (tick_label(value, ticks, drawing.separators) for value in ticks)
    widths = [width_of(label, _BAR_FONT) for label in labels]
    numbers = _BAR + _NUMBERS_GAP + max(widths, default=0.0)
    return _BAR_GAP + max(numbers, width_of(_bar_title(drawing.bar), _BAR_FONT)) + 2


def _bar_title(title: str) -> str:
    """In one line or two: the cells need the room."""
    return "<br>".join(wrap(title, max(14, len(title) // 2 + 4), break_long_words=False))


def legend(scene: Scene) -> str:
    """The names of colours or lines, side by side above or below the area."""
    left, entries = 0.0, []
    for entry in scene.drawing.legend:
        if entry.line is not None:
            side = 26.0
            parts = [element("line", x1=0, x2=side, y1=0, y2=0, **stroke(entry.line))]
        else:
            side, parts = 14.0, []
            square: dict[str, Any] = {"fill": entry.color, "y": -side / 2}
            square |= {"width": side, "height": side}
            if entry.code:
                lines = coloured(INK.lines[2], scene.theme)
                name = f"hatch-{lines[1:]}"
                parts.append(hatch.pattern(name, entry.code, lines))
                square |= {"fill": f"url(#{name}-{entry.code})", "stroke": lines}
            parts.append(element("rect", **square))
        parts.append(text(entry.name, f"{side + 6:.0f}", "0"))
        at_left = f"translate({left:.0f} 0)"
        entries.append(element("g", *parts, transform=at_left, data_left=round(left)))
        left += side + width_of(entry.name, FONT_SIZE) + 22
    if not entries:
        return ""
    times = min(1.0, scene.width / left)
    above = scene.drawing.legend_above
    y, down = ("0", -16.0) if above else ("100%", scene.drawing.room.bottom / 2)
    moved = f"translate(0 {down:.0f}) scale({times:.3f})"
    # The script that fits the picture to the screen scales it, or breaks it into two rows.
    about = {"class": "legend", "data_width": round(left), "data_down": round(down)}
    return at(
        "0", y, element("g", words(entries, FONT_SIZE, INK.text, 0.0), transform=moved, **about)
    )


def _moved_label(x: float, y: str, label: str, transform: str) -> str:
    """A label at a share of the area's width, moved by a transform."""
    return at(share(x), y, element("g", text(label, "0", "0"), transform=transform))


def _min_level_width(axis: Axis, ticks: Ticks) -> float:
    """The least width of the area at which level names of columns do not touch."""
    widths = [width_of(name, axis.size) for _, name in ticks]
    return max(
        (
            ((widths[n] + widths[n - 1]) / 2 + 3) / max(1e-9, abs(ticks[n][0] - ticks[n - 1][0]))
            for n in range(1, len(ticks))
        ),
        default=0.0,
    )


def _may_slant(scene: Scene, axis: Axis, ticks: Ticks) -> bool:
    """Whether names of columns must slant when the picture is at its narrowest."""
    return not axis.level and _min_level_width(axis, ticks) > scene.drawing.room.across


def _outer_sizes(scene: Scene, axis: Axis, ticks: Ticks) -> tuple[float, float]:
    """The pixels that names may need outside of the area; and if no name is slanted."""
    if not ticks:
        return 0.0, 0.0
    longest = max(width_of(name, axis.size) for _, name in ticks)
    level = float(_OFF + 1.3 * axis.size)
    if axis.letter == "y":
        return _OFF + longest, _OFF + longest
    slants = _may_slant(scene, axis, ticks)
    return _OFF + slanted_height(longest) + axis.size / 2 if slants else level, level
