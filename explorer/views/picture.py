"""A picture as a value: the drawing, its words, the code for it, and what a click on it means."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from explorer.export.tables import Rows, picture_rows
from explorer.figures.drawing import Drawing


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """What draws a picture again: a method of `explorer.explore(...)`, and which of its pictures.

    An argument that is None is left out.
    """

    method: str
    arguments: Mapping[str, object]
    number: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Click:
    """What a click on a picture chooses."""

    toggles: ClassVar[bool] = False  # whether a second click takes the choices back

    def choices(self, point: Mapping[str, Any]) -> dict[str, object]:
        """The choices by their keys; `point` is the clicked place and its trace: x, y, name."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True, kw_only=True)
class PicksName(Click):
    """The choice gets the name of the clicked trace."""

    choice: str

    def choices(self, point: Mapping[str, Any]) -> dict[str, object]:
        """As in `Click`."""
        return {self.choice: point["name"]}


@dataclass(frozen=True, slots=True, kw_only=True)
class PicksCell(Click):
    """The query and the key of the clicked cell, by the positions of the rows and columns."""

    toggles: ClassVar[bool] = True
    queries: Sequence[int]
    keys: Sequence[int]

    def choices(self, point: Mapping[str, Any]) -> dict[str, object]:
        """As in `Click`."""
        return {"query": self.queries[point["y"]], "key": self.keys[point["x"]]}


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """A drawing with everything that is said of it, wherever it is shown."""

    key: str  # of the element that shows it
    name: str  # of its file
    title: str  # what it is called among the files
    drawing: Drawing
    alt: str  # the picture in words and numbers
    caption: str = ""  # the text below it
    summary: str = ""  # one line for places that show nothing else; else title and caption
    code: Call | None = None
    click: Click | None = None

    @property
    def rows(self) -> Rows:
        """The numbers of the picture as a table."""
        return picture_rows(self.drawing.spec)

    @property
    def in_a_line(self) -> str:
        """What it shows, for places that show nothing else."""
        return self.summary or f"{self.title}. {self.caption}".strip()
