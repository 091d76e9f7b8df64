"""The scene that all parts of a picture share: its axes, its font, and the size of its area."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from explorer.figures.drawing import Drawing
from explorer.figures.theme import Theme, coloured
from explorer.render.axes import Axis

Part = Mapping[str, Any]  # a trace, a shape, an annotation, a part of the layout


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """A drawing that is being painted; the area is what lies inside of the axes."""

    data: list[dict[str, Any]]
    layout: Mapping[str, Any]
    theme: Theme
    axes: Mapping[str, Axis]
    left: float  # pixels beside the area
    top: float
    width: float  # pixels of the area
    height: float

    @classmethod
    def of(cls, drawing: Drawing, theme: Theme, width: float, right: float) -> Self:
        """A drawing in so many pixels, with so many of them free at the right of the area."""
        layout, margin = drawing.layout, drawing.layout["margin"]
        axes = {}
        for name, about in layout.items():
            if name[1:5] == "axis":  # "xaxis2" is the axis that traces call "x2"
                axis = name[0] + name[5:]
                axes[axis] = Axis.of(axis, about)
        return cls(
            data=drawing.data,
            layout=layout,
            theme=theme,
            axes=axes,
            left=margin["l"],
            top=margin["t"],
            width=width - margin["l"] - right,
            height=layout["height"] - margin["t"] - margin["b"],
        )

    @property
    def separators(self) -> str:
        """The sign before the decimals, and the one between thousands."""
        return str(self.layout["separators"])

    def font(self, more: Part | None = None) -> Part:
        """The picture's font, with some of it changed."""
        return {**self.layout["font"], **(more or {})}

    def scale(self, trace: Part) -> list[tuple[float, str]]:
        """The colours of a heatmap, from its lowest number to its highest."""
        return [(at, coloured(color, self.theme)) for at, color in trace["colorscale"]]

    def axes_of(self, trace: Part) -> tuple[Axis, Axis]:
        """The axes on which a trace is drawn."""
        return self.axes[trace.get("xaxis") or "x"], self.axes[trace.get("yaxis") or "y"]

    def pixels(self, axis: Axis) -> float:
        """The length of an axis."""
        return (self.width if axis.letter == "x" else self.height) * abs(axis.end - axis.start)
