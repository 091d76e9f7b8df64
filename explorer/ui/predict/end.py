"""The end of a set: how many were right, and which to repeat."""

from collections.abc import Callable

import streamlit as st

from explorer.choices.parameters import All
from explorer.exercises.draw import kinds_in_turn
from explorer.exercises.facts import KINDS
from explorer.exercises.question import Topic
from explorer.languages import tr
from explorer.ui.controls.buttons import button
from explorer.ui.predict.sets import answers_in_set, begin, go_to, new_set, repeat


def show_end(topic: Topic | All, seed: int, size: int) -> None:
    """Say how the set went, and offer what comes next."""
    answered = answers_in_set(topic, seed)
    wrong = {n: one.asked.kind for n, one in answered.items() if not one.result().grade.is_right}
    kinds = kinds_in_turn(seed, None if topic == "all" else topic)[:size]
    skipped = {n: kind for n, kind in enumerate(kinds, 1) if n not in answered}
    right = len(answered) - len(wrong)
    st.subheader(tr("{right} of {questions} right", right=right, questions=size), anchor=False)
    _offer(tr("Repeat these:"), wrong, "repeat", ":material/replay:", repeat)
    _offer(tr("Not answered yet:"), skipped, "skipped", ":material/quiz:", go_to)
    with st.container(horizontal=True):
        button(tr("New set"), key="next_set", icon=":material/casino:", on_click=new_set)
        button(tr("Back to question 1"), icon=":material/first_page:", on_click=begin)


def _offer(
    text: str, kinds: dict[int, str], key: str, icon: str, action: Callable[[int], None]
) -> None:
    """Questions by their numbers, if there are any."""
    if kinds:
        st.markdown(text)
    for n, kind in kinds.items():
        label = f"{n} · {tr(KINDS[kind].title)}"
        button(label, key=f"{key}_{n}", icon=icon, on_click=action, args=(n,))
