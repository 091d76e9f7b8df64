"""A picture as plotly.js takes it, and how one is put together."""

import base64
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from explorer.figures.theme import FONT, Theme
from explorer.languages import decimal_and_group

if TYPE_CHECKING:
    import plotly.graph_objects as go

_SHORT: Final = {np.dtype(name): name for name in ("i1", "u1", "i2", "u2", "i4", "u4", "f4", "f8")}


@dataclass(frozen=True, slots=True)
class Drawing:
    """A picture's traces and layout, as plain values and numpy arrays.

    A `go.Figure` copies and searches all of them, which takes as long as the rest of a page.
    """

    data: list[dict[str, Any]]
    layout: dict[str, Any]

    @property
    def spec(self) -> dict[str, Any]:
        """Both in one, as plotly.js takes them; `packed` makes JSON of the arrays."""
        return {"data": self.data, "layout": self.layout}

    def figure(self) -> "go.Figure":
        """A new figure of plotly's, to change, to show or to save.

        Raises:
            ValueError: plotly knows no such setting.
        """
        import plotly.graph_objects as go  # the app itself needs none

        return go.Figure(self.spec)


def packed(array: np.ndarray) -> object:
    """An array as plotly.js reads it from JSON: numbers as their bytes, others as lists.

    Raises:
        TypeError: if it is no array.
    """
    if not isinstance(array, np.ndarray):
        raise TypeError(f"an array is needed, got {type(array).__name__}")
    if not array.size:
        return array.tolist()
    if array.dtype.kind in "iu":
        array = array.astype(_smallest(int(array.min()), int(array.max()), array.dtype))
    short = _SHORT.get(array.dtype)
    if short is None:
        return array.tolist()
    encoded = base64.b64encode(array.tobytes()).decode("ascii")
    shape = {"shape": ", ".join(map(str, array.shape))} if array.ndim > 1 else {}
    return {"dtype": short, "bdata": encoded, **shape}


def _smallest(low: int, high: int, usual: np.dtype[Any]) -> np.dtype[Any]:
    """The type for integers of 64 bits that plotly.js knows and that holds them all."""
    for size in (1, 2, 4) if usual.itemsize == 8 else ():
        limits = np.iinfo(f"{usual.kind}{size}")
        if limits.min <= low and high <= limits.max:
            return limits.dtype
    return usual


class Picture:
    """A themed picture, collected piece by piece.

    To be legible, it needs `cells` columns of `cell_width` pixels. On a narrower screen, it scrolls
    sideways instead of shrinking further.
    """

    def __init__(
        self,
        theme: Theme,
        *,
        height: int,
        left: int = 8,
        right: int = 8,
        top: int = 8,
        bottom: int = 8,
        cells: int = 0,
        cell_width: int = 0,
    ) -> None:
        self.traces: list[dict[str, Any]] = []
        self.annotations: list[dict[str, Any]] = []
        self.shapes: list[dict[str, Any]] = []
        self.layout: dict[str, Any] = {
            "height": height,
            "margin": {"l": left, "r": right, "t": top, "b": bottom, "pad": 0},
            "paper_bgcolor": theme.background,
            "plot_bgcolor": theme.background,
            "font": {"family": FONT, "size": 13, "color": theme.text},
            "hoverlabel": {
                "bgcolor": theme.background,
                "bordercolor": theme.muted,
                "font": {"family": FONT, "size": 14, "color": theme.text},
                "align": "left",
            },
            "separators": decimal_and_group(),
            "showlegend": False,
            "hovermode": "closest",
            "template": {"data": {"scatter": [{"type": "scatter"}]}},  # plotly's template "none"
            "meta": {"min_width": left + right + cells * cell_width},
        }

    def heatmap(self, **trace: object) -> None:
        """Add a heatmap."""
        self.traces.append(_without_none({"type": "heatmap", **trace}))

    def scatter(self, **trace: object) -> None:
        """Add lines or points."""
        self.traces.append(_without_none({"type": "scatter", **trace}))

    def annotate(self, **annotation: object) -> None:
        """Add a text."""
        self.annotations.append({"showarrow": False, **annotation})

    def draw(self, **shape: object) -> None:
        """Add a line or a rectangle."""
        self.shapes.append(shape)

    def drawn(self, **layout: object) -> Drawing:
        """The finished picture, with more of its layout."""
        around = {**self.layout, "annotations": self.annotations, "shapes": self.shapes}
        return Drawing(self.traces, _without_none({**around, **layout}))


def _without_none(said: dict[str, Any]) -> dict[str, Any]:
    """What is None is left to plotly."""
    return {
        key: _without_none(part) if isinstance(part, dict) else part
        for key, part in said.items()
        if part is not None
    }
