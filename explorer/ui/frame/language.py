"""The language of this visitor: the one chosen, or the browser's."""

import streamlit as st

from explorer.choices.parameters import Frame
from explorer.choices.query import with_language
from explorer.languages import LANGUAGES, RIGHT_TO_LEFT, ask_readers, closest, speak, spoken
from explorer.ui.controls.choices import choose, chosen
from explorer.ui.frame.address import NOTES
from explorer.ui.frame.session import has_session, memory, session


def language_asked_for() -> str:
    """The language that this visitor wants to read."""
    if not has_session():
        return closest(None)
    if session().address is None:  # the address is taken in the reader's language
        params = with_language(st.query_params.to_dict())
        language = Frame.lang.within({}).read(params.get(Frame.lang.key, ""))
    else:
        language = chosen(Frame.lang)
    return language or closest(st.context.locale)


def speak_to_visitor() -> None:
    """Write what follows in the visitor's language."""
    speak(language_asked_for())


def take_language(language: object) -> None:
    """Make this the language; the browser's own one needs no choice."""
    if language in LANGUAGES:
        own = closest(st.context.locale)
        choose(Frame.lang, None if language == own else language)
        memory()[NOTES] = []  # they are about a link, in the language before
        speak(str(language))


def for_browser() -> dict[str, object]:
    """The language and all languages to choose from, for the browser."""
    return {
        "language": spoken(),
        "direction": "rtl" if spoken() in RIGHT_TO_LEFT else "ltr",
        "languages": LANGUAGES,
    }


ask_readers(language_asked_for)
