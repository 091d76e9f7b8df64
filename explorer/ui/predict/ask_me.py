"""*Ask me*, on a page: one question after another about what the page shows."""

from typing import Any

import streamlit as st

from explorer.choices.settings import Settings
from explorer.exercises.draw import size_of_set
from explorer.exercises.facts import Asked
from explorer.exercises.question import Question, Topic
from explorer.languages import tr
from explorer.ui.controls.buttons import button
from explorer.ui.frame.running import run
from explorer.ui.frame.session import memory
from explorer.ui.frame.stage import drawer
from explorer.ui.predict.sets import question_at
from explorer.ui.predict.showing import show_question


def ask_me(settings: Settings, topic: Topic) -> None:
    """Offer a question of the page on show, to be answered beside its pictures."""
    drawer(tr("Ask me"), "ask_me", _ask, settings, topic)


def _ask(settings: Settings, topic: Topic) -> None:
    seed, number = _reached().get(topic, (0, 1))
    asked = question_at(run(settings), topic, seed, number)
    if asked is None:
        st.markdown(tr("There is nothing to ask about this model here."))
        return

    def another(asked: Asked, question: Question, answered: bool) -> None:
        button(
            tr("Another question"),
            icon=":material/arrow_forward:",
            key=f"another_{seed}_{number}",  # another button: the focus goes on to the question
            on_click=_go_on,
            args=(topic, seed, number),
            type="primary" if answered else "secondary",
        )

    show_question(settings, asked, topic, another)


def _go_on(topic: Topic, seed: int, number: int) -> None:
    is_last = number == size_of_set(topic)
    _reached()[topic] = (seed + 1, 1) if is_last else (seed, number + 1)


def _reached() -> dict[Any, tuple[int, int]]:
    """The set and the number of the question that each page has reached."""
    found: dict[Any, tuple[int, int]] = memory().setdefault("ask_me", {})
    return found
