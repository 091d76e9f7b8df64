"""The scene that all parts of a picture share: its drawing, and the size of its area."""

from dataclasses import dataclass
from typing import Self

from explorer.drawing.drawing import Axis, Drawing, Scale
from explorer.drawing.theme import ColorScale, Theme, coloured
from explorer.render import axes


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """A drawing that is being painted; the area is what lies inside of the axes."""

    drawing: Drawing
    theme: Theme
    width: float  # pixels of the area
    height: float

    @classmethod
    def of(cls, drawing: Drawing, theme: Theme, width: float, right: float) -> Self:
        """A drawing in so many pixels, with so many of them free at the right of the area."""
        return cls(
            drawing=drawing,
            theme=theme,
            width=width - drawing.room.left - right,
            height=drawing.height - drawing.room.top - drawing.room.bottom,
        )

    @property
    def separators(self) -> str:
        """The sign before the decimals, and the one between thousands."""
        return self.drawing.separators

    def colors(self, scale: Scale) -> ColorScale:
        """The colours of a scale in the theme."""
        return [(at, coloured(color, self.theme)) for at, color in scale.colors]

    def ticks(self, axis: Axis) -> list[tuple[float, str]]:
        """What is written along an axis: shares and labels."""
        pixels = self.width if axis.letter == "x" else self.height
        return axes.ticks(axis, pixels, self.separators)
