"""Cells under their names: what all heatmaps have in common."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Final

import numpy as np

from explorer.figures.drawing import Picture, Room
from explorer.figures.labels import label_room, slanted_height
from explorer.figures.theme import INK, ColorScale, axis, color_bar, weight_scale

TWO_DIGITS: Final = "%{z:.2f}"
TEXT: Final = "%{text}"
Colors = Mapping[str, Any]  # a scale, and the numbers at its ends


def colors(scale: ColorScale, low: float, high: float) -> Colors:
    """A colour scale from the lower number to the higher one."""
    return {"colorscale": scale, "zmin": low, "zmax": high}


def weight_colors(kind: str | None, top: float = 1.0) -> Colors:
    """The colours of weights of a kind, with one for what is hidden; `top` has the strongest."""
    return colors(weight_scale(kind), 0.0, top)


def amount_colors(top: float = 1.0) -> Colors:
    """The colours of numbers that are never negative; `top` has the strongest."""
    return colors(INK.amounts, 0.0, top)


def max_abs(*values: np.ndarray) -> float:
    """The largest absolute value of the finite numbers; 1 where all are 0."""
    sizes = (np.abs(each[np.isfinite(each)]).max(initial=0.0) for each in values)
    return max(map(float, sizes)) or 1.0


def signed_colors(*values: np.ndarray, top: float | None = None) -> Colors:
    """Colours symmetric about 0, as far as the numbers reach; only from 0 if none is negative.

    With a `top`, pictures can be compared: all reach from −`top` to `top`.
    """
    if top is None and all(np.nanmin(each, initial=0.0) >= 0 for each in values):
        return amount_colors(max_abs(*values))
    top = top or max_abs(*values)
    return colors(INK.signed, -top, top)


def steps(flat: Sequence[str]) -> Colors:
    """A colour for each of the numbers 0, 1, 2 …"""
    count = len(flat)
    scale = [(at / count, color) for n, color in enumerate(flat) for at in (n, n + 1)]
    return colors(scale, -0.5, count - 0.5)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cells:
    """Cells of one size, `side`, with the middle of the first at (x, y).

    `hover` has the lines that a cell shows when the pointer is on it. In them, %{x} and %{y} stand
    for the names of its column and row, %{z} for its number, %{text} and %{customdata} for its
    texts. `written` is what stands in the cell: "%{z:.2f}" or "%{text}". NaN is left empty.
    `hidden` has codes as `explorer.masks` has them: what is not 0 is hatched.

    Pointing at a cell marks the same one in all cells of the page with the same `pair` and shape,
    and those that are `alike`.
    """

    values: np.ndarray  # (rows, columns)
    colors: Colors
    hover: Sequence[str]
    rows: Sequence[str] = ()
    columns: Sequence[str] = ()
    x: float = 0
    y: float = 0
    side: float = 1
    gap: int | tuple[int, int] = 1  # pixels between columns, and between rows
    written: str | None = None
    size: int = 10  # of what is written
    text: Sequence[Sequence[str]] | None = None
    customdata: np.ndarray | Sequence[Sequence[str]] | None = None
    name: str | None = None  # of all of them, in a click and in a file
    hidden: np.ndarray | None = None
    hatch: str = ""  # the colour of its lines; the theme's if nothing is given
    pair: str = ""  # what a row and a column are, as "cross": a target word and a source word
    alike: Sequence[Sequence[str]] = ()
    axes: tuple[str, str] = ("x", "y")  # "x2" and "y2" have names that are seen only on hovering

    @property
    def edges(self) -> tuple[float, float, float, float]:
        """Left, right, top and bottom."""
        rows, columns = self.values.shape
        left, top = self.x - self.side / 2, self.y - self.side / 2
        return left, left + columns * self.side, top, top + rows * self.side

    @property
    def names(self) -> tuple[Sequence[str], Sequence[str]]:
        """The names of its columns, and those of its rows."""
        return self.columns, self.rows

    @property
    def middle(self) -> float:
        """The middle of their width."""
        left, right, *_ = self.edges
        return (left + right) / 2

    def trace(self) -> dict[str, Any]:
        """As a heatmap of plotly's."""
        across, down = self.gap if isinstance(self.gap, tuple) else (self.gap, self.gap)
        whole = self.values.dtype.kind in "iub"
        return {
            "type": "heatmap",
            "z": self.values.astype(np.int32 if whole else np.float32),
            **{"x0": self.x, "y0": self.y, "dx": self.side, "dy": self.side},
            **{"xaxis": self.axes[0], "yaxis": self.axes[1]},
            **{"xgap": across, "ygap": down},
            **self.colors,
            "text": self.text,
            "customdata": self.customdata,
            "texttemplate": self.written,
            "textfont": {"size": self.size},
            "hovertemplate": "<br>".join(self.hover) + "<extra></extra>",
            "hoverongaps": False,
            "showscale": False,
            "name": self.name,
            "meta": self._meta(),
        }

    def _meta(self) -> dict[str, Any]:
        """The settings that plotly does not know."""
        meta: dict[str, Any] = {"pair": self.pair, "alike": self.alike}
        if self.hidden is not None and self.hidden.any():
            hatch = self.hatch or INK.hatch
            meta |= {"hidden": self.hidden.astype(np.uint8), "hatch": hatch}
        return meta


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """The style of the names of rows or columns; cells without names are numbered."""

    size: int = 13
    color: str | None = None  # the theme's text
    level_with: Sequence[str] = ()  # names of rows below or above: the cells have one left edge
    most: int = 0  # pixels for the longest name at most, besides free space
    every: int = 1  # only every so many names are written
    title: str = ""
    title_color: str | None = None
    title_size: int = 13
    off: int = 8  # pixels from the names to the title
    top: bool = True  # names of columns: above the cells
    level: bool = False  # names of columns: they lie also where there is no room; else slanted
    hidden: bool = False

    def pixels(self, parts: Sequence[Cells]) -> int:
        """The pixels of the longest name of a row."""
        names = [label for part in parts if part.axes[1] == "y" for label in part.rows]
        names += self.level_with
        return min(self.most, label_room(names, size=self.size)) if self.most else 0

    def above(self, parts: Sequence[Cells], pitch: float) -> int:
        """The pixels of the names of columns, which are at least so many pixels wide."""
        names = [label for part in parts if part.axes[0] == "x" for label in part.columns]
        if not self.most or not names:
            return 0
        longest = label_room(names, size=self.size)
        level_height = self.level_height(parts)
        if self.level or longest <= pitch:
            return min(self.most, level_height)
        return min(self.most, max(level_height, round(slanted_height(longest)) + 6))

    def level_height(self, parts: Sequence[Cells]) -> int:
        """The pixels of names of columns that lie, in one line or more."""
        lines = max(1 + name.count("<br>") for part in parts for name in part.columns or [""])
        return round((0.3 + 1.3 * lines) * self.size)

    def overhang(self, parts: Sequence[Cells], pitch: float) -> int:
        """The pixels by which the last name may stand out at the right."""
        last = [part.columns[-1:] for part in parts if part.axes[0] == "x"][-1:]
        if not self.most or self.level or not last:
            return 0
        return max(0, round(label_room(last[0], size=self.size) / 2 - pitch / 2))

    def axis(self, name: str, parts: Sequence[Cells], ends: list[float]) -> Any:
        """As the axis of plotly's with this name, for the cells that are on it."""
        at = "xy".index(name[0])
        named = {
            (part.x, part.y)[at] + n * part.side: label
            for part in parts
            if part.axes[at] == name
            for n, label in enumerate(part.names[at])
            if n % self.every == 0
        }
        font = {"size": self.title_size, "color": self.title_color or INK.text}
        columns: dict[str, object] = {"side": "top" if self.top else "bottom"}
        columns |= {"tickangle": 0} if self.level else {}
        return axis(
            range=ends,
            tickfont={"size": self.size, "color": self.color or INK.text},
            showticklabels=not self.hidden,
            title={"text": self.title, "font": font, "standoff": self.off},
            **{} if at else columns,
            **{"tickvals": list(named), "ticktext": list(named.values())} if named else {},
        )


HIDDEN: Final = Side(hidden=True)


class Grid(Picture):
    """Cells with their names around them."""

    def __init__(
        self,
        parts: Sequence[Cells],
        rows: Side,
        columns: Side,
        room: Room,
        *,
        bar: str | None = None,
        pad: tuple[float, float] = (0.0, 0.0),
        count: float = 0,
    ) -> None:
        """`bar` is the title of a colour bar, for the last of the cells.

        There is room for `count` columns at least, and for a little more on every side: `pad`, in
        columns and in rows.
        """
        left, right, top, bottom = zip(*(part.edges for part in parts), strict=True)
        across = [min(left) - pad[0], max(*right, count - 0.5) + pad[0]]
        down = [max(bottom) + pad[1], min(top) - pad[1]]
        pitch = room.across / (across[1] - across[0])
        above = columns.above(parts, pitch)
        room = room.with_names(rows.pixels(parts), above)
        room = replace(room, right=max(room.right, columns.overhang(parts, pitch)))
        super().__init__(room)
        if room.shrinks:
            self.layout["meta"]["spare"] = max(0, above - columns.level_height(parts))
        self.parts = parts
        self.up = self.layout["margin"]["t"] - 24 if columns.most else 0  # pixels to a title
        self.traces += [part.trace() for part in parts]
        if bar is not None:
            self.traces[-1] |= {"showscale": True, "colorbar": color_bar(bar)}
        for name in dict.fromkeys(["x", "y", *(one for part in parts for one in part.axes)]):
            side = {"x": columns, "y": rows}.get(name, HIDDEN)
            over = {"overlaying": name[0], "matches": name[0]} if name[1:] else {}
            ends = across if name[0] == "x" else down
            about = side.axis(name, parts, ends)
            self.layout[f"{name[0]}axis{name[1:]}"] = about | over
        # A zoomed part stays while the places of the cells stay the same.
        self.layout["uirevision"] = f"{across} {down}"

    def title(self, part: Cells, name: str) -> None:
        """A title of cells, above the names of their columns."""
        above = {"yref": "paper", "yshift": self.up, "yanchor": "bottom"}
        self.annotate(f"<b>{name}</b>", part.middle, 1, size=13, **above)

    def titles(self, names: Sequence[str]) -> None:
        """The titles of all of them, from left to right."""
        for part, name in zip(self.parts, names, strict=True):
            self.title(part, name)

    def captions(self, names: Sequence[str], focus: int, color: str) -> None:
        """Names of small pictures, at their upper left corners; the one in focus is framed."""
        for number, (part, name) in enumerate(zip(self.parts, names, strict=True)):
            left, right, top, bottom = part.edges
            here = number == focus
            self.annotate(
                f"<b>{name}</b>" if here else name,
                left,
                top,
                size=12,
                color=color if here else INK.muted,
                xanchor="left",
                yanchor="bottom",
                yshift=1,
            )
            if here:
                self.frame((left + 0.5, right - 0.5), (top + 0.5, bottom - 0.5), color, 3)

    def sign(self, left: Cells, right: Cells, sign: str, *, size: int = 24) -> None:
        """A sign in the gap between cells that stand side by side."""
        height = min(len(left.values), len(right.values))
        self.annotate(sign, (left.edges[1] + right.edges[0]) / 2, (height - 1) / 2, size=size)

    def signs(self, signs: Sequence[str]) -> None:
        """The signs between all of them, from left to right."""
        for (left, right), sign in zip(pairwise(self.parts), signs, strict=False):
            self.sign(left, right, f"<b>{sign}</b>")
