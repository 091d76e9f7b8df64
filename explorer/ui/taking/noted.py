"""The pictures and numbers on the page, noted while the panel that offers them as files is open."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from explorer.export.tables import Rows
from explorer.ui.frame.session import memory
from explorer.ui.frame.stage import TAKES, is_open
from explorer.views.picture import Picture

_NOTED: Final = "noted"


@dataclass(frozen=True, slots=True, kw_only=True)
class Noted:
    """A picture or table of the page, for files."""

    name: str  # of its file
    rows: Callable[[], Rows]
    picture: Picture | None  # None for a table

    @property
    def title(self) -> str:
        """Its name in a list."""
        return self.name if self.picture is None else self.picture.title


def begin_notes() -> None:
    """Forget the pictures and numbers of the page's last run."""
    memory().pop(_NOTED, None)


def note(make: Callable[[], Picture]) -> None:
    """Remember a picture of the page; it is made only if it may be taken."""
    if is_open(TAKES):
        picture = make()
        note_rows(picture.key, picture.name, lambda: picture.rows, picture)


def note_rows(
    key: str, name: str, rows: Callable[[], Rows], picture: Picture | None = None
) -> None:
    """Remember how to make the rows of the picture, or table, with this key."""
    if is_open(TAKES):  # while the panel is closed, nothing is kept
        memory().setdefault(_NOTED, {})[key] = Noted(name=name, rows=rows, picture=picture)


def noted() -> dict[str, Noted]:
    """The page's pictures and tables by their keys."""
    found: dict[str, Noted] = memory().get(_NOTED, {})
    return found
