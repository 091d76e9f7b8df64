"""The numbers on the page, noted while the panel that offers them as files is open."""

from collections.abc import Callable
from typing import Final

import streamlit as st

from explorer.export.tables import Rows
from explorer.languages import speaking, spoken

OPEN: Final = "take"  # the key of the panel
_NOTED: Final = "noted"


def begin_notes() -> None:
    """Forget the numbers of the page's last run."""
    if _NOTED in st.session_state:
        del st.session_state[_NOTED]


def note(key: str, file_name: str, rows: Callable[[], Rows]) -> None:
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


def noted() -> dict[str, tuple[str, Callable[[], Rows]]]:
    """The file names and rows of the page's pictures and tables, by their keys."""
    found: dict[str, tuple[str, Callable[[], Rows]]] = st.session_state.get(_NOTED, {})
    return found
