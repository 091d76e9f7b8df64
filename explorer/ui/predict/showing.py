"""A question: to be answered, and then with what was computed, and why."""

from collections.abc import Callable

import streamlit as st

from explorer.choices.parameters import All
from explorer.choices.settings import Settings
from explorer.exercises.facts import Asked
from explorer.exercises.question import Question, Result, Topic
from explorer.languages import tr
from explorer.markdown import literal
from explorer.ui.components.live_plot import live_plot
from explorer.ui.controls.buttons import button
from explorer.ui.frame.page import check_badge
from explorer.ui.frame.session import memory
from explorer.ui.predict.answering import (
    UNANSWERED,
    given,
    marks_of,
    say_if_unanswered,
    show_answer,
)
from explorer.ui.predict.places import open_answer_page
from explorer.ui.predict.sets import Answered, answers, key_of
from explorer.views.predict import asked_mask_picture, bars_picture


def show_question(
    settings: Settings,
    now: Asked,
    topic: Topic | All,
    more_buttons: Callable[[Asked, Question, bool], None],
) -> None:
    """Show a question of a topic's set; once it is answered, what was computed.

    `more_buttons` draws those beside *Check*; it is told whether the question is answered.
    """
    before = answers(topic).get(now.draw)
    asked = now if before is None else before.asked
    question, key = asked.worded(), key_of(asked)
    result = None if before is None else before.result()
    st.subheader(literal(question.text), anchor=False)
    with st.expander(tr("Hint"), icon=":material/lightbulb:", key=f"hint_{key}"):
        st.markdown(literal(question.hint))
    show_answer(question, key, result)
    with st.container(horizontal=True, key="answer_buttons"):
        button(
            # Translators: check an answer.
            tr("Check"),
            icon=":material/check:",
            on_click=_check,
            args=(asked, topic, settings.sources[settings.row]),
            disabled=result is not None,
            type="secondary" if result else "primary",
        )
        button(
            tr("Look at it"),
            icon=":material/visibility:",
            disabled=result is None,
            key="look",
            on_click=open_answer_page,
            args=(asked,),
        )
        more_buttons(asked, question, result is not None)
    say_if_unanswered(question, key)
    if result is not None:
        show_comparison(result)
        if asked != now:
            st.caption(
                tr("You answered this for an earlier sentence or model. It stays as it was.")
            )


def _check(asked: Asked, topic: Topic | All, source: str) -> None:
    """Keep the answer that stands in the widget; if there is none, say so in the next run."""
    key = key_of(asked)
    answer = given(asked.worded(), key)
    if answer is None:
        memory()[UNANSWERED] = key
    else:
        answers(topic)[asked.draw] = Answered(asked, answer, source)


def show_comparison(result: Result) -> None:
    """Say what is right, missed and too much, and why; draw the numbers or the mask behind it."""
    question = result.question
    check_badge(result.grade.is_right, result.verdict)
    st.markdown(literal(question.explanation))
    narrow, _ = st.columns([3, 2])
    with narrow:
        if question.bars:
            # The right one has its sign, chosen or not.
            marks = marks_of(result.grade) | dict.fromkeys(result.grade.missed, "right")
            live_plot(bars_picture(question, marks))
        if question.mask is not None:
            live_plot(asked_mask_picture(question.mask))
