"""A drawing in the colours of another theme."""

import re
from collections.abc import Mapping
from typing import Any, Final

from explorer.figures.drawing import Drawing
from explorer.figures.theme import Theme, recolouring

_COLOURED: Final = re.compile(r'(<span style="color:)(#\w{6})')
_TYPED: Final = {
    "ticktext",
    "customdata",
    "name",
    "text",
    "alike",
}  # may be a colour that somebody typed


def recoloured(drawing: Drawing, theme: Theme, other: Theme) -> Drawing:
    """A drawing of one theme in the colours of another, marks in its labels included."""
    colors = recolouring(theme, other)

    def with_colors(value: Any, name: str = "") -> Any:
        if isinstance(value, str):
            marked = _COLOURED.sub(lambda found: found[1] + colors.get(found[2], found[2]), value)
            return marked if name in _TYPED else colors.get(value, marked)
        if isinstance(value, Mapping):
            return {key: with_colors(part, str(key)) for key, part in value.items()}
        if isinstance(value, list | tuple):
            return [with_colors(part, name) for part in value]
        return value

    return Drawing(with_colors(drawing.data), with_colors(drawing.layout))
