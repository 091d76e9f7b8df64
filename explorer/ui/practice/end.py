"""The end of a set: how many were right, which to repeat, and a file to keep."""

from collections.abc import Callable, Sequence
from functools import partial

import streamlit as st

from explorer.exercises.question import Question
from explorer.exercises.results import Result, as_csv
from explorer.languages import tr
from explorer.ui.components.csv_button import csv_button, say_signs
from explorer.ui.controls.buttons import button
from explorer.ui.markdown import literal
from explorer.ui.practice.session import begin, chosen_set, go_to, new_set, repeat


def show_end(questions: Sequence[Question], answered: dict[int, Result]) -> None:
    """Say how the set went, and offer what comes next."""
    right = [number for number, result in answered.items() if result.grade.is_right]
    wrong = [number for number in sorted(answered) if number not in right]
    skipped = [n for n in range(1, len(questions) + 1) if n not in answered]
    st.subheader(
        tr("{right} of {questions} right", right=len(right), questions=len(questions)),
        anchor=False,
    )
    if wrong:
        st.markdown(tr("Repeat these:"))
    for n in wrong:
        _offer(n, answered[n].question, f"repeat_{n}", ":material/replay:", repeat)
    if skipped:
        st.markdown(tr("Not answered yet:"))
    for n in skipped:
        _offer(n, questions[n - 1], f"skipped_{n}", ":material/quiz:", go_to)
    with st.container(horizontal=True):
        seed, topic, level = chosen_set()
        csv_button(
            tr("Save results"),
            partial(as_csv, sorted(answered.items())),
            f"predictions-{topic}-{level}-{seed}.csv",
            key="save_results",
            disabled=not answered,
        )
        button(tr("New set"), key="another_set", icon=":material/casino:", on_click=new_set)
        button(tr("Back to question 1"), icon=":material/first_page:", on_click=begin)
    say_signs()


def _offer(
    number: int, question: Question, key: str, icon: str, action: Callable[[int], None]
) -> None:
    label = f"{number} · {literal(tr(question.title))}"
    button(label, key=key, icon=icon, on_click=action, args=(number,))
