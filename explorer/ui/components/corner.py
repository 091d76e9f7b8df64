"""The corner above every page: the keys, presenter mode and the language."""

from collections.abc import Callable

import streamlit as st

from explorer.languages import tr
from explorer.ui.components.component import component
from explorer.ui.shortcuts import SHORTCUTS

_component = component(
    "corner",
    '<div class="corner"><button type="button" class="keys" popovertarget="keys"></button>'
    '<button type="button" class="present" aria-keyshortcuts="P"></button>'
    '<select></select><div id="keys" popover><dl></dl><label class="single">'
    '<input type="checkbox"><span></span></label></div></div>',
    prose=True,
)


def corner(
    page: str, language: dict[str, object], *, on_language: Callable[[object], None]
) -> None:
    """Draw the corner, and have the browser know the `language` of the page, and its name.

    Before the next run `on_language` is called with the code of a language.
    """
    texts = {
        "language": tr("Language"),
        "keys": tr("Keyboard"),
        "present": tr("Presenter mode (P)"),
        "leave": tr("Leave presenter mode (Escape)"),
        "single": tr("Single keys work: P, N, B, W and ?"),
        "shortcuts": [[tr(keys), tr(does)] for keys, does in SHORTCUTS.items()],
    }
    _component(
        key="corner",
        data={**language, "page": page, "texts": texts},
        on_spoken_change=lambda: on_language(st.session_state.corner.spoken),
    )
