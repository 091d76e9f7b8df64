"""Labels of pictures: their marks (<b>, <i>, <br>, a coloured <span>) as lines of runs."""

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from html import unescape
from typing import Final

from explorer.drawing.labels import LETTER, letters

_MARK: Final = re.compile(r'<(/?)(b|i|br|span)(?: style="color:([^"]+)")?>')


@dataclass(frozen=True, slots=True)
class Run:
    """A stretch of text in one look."""

    text: str
    bold: bool = False
    italic: bool = False
    color: str | None = None


@lru_cache(maxsize=4096)
def lines_of(label: str) -> tuple[tuple[Run, ...], ...]:
    """The lines of a label. Other markup stays text."""
    if "<" not in label and "&" not in label:
        return ((Run(label),),)
    lines: list[list[Run]] = [[]]
    looks: list[Run] = [Run("")]  # the styles that are open here
    read = 0
    for found in (*_MARK.finditer(label), None):
        end = len(label) if found is None else found.start()
        if end > read:
            lines[-1].append(replace(looks[-1], text=unescape(label[read:end])))
        if found is None:
            break
        read = found.end()
        closing, name, color = found.groups()
        if name == "br":
            lines.append([])
        elif not closing:
            bold, italic = looks[-1].bold or name == "b", looks[-1].italic or name == "i"
            looks.append(Run("", bold, italic, color or looks[-1].color))
        elif len(looks) > 1:
            looks.pop()
    return tuple(map(tuple, lines))


def width_of(label: str, size: float) -> float:
    """The width of a label in pixels, roughly."""
    return max(sum(letters(run.text) for run in line) for line in lines_of(label)) * LETTER * size
