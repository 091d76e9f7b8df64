"""The scene that all parts of a picture share: its drawing, and the size of its area."""

from dataclasses import dataclass

from explorer.drawing.drawing import Axis, Drawing, Scale
from explorer.drawing.theme import ColorScale, Theme, coloured
from explorer.render import axes


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """A drawing that is being painted; the area is what lies inside of the axes."""

    drawing: Drawing
    theme: Theme
    width: float  # pixels of the area

    @property
    def height(self) -> float:
        """The pixels of the area from above to below."""
        return float(self.drawing.area)

    def colors(self, scale: Scale) -> ColorScale:
        """The colours of a scale in the theme."""
        return [(at, coloured(color, self.theme)) for at, color in scale.colors]

    def ticks(self, axis: Axis) -> list[tuple[float, str]]:
        """What is written along an axis: shares and labels."""
        pixels = self.width if axis.letter == "x" else self.height
        return axes.ticks(axis, pixels, self.drawing.separators)
