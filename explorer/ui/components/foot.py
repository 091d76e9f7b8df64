"""The line below every page: the language, and presenter mode, by a button and by a key."""

from collections.abc import Callable

import streamlit as st

from explorer.languages import tr
from explorer.ui.components.component import as_json, component

_component = component(
    "foot",
    '<footer class="foot"><label><span></span> <select></select></label>'
    '<button type="button" aria-keyshortcuts="P"></button></footer>',
)


def foot(
    language: dict[str, object],
    *,
    on_turn: Callable[[int], None],
    on_language: Callable[[object], None],
) -> None:
    """Draw the line, and have the browser know the `language` of the page.

    Before the next run `on_turn` is called with 1 for the next page, −1 for the last (in presenter
    mode there is no navigation to click on), or `on_language` with the code of a language.
    """

    def turned() -> None:
        on_turn(-1 if st.session_state.foot.turned == -1 else 1)

    def spoken() -> None:
        on_language(st.session_state.foot.spoken)

    texts = {
        "language": tr("Language"),
        "present": tr("Presenter mode (P)"),
        "leave": tr("Leave presenter mode (Escape)"),
    }
    _component(
        key="foot",
        data=as_json({**language, "texts": texts}),
        on_turned_change=turned,
        on_spoken_change=spoken,
    )
