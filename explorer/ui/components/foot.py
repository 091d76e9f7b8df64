"""The line below every page: presenter mode, by a button and by a key."""

from collections.abc import Callable

import streamlit as st

from explorer.ui.components.component import as_json, component

_component = component(
    "foot",
    '<footer class="foot"><button type="button" aria-keyshortcuts="P"></button></footer>',
)


def foot(on_turn: Callable[[int], None]) -> None:
    """Draw the line. `on_turn` is called before the next run: 1 for the next page, −1 for the last.

    (In presenter mode there is no navigation to click on.)
    """

    def turned() -> None:
        on_turn(-1 if st.session_state.foot.turned == -1 else 1)

    _component(key="foot", data=as_json({}), on_turned_change=turned)
