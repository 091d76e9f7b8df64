"""What do you expect? Questions about the sentence above, answered before the picture is seen."""

from functools import partial

import streamlit as st

from explorer.exercises import draw
from explorer.exercises.question import Question, grade
from explorer.figures.theme import THEMES
from explorer.languages import mark, tr
from explorer.ui.controls.buttons import button
from explorer.ui.controls.choices import on_show, value
from explorer.ui.controls.widgets import number, select
from explorer.ui.frame import show
from explorer.ui.markdown import literal
from explorer.ui.page import TOPIC_NAMES, heading, show_code
from explorer.ui.parameters import Practice
from explorer.ui.practice.answering import check, say_if_unanswered, show_answer
from explorer.ui.practice.comparing import show_comparison
from explorer.ui.practice.end import show_end
from explorer.ui.practice.places import open_answer_page
from explorer.ui.practice.session import (
    begin,
    go_to,
    in_other_languages,
    new_set,
    questions_about,
    results,
)
from explorer.ui.room.asking import show_ask_button
from explorer.ui.running import run
from explorer.ui.settings import Settings

LEVEL_NAMES = {
    # Translators: for whom questions are.
    "all": mark("all levels"),
    "tour": mark("after the tour"),
    "paper": mark("with pen and paper"),
    "builders": mark("for builders"),
}


def choose_set() -> None:
    """Draw the page's own controls."""
    with st.container(horizontal=True, vertical_alignment="center", key="choices"):
        select(Practice.topic, tr("Topic"), names=TOPIC_NAMES, width=230, on_change=begin)
        select(Practice.level, tr("Level"), names=LEVEL_NAMES, width=200, on_change=begin)
        # Translators: a set of questions.
        number(Practice.questions, tr("Set"), width=190, on_change=begin)
        button(tr("New set"), key="new_set", icon=":material/casino:", on_click=new_set)
    st.caption(
        tr(
            "After the tour: what it has shown, and a look at the sentence. With pen and paper: "
            "the formulas, and a little arithmetic. For builders: shapes and parameters."
        )
    )


def show_progress(at: int, count: int) -> None:
    """Say which question this is, and how many were right so far."""
    right = sum(result.grade.is_right for result in results().values())
    text = tr("Question {at} of {count} · {right} right so far", at=at, count=count, right=right)
    st.progress((at - 1) / count, text=text)


def show_question(settings: Settings, questions: list[Question], at: int, source: str) -> None:
    """Show one question; once it is answered, what was computed."""
    result, theme = results().get(at), THEMES[settings.theme]
    now = questions[at - 1]
    question = now if result is None else result.question
    show_progress(at, len(questions))
    st.subheader(literal(question.text), anchor=False)
    with st.expander(tr("Hint"), icon=":material/lightbulb:", key=f"hint_{at}"):
        st.markdown(literal(question.hint))
    show_answer(question, at, result, theme)
    with st.container(horizontal=True, key="answer_buttons"):
        button(
            # Translators: check an answer.
            tr("Check"),
            icon=":material/check:",
            on_click=check,
            args=(question, at, source),
            disabled=result is not None,
            type="secondary" if result else "primary",
        )
        button(
            tr("Look at it"),
            icon=":material/visibility:",
            disabled=result is None,
            key="look",
            on_click=open_answer_page,
            args=(question,),
        )
        show_ask_button(question, source, partial(in_other_languages, question, at, settings))
        last = at == len(questions)
        button(
            tr("See how it went") if last else tr("Next question"),
            icon=":material/arrow_forward:",
            key=f"next_{at}",  # another button: the focus goes on to the question
            on_click=go_to,
            args=(at + 1,),
            type="primary" if result else "secondary",
        )
    say_if_unanswered(question, at)
    if result is not None:
        show_comparison(result, theme)
        if question != now:
            st.caption(
                tr("You answered this for an earlier sentence or model. It stays as it was.")
            )


def show_page(settings: Settings) -> None:
    """The whole page."""
    heading(
        tr("What do you expect?"),
        tr(
            "Answer a question about the sentence above, then look at what the model computes for "
            "it. The link in the address bar asks everybody the same questions."
        ),
    )
    choose_set()
    ran = run(settings)
    questions = questions_about(ran)
    if not questions:
        st.markdown(
            tr(
                "There is nothing to ask about {topic} here ({level}). Choose another topic or "
                "level.",
                topic=tr(TOPIC_NAMES[value(Practice.topic)]),
                level=tr(LEVEL_NAMES[value(Practice.level)]),
            )
        )
        return
    at = min(int(value(Practice.question)), len(questions) + 1)
    on_show()[Practice.question.key] = at
    if at > len(questions):
        show_end(questions, results())
    else:
        show_question(settings, questions, at, settings.sources[ran.row])
    st.caption(
        tr(
            "If you change the sentence or the model, each question is worked out anew for it; "
            "what you have answered stays as it was."
        )
    )
    kind = questions[min(at, len(questions)) - 1].kind
    show_code(
        tr("The code that ran"), draw.draw, grade, *[draw.KINDS[kind].make] * (at in results())
    )


show(show_page)
