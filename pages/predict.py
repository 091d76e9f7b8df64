"""What do you expect? Questions about the sentence above, answered before the picture is seen."""

from functools import partial

import streamlit as st

from explorer.choices.parameters import Predict
from explorer.choices.settings import Settings
from explorer.exercises import draw
from explorer.exercises.draw import size_of_set
from explorer.exercises.facts import KINDS, Asked
from explorer.exercises.question import Question, grade
from explorer.languages import mark, tr
from explorer.ui.controls.buttons import button
from explorer.ui.controls.choices import choose, on_show, value
from explorer.ui.controls.widgets import number, select
from explorer.ui.frame.draw import show
from explorer.ui.frame.page import fold, heading, show_code
from explorer.ui.frame.running import run
from explorer.ui.predict.end import show_end
from explorer.ui.predict.sets import (
    answers_in_set,
    begin,
    go_to,
    hides_answer,
    in_other_languages,
    new_set,
    question_at,
)
from explorer.ui.predict.showing import show_question
from explorer.ui.room.asking import show_ask_button

TOPIC_NAMES = {
    "all": mark("all topics"),
    "masks": mark("masks"),
    "positions": mark("positions"),
    "attention": mark("attention"),
    "steps": mark("step by step"),
    "stack": mark("the stack"),
    "decoding": mark("decoding"),
    "why": mark("causes"),
}


def choose_set() -> None:
    """Draw the page's own controls."""
    with st.container(horizontal=True, vertical_alignment="center", key="choices"):
        select(Predict.topic, tr("Topic"), names=TOPIC_NAMES, width=230, on_change=begin)
        # Translators: a set of questions.
        number(Predict.questions, tr("Set"), width=190, on_change=begin)
        button(tr("New set"), key="new_set", icon=":material/casino:", on_click=new_set)


def show_asked(settings: Settings, at: int, size: int) -> None:
    """Show one question of the set."""
    topic, seed = value(Predict.topic), value(Predict.questions)
    asked = question_at(run(settings), topic, seed, at, value(Predict.kind))
    if asked is None:
        st.markdown(tr("There is nothing to ask about this model here."))
        return
    was_hidden = hides_answer()
    choose(Predict.kind, asked.kind)  # so the address asks the same for ever
    if hides_answer() != was_hidden:  # the line was drawn for the kind that has nothing to ask here
        st.rerun()
    on_show()[Predict.kind.key] = asked.kind
    right = sum(one.result().grade.is_right for one in answers_in_set(topic, seed).values())
    text = tr("Question {at} of {count} · {right} right so far", at=at, count=size, right=right)
    st.progress((at - 1) / size, text=text)

    def more_buttons(asked: Asked, question: Question, answered: bool) -> None:
        source = settings.sources[settings.row]
        show_ask_button(question, source, partial(in_other_languages, asked))
        button(
            tr("See how it went") if at == size else tr("Next question"),
            icon=":material/arrow_forward:",
            key=f"next_{at}",  # another button: the focus goes on to the question
            on_click=go_to,
            args=(at + 1,),
            type="primary" if answered else "secondary",
        )

    show_question(settings, asked, topic, more_buttons)
    show_code(draw.ask, KINDS[asked.kind].facts, grade)


def show_page(settings: Settings) -> None:
    """The whole page."""
    heading(
        tr("What do you expect?"),
        tr(
            "Answer a question about the sentence above, then look at what the model computes for "
            "it. The link in the address bar asks everybody the same questions."
        ),
    )
    topic, seed, at = value(Predict.topic), value(Predict.questions), value(Predict.question)
    on_show().update({"topic": topic, "questions": seed, "question": at})
    size = size_of_set(None if topic == "all" else topic)
    if at > size and value(Predict.kind) is None:
        show_end(topic, seed, size)
    else:
        show_asked(settings, at, max(at, size))
    fold(tr("Another set"), "another_set", choose_set, icon=":material/tune:")


show(show_page)
