"""A picture in plotly's terms, and how one is put together."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from explorer.figures.theme import FONT, INK, axis
from explorer.languages import decimal_and_group


@dataclass(frozen=True, slots=True)
class Drawing:
    """A picture's traces and layout, as plain values and numpy arrays.

    A `go.Figure` copies and searches all of them, which takes as long as the rest of a page.
    """

    data: list[dict[str, Any]]
    layout: dict[str, Any]

    @property
    def spec(self) -> dict[str, Any]:
        """Both in one, as plotly takes them."""
        return {"data": self.data, "layout": self.layout}


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """The pixels of a picture: its height at least, and what is free around its area.

    To be legible, the area needs so many pixels across and down. On a narrower screen, the picture
    scrolls sideways instead of shrinking further.
    """

    height: int = 0
    left: int = 0
    right: int = 8
    top: int = 8
    bottom: int = 8
    across: int = 0
    down: int = 0
    shrinks: bool = False  # level names make it lower; not for pictures side by side

    def with_names(self, left: int, top: int) -> "Room":
        """The same, with more room at the left and on top."""
        return replace(self, left=self.left + left, top=self.top + top)


class Picture:
    """A themed picture, collected piece by piece."""

    def __init__(self, room: Room) -> None:
        self.traces: list[dict[str, Any]] = []
        self.annotations: list[dict[str, Any]] = []
        self.shapes: list[dict[str, Any]] = []
        self.layout: dict[str, Any] = {
            "height": max(room.height, room.top + room.down + room.bottom),
            "margin": {"l": room.left, "r": room.right, "t": room.top, "b": room.bottom},
            "paper_bgcolor": INK.background,
            "plot_bgcolor": INK.background,
            "font": {"family": FONT, "size": 13, "color": INK.text},
            "hoverlabel": {
                "bgcolor": INK.background,
                "bordercolor": INK.muted,
                "font": {"family": FONT, "size": 14, "color": INK.text},
                "align": "left",
            },
            "separators": decimal_and_group(),
            "showlegend": False,
            "template": {"data": {"scatter": [{"type": "scatter"}]}},  # plotly's template "none"
            "meta": {"min_width": room.left + room.right + room.across},
        }

    def scatter(self, hover: str = "", **trace: object) -> None:
        """Add lines or points; `hover` is the hover text of each."""
        hovering = {"hovertemplate": f"{hover}<extra></extra>"} if hover else {"hoverinfo": "skip"}
        self.traces.append({"type": "scatter", **trace, **hovering})

    def bars(
        self,
        values: np.ndarray | Sequence[float],
        hover: str,
        *,
        colors: Sequence[str] | str = "rgba(0,0,0,0)",
        texts: Sequence[str] | None = None,
        size: int = 13,
        line: object = None,
        **more: object,
    ) -> None:
        """Add horizontal bars, one a row, with texts beyond their ends, and `hover` texts.

        Without colours, they are outlines in a `line`.
        """
        self.traces.append(
            {
                "type": "bar",
                "orientation": "h",
                "x": values,
                "y": list(range(len(values))),
                "marker": {"color": colors, "line": line},
                "text": texts,
                "textposition": "outside",
                "cliponaxis": False,
                "textfont": {"size": size, "color": INK.text},
                "hovertemplate": f"{hover}<extra></extra>",
                **more,
            }
        )

    def annotate(self, text: str, x: float, y: float, *, size: int = 13, **more: object) -> None:
        """Add a text."""
        font = {"size": size, "color": more.pop("color", INK.text)}
        about = {"text": text, "x": x, "y": y, "font": font, "showarrow": False}
        self.annotations.append(about | more)

    def heading(self, text: str, y: float) -> None:
        """Add a quiet text at the left edge, at a share of the height."""
        paper = {"xref": "paper", "yref": "paper", "xanchor": "left", "yanchor": "bottom"}
        self.annotate(text, 0, y, size=12, color=INK.muted, **paper)

    def frame(
        self,
        across: tuple[float, float],
        down: tuple[float, float],
        color: str,
        width: int = 2,
        *,
        inset: float = 0,
        **more: object,
    ) -> None:
        """Add a frame around the cells from the first to the last, across and down."""
        half = 0.5 - inset
        self.shapes.append(
            {
                "type": "rect",
                **{"x0": across[0] - half, "x1": across[1] + half},
                **{"y0": down[0] - half, "y1": down[1] + half},
                "line": {"color": color, "width": width},
                **more,
            }
        )

    def stroke(
        self,
        start: tuple[float, float],
        end: tuple[float, float],
        color: str,
        *,
        width: float = 1,
        dash: str = "solid",
        **more: object,
    ) -> None:
        """Add a line down or to the right; `yref="paper"` counts in shares of the height."""
        ends = {"x0": start[0], "y0": start[1], "x1": end[0], "y1": end[1]}
        line = {"color": color, "width": width, "dash": dash}
        self.shapes.append({"type": "line", **ends, "line": line, **more})

    def legend(self, **place: object) -> None:
        """Show the names of the points and lines, side by side."""
        self.layout["showlegend"] = True
        self.layout["legend"] = {"orientation": "h", "x": 0, **place}

    def drawn(self, **layout: object) -> Drawing:
        """The finished picture, with more of its layout."""
        around = {"annotations": self.annotations, "shapes": self.shapes}
        return Drawing(self.traces, {**self.layout, **around, **layout})


def rows_axis(names: Sequence[str], *, size: int = 13, count: int = 1) -> Any:
    """The axis of bars with these names, from above; there is room for `count` of them at least."""
    return axis(
        tickvals=list(range(len(names))),
        ticktext=names,
        tickfont={"size": size, "color": INK.text},
        range=[max(len(names), count) - 0.5, -0.5],
    )
