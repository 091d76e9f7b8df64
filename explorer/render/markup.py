"""Elements of SVG as text. What a person typed is only ever the content of a text."""

import re
from collections.abc import Iterable
from typing import Any, Final
from xml.sax.saxutils import escape, quoteattr

from explorer.drawing.drawing import Line
from explorer.drawing.labels import LINE
from explorer.render.text import Run, lines_of

_DASHES: Final = {
    "dash": "9 9",
    "dot": "3 3",
    "dashdot": "9 3 3 3",
    "longdash": "15 9",
    "longdashdot": "15 3 3 3",
}
# Sizes of the font from the middle of a letter to its foot. (A group's baseline is not inherited in
# every browser.)
_MIDDLE: Final = 0.32
_SPECIAL: Final = re.compile(r'[&<>"\n\r\t]')  # few attributes have one, and looking is faster
_ANCHORS: Final = {0.0: "start", 0.5: "middle", 1.0: "end"}


def share(value: float) -> str:
    """A share of the area, as SVG writes it."""
    return f"{100 * value:.2f}".rstrip("0").rstrip(".") + "%"


def element(name: str, *content: str, **attributes: Any) -> str:
    """An element; `_` in a name stands for `-`, and what is None is left out."""
    written = "".join(
        f" {key.replace('_', '-')}={_quoted(_short(value))}"
        for key, value in attributes.items()
        if value is not None
    )
    return f"<{name}{written}>{''.join(content)}</{name}>" if content else f"<{name}{written}/>"


def at(x: str, y: str, *content: str) -> str:
    """Content whose own place counts from here, in pixels."""
    return f'<svg x="{x}" y="{y}" overflow="visible">{"".join(content)}</svg>'


def words(
    content: Iterable[str],
    size: float,
    color: str,
    across: float = 0.5,
    name: str | None = None,
    **more: Any,
) -> str:
    """Texts in one look; `across` is where their place lies in their width, from 0 to 1."""
    return element(
        "g",
        *content,
        font_size=size,
        fill=color,
        text_anchor=None if across == 0 else _ANCHORS[across],
        **{"class": name},
        **more,
    )


def text(label: str, x: str, y: str, *, turned: bool = False) -> str:
    """A label; the middle of its height is at `y`. Turned, it reads upwards."""
    lines = lines_of(label)
    inside, more = "".join(map(_run, lines[0])), f' dy="{_MIDDLE}em"'
    if len(lines) > 1:
        steps = [_MIDDLE - (len(lines) - 1) / 2 * LINE, *[LINE] * (len(lines) - 1)]
        inside, more = "", ""
        for step, line in zip(steps, lines, strict=True):
            inside += f'<tspan x="{x}" dy="{step:.2f}em">{"".join(map(_run, line))}</tspan>'
    if turned:
        more += ' transform="rotate(-90)"'
    return f'<text x="{x}" y="{y}"{more}>{inside}</text>'


def stroke(line: Line) -> dict[str, Any]:
    """The attributes of a line."""
    return {
        "stroke": line.color,
        "stroke_width": line.width,
        "stroke_dasharray": _DASHES.get(line.dash),
    }


def _run(run: Run) -> str:
    look = "".join(
        (
            ' font-weight="bold"' if run.bold else "",
            ' font-style="italic"' if run.italic else "",
            f' fill="{run.color}"' if run.color else "",
        )
    )
    return f"<tspan{look}>{escape(run.text)}</tspan>" if look else escape(run.text)


def _quoted(value: str) -> str:
    return quoteattr(value) if _SPECIAL.search(value) else f'"{value}"'


def _short(value: object) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)
