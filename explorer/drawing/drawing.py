"""A picture as a description: its parts, the axes they stand on, and what is around them.

Its colours are roles (`INK`). From it, and from nothing else, come SVG, what is told of a cell, the
rows of a file, and a chart to zoom into.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeVar

import numpy as np

from explorer.drawing.theme import INK, ColorScale
from explorer.languages import decimal_and_group, isolated, mark

Letter = Literal["x", "y"]
Places = TypeVar("Places", float, np.ndarray)
# By the codes of `explorer.masks`.
REASON_NAMES: Final = (
    mark("may attend"),
    mark("future"),
    mark("key is PAD"),
    # Translators: two reasons at once, future and PAD
    mark("both"),
)
SMALL: Final = 5  # pixels of a cell among many
VALUE: Final = "%{}"  # the place of a number or text in a line about it


@dataclass(frozen=True, slots=True)
class Scale:
    """The colours of numbers, from the lowest to the highest."""

    colors: ColorScale
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Line:
    """The look of a line."""

    color: str
    width: float = 1
    dash: str = "solid"


@dataclass(frozen=True, slots=True)
class Quantity:
    """What cells or points tell when they are pointed at, and what a file has of them.

    Numbers have `digits`; texts have none. Without values, they are the numbers of cells or bars.
    """

    name: str = ""
    digits: int | None = None
    values: Any = None  # numbers, or lists of texts
    exact: Any = None  # the numbers behind texts, for a file
    plus: str = ""  # the sign of numbers that are not negative
    around: str = ""  # the line in which it is told, with %{y} for the name of its row

    @property
    def line(self) -> str:
        """The line in which it is told; its name and it, if nothing is given."""
        return self.around or f"{self.name} {VALUE}".lstrip()

    def written(self, value: Any) -> str:
        """One of its values, as it is told."""
        if self.digits is None:
            return str(value)
        return numeral(value, self.digits, decimal_and_group(), self.plus)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cells:
    """Cells of one size, `side`, with the middle of the first at (x, y).

    Pointing at a cell tells the lines of `hover`, in which %{x} and %{y} stand for the names of its
    column and row; then each quantity; and if it is hidden, the reason. `texts`, or numbers with so
    many `digits`, stand in the cells. NaN is left empty. `hidden` has codes as `explorer.masks` has
    them: what is not 0 is hatched.

    Pointing at a cell marks the same one in all cells of the page with the same `pair` and shape,
    and those that are `alike`.
    """

    values: np.ndarray  # (rows, columns)
    colors: Scale
    hover: Sequence[str] = ()
    tells: Sequence[Quantity] = ()
    rows: Sequence[str] = ()  # without names, rows and columns are numbered
    columns: Sequence[str] = ()
    beside: str = "xy"  # the names that stand around the cells: of columns "x", of rows "y"
    x: float = 0
    y: float = 0
    side: float = 1
    gap: int | None = None  # pixels between them; by default, 1 where they are not many
    digits: int | None = None
    texts: Sequence[Sequence[str]] | None = None
    size: int = 11  # of what is written
    name: str | None = None  # of all of them, in a click and in a file
    hidden: np.ndarray | None = None
    reasons: Sequence[str] = ()  # by code, of what is hidden
    hatch: str = INK.hatch
    pair: str = ""  # what a row and a column are, as "cross": a target word and a source word
    alike: Sequence[Sequence[str]] = ()

    @property
    def edges(self) -> tuple[float, float, float, float]:
        """Left, right, top and bottom."""
        rows, columns = self.values.shape
        left, top = self.x - self.side / 2, self.y - self.side / 2
        return left, left + columns * self.side, top, top + rows * self.side

    @property
    def middle(self) -> float:
        """The middle of their width."""
        left, right, *_ = self.edges
        return (left + right) / 2

    @property
    def drawn(self) -> np.ndarray:
        """The numbers as they are drawn."""
        whole = self.values.dtype.kind in "iub"
        drawn: np.ndarray = self.values.astype(np.int32 if whole else np.float32)
        return drawn

    @property
    def codes(self) -> np.ndarray | None:
        """The codes of what is hidden; None if nothing is."""
        if self.hidden is None or not self.hidden.any():
            return None
        codes: np.ndarray = self.hidden.astype(np.uint8)
        return codes

    @property
    def told(self) -> Sequence[Quantity]:
        """What is told of each cell, with the reason why it is hidden."""
        if not self.reasons or self.codes is None:
            return self.tells
        reasons = np.array(["", *self.reasons[1:]])[self.codes]
        return [*self.tells, Quantity(values=reasons.tolist())]

    @property
    def gaps(self) -> tuple[int, int]:
        """Pixels between columns, and between rows."""
        rows, columns = self.values.shape
        if self.gap is not None:
            return self.gap, self.gap
        return int(columns <= 40), int(rows <= 40)

    def names(self, letter: Letter) -> Sequence[str]:
        """The names of its columns or of its rows, or their numbers."""
        count = self.values.shape[letter == "x"]
        return (self.columns if letter == "x" else self.rows) or list(map(str, range(count)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """Points, with a line through them that is broken at NaN, with dots, and with labels."""

    x: np.ndarray
    y: np.ndarray
    tells: Sequence[Quantity] = ()
    name: str = ""
    line: Line | None = None
    opacity: float | None = None
    sizes: float | Sequence[float] = 0  # of the dots
    colors: str | Sequence[str] = ""  # of the dots; that of the line if nothing is given
    labels: Sequence[str] = ()
    label_colors: Sequence[str] = ()

    @property
    def points(self) -> Iterator[tuple[int, float, float]]:
        """The number and the place of each point."""
        for number, (x, y) in enumerate(zip(self.x.tolist(), self.y.tolist(), strict=True)):
            if x == x and y == y:
                yield number, x, y

    def told(self, number: int) -> str:
        """What is told of one of its points."""
        return "<br>".join(
            one.line.replace(VALUE, one.written(one.values[number])) for one in self.tells
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Bars:
    """Horizontal bars, one a row, with texts beyond their ends.

    Without colours, they are outlines.
    """

    values: np.ndarray
    rows: Sequence[str]
    tells: Quantity
    width: float
    begins: Sequence[float] = ()  # of each, if not 0
    colors: Sequence[str] = ()
    outline: Line | None = None
    texts: Sequence[str] = ()
    size: int = 13
    name: str = ""

    @property
    def points(self) -> Iterator[tuple[int, float, float]]:
        """The number, the value and the place of each bar."""
        for row, value in enumerate(self.values.tolist()):
            yield row, value, row

    def told(self, row: int) -> str:
        """What is told of one of them."""
        number = self.tells.written(self.values[row])
        return self.tells.line.replace("%{y}", isolated(self.rows[row])).replace(VALUE, number)

    def begin(self, row: int) -> float:
        """Where a bar begins."""
        return self.begins[row] if len(self.begins) else 0.0


def numeral(value: float, digits: int, separators: str, plus: str = "") -> str:
    """A number as the language writes it; `plus` is the sign of numbers that are not negative."""
    text = f"{abs(value):.{digits}f}"
    sign = "−" if value < 0 and float(text) > 0 else plus
    return sign + text.replace(".", separators[:1])


Part = Cells | Curve | Bars


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """A text at a place; its y may be a share of the height, from above."""

    text: str
    x: float
    y: float
    size: int = 13
    color: str = INK.text
    across: float = 0.5  # where its place lies in its width, from the left
    stands: Literal["above", "on", "below"] = "on"  # its place
    shift: tuple[float, float] = (0, 0)  # pixels to the right, and up
    is_share: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """A frame around an area."""

    across: tuple[float, float]  # from left to right
    down: tuple[float, float]
    line: Line
    fill: str = ""
    behind: bool = False  # under the cells


@dataclass(frozen=True, slots=True, kw_only=True)
class Stroke:
    """A line that goes to the right, or down; its ys may be shares of the height, from above."""

    start: tuple[float, float]
    end: tuple[float, float]
    line: Line
    is_share: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Axis:
    """One axis: the numbers at its ends, from the left or the top, and what is written along it.

    Without places for names, they are even numbers.
    """

    letter: Letter
    ends: tuple[float, float]
    places: Sequence[float] | None = None
    names: Sequence[str] | None = None  # without names, the places are
    size: int = 13
    color: str = INK.text
    title: str = ""
    title_color: str = INK.muted
    top: bool = False  # names of columns stand above the area
    level: bool = False  # they lie also where there is no room; else slanted
    lines: bool = False  # thin lines at its names
    shown: bool = True
    many: bool = False  # in the app, only the name that is pointed at is written

    def share(self, value: Places) -> Places:
        """The share of the area at which a number lies, from the left or the top."""
        low, high = self.ends
        return (value - low) / ((high - low) or 1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A colour or a line in the legend; a colour may be hatched, by a code of `explorer.masks`."""

    name: str
    color: str = ""
    code: int = 0
    line: Line | None = None


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


@dataclass(slots=True, kw_only=True)
class Drawing:
    """A picture: parts in numbers of its axes, and what is around them."""

    room: Room
    axes: Sequence[Axis]  # a letter may have two
    parts: Sequence[Part]
    texts: list[Text] = field(default_factory=list)
    marks: list[Frame | Stroke] = field(default_factory=list)
    legend: list[Entry] = field(default_factory=list)
    legend_above: bool = False
    bar: str | None = None  # the title of a colour bar for the last of the cells
    spare: int | None = None  # pixels that are free above if the names of columns lie
    kind: str = ""  # drawings of one kind have their cells at the same places
    separators: str = field(default_factory=decimal_and_group)

    @property
    def height(self) -> int:
        """Its pixels from above to below."""
        return max(self.room.height, self.room.top + self.room.down + self.room.bottom)

    @property
    def min_width(self) -> int:
        """On a narrower screen it scrolls."""
        return self.room.left + self.room.right + self.room.across

    @property
    def area(self) -> int:
        """The pixels of its area from above to below."""
        return self.height - self.room.top - self.room.bottom

    @property
    def flattest(self) -> float:
        """The share of its height that the area needs where not all names of rows are written."""
        _, y = self.main_axes
        is_written = any(part.digits is not None or part.texts for part in self.cells)
        if is_written or not y.many:
            return 1.0
        return min(1.0, SMALL * abs(y.ends[1] - y.ends[0]) / self.area)

    @property
    def in_app(self) -> dict[str, float]:
        """The pixels of it and of its area in the app, and how flat the area may become there."""
        x, _ = self.main_axes
        across = round(SMALL * abs(x.ends[1] - x.ends[0]))
        return {
            "minWidth": self.min_width - max(0, self.room.across - across) * x.many,
            "height": self.height - (self.spare or 0) * x.many,
            "area": self.area,
            "flattest": self.flattest,
        }

    @property
    def cells(self) -> list[Cells]:
        """Its cells, from the back to the front."""
        return [part for part in self.parts if isinstance(part, Cells)]

    @property
    def main_axes(self) -> tuple[Axis, Axis]:
        """The axes on which all is drawn: across, and down."""
        x, y = (next(axis for axis in self.axes if axis.letter == letter) for letter in "xy")
        return x, y

    def box(self, part: Cells) -> tuple[float, float, float, float]:
        """Left, right, top and bottom of cells, as shares of the area."""
        left, right, top, bottom = part.edges
        x, y = self.main_axes
        return x.share(left), x.share(right), y.share(top), y.share(bottom)

    def annotate(self, text: str, x: float, y: float, **more: Any) -> None:
        """Add a text, as `Text` has it."""
        self.texts.append(Text(text=text, x=x, y=y, **more))

    def frame(
        self,
        across: tuple[float, float],
        down: tuple[float, float],
        color: str = INK.text,
        width: int = 3,
        *,
        inset: float = 0,
        **more: Any,
    ) -> None:
        """Add a frame around the cells from the first to the last, across and down.

        By itself it has the look of what is chosen.
        """
        half = 0.5 - inset
        edges = [(first - half, last + half) for first, last in (across, down)]
        self.marks.append(Frame(across=edges[0], down=edges[1], line=Line(color, width), **more))
