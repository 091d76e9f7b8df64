"""A picture as a value: the drawing, its words, the code for it, and what a click on it means."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from explorer.drawing.drawing import Drawing
from explorer.export.tables import Rows, picture_rows


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """The call that draws a picture again: a method of `explorer.explore(...)`, and which picture.

    An argument that is None is left out.
    """

    method: str
    arguments: Mapping[str, object]
    number: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Click:
    """The choices that a click on a picture makes, by their keys."""

    name: str = ""  # the choice that is the name of the clicked trace
    row: str = ""  # the choice that is the clicked row
    column: str = ""
    rows: Sequence[object] | None = None  # what the rows stand for; None: their numbers
    columns: Sequence[object] | None = None
    toggles: bool = False  # whether a second click takes the choices back
    hint: str = ""  # said below the picture where it can be clicked

    def choices(self, point: Mapping[str, Any]) -> dict[str, object]:
        """The choices of a click at a `point`: x, y, and the name of the trace."""
        made: dict[str, object] = {self.name: point["name"]} if self.name else {}
        for choice, side, values in ((self.row, "y", self.rows), (self.column, "x", self.columns)):
            if choice:
                at = round(point[side])
                made[choice] = at if values is None else values[at]
        return made


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """A drawing with everything that is said of it, wherever it is shown."""

    key: str  # of the element that shows it
    title: str  # its name in the list of files
    drawing: Drawing
    alt: str  # the picture in words and numbers
    caption: str = ""  # the text below it
    summary: str = ""  # one line for places that show nothing else; else title and caption
    code: Call | None = None
    click: Click | None = None
    name: str = ""  # of its file; that of its key if nothing is given

    def __post_init__(self) -> None:
        if not self.name:
            object.__setattr__(self, "name", self.key.removesuffix("_picture").replace("_", "-"))

    @property
    def rows(self) -> Rows:
        """The numbers of the picture as a table."""
        return picture_rows(self.drawing)

    @property
    def rows_of_first(self) -> int | None:
        """The rows of the first of several tables in its file, without the header."""
        rows = self.rows
        return rows.index([]) - 1 if [] in rows else None

    @property
    def in_a_line(self) -> str:
        """One line about it, for places that show nothing else."""
        return self.summary or f"{self.title}. {self.caption}".strip()
