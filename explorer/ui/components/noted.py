"""The pictures and numbers on the page, noted while the panel that offers them as files is open."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import streamlit as st

from explorer.export.tables import Rows
from explorer.figures.drawing import Drawing
from explorer.languages import speaking, spoken

OPEN: Final = "take"  # the key of the panel
_NOTED: Final = "noted"
_SHOWN: Final = "noted_pictures"


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A picture of the page with its words."""

    drawing: Drawing
    title: str
    alt: str
    caption: str


def begin_notes() -> None:
    """Forget the pictures and numbers of the page's last run."""
    for kept in (_NOTED, _SHOWN):
        if kept in st.session_state:
            del st.session_state[kept]


def note(key: str, file_name: str, rows: Callable[[], Rows], picture: Shown | None = None) -> None:
    """Remember how to make the rows of the picture or table with this key.

    While the panel is closed, nothing is kept.
    """
    if not st.session_state.get(OPEN):
        return
    language = spoken()

    def in_language() -> Rows:  # called later, by a thread that knows no reader
        with speaking(language):
            return rows()

    st.session_state.setdefault(_NOTED, {})[key] = (file_name, in_language)
    if picture is not None:
        st.session_state.setdefault(_SHOWN, {})[key] = picture


def pictures_noted() -> dict[str, Shown]:
    """The pictures of the page by their keys."""
    found: dict[str, Shown] = st.session_state.get(_SHOWN, {})
    return found


def noted() -> dict[str, tuple[str, Callable[[], Rows]]]:
    """The file names and rows of the page's pictures and tables, by their keys."""
    found: dict[str, tuple[str, Callable[[], Rows]]] = st.session_state.get(_NOTED, {})
    return found
