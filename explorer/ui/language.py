"""The language of this visitor: the one chosen, or the browser's."""

import streamlit as st

from explorer.languages import LANGUAGES, RIGHT_TO_LEFT, ask_readers, closest, speak, spoken
from explorer.ui import internals
from explorer.ui.address import NOTES
from explorer.ui.controls.choices import choose, chosen
from explorer.ui.parameters import Frame
from explorer.ui.query import with_language


def language_asked_for() -> str:
    """The language that this visitor wants to read."""
    if internals.session_id() == "":
        return closest(None)
    if NOTES not in st.session_state or internals.is_history_navigation():
        # The address is applied only after the names of the pages have been written.
        params = with_language(st.query_params.to_dict())
        language = Frame.lang.within({}).read(params.get(Frame.lang.key, ""))
    else:
        language = chosen(Frame.lang)
    return language or closest(st.context.locale)


def speak_to_visitor() -> None:
    """Write what follows in the visitor's language. Begin every whole run with it."""
    speak(language_asked_for())


def take_language(language: object) -> None:
    """From a callback: make this the language; the browser's own one needs no choice."""
    if language in LANGUAGES:
        own = closest(st.context.locale)
        choose(Frame.lang, None if language == own else language)
        st.session_state[NOTES] = []  # they are about a link, in the language before
        speak(str(language))


def for_browser() -> dict[str, object]:
    """The language and all languages to choose from, for the browser."""
    return {
        "language": spoken(),
        "direction": "rtl" if spoken() in RIGHT_TO_LEFT else "ltr",
        "languages": LANGUAGES,
    }


ask_readers(language_asked_for)
