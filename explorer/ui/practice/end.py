"""The end of a set: how many were right, which to repeat, and a file to keep."""

from collections.abc import Sequence

import streamlit as st

from explorer.exercises.question import Question
from explorer.exercises.results import Result, as_csv
from explorer.languages import tr
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
    for number in wrong:
        result = answered[number]
        st.button(
            f"{number} · {literal(tr(result.question.title))}",
            key=f"repeat_{number}",
            icon=":material/replay:",
            on_click=repeat,
            args=(number,),
        )
    if skipped:
        st.markdown(tr("Not answered yet:"))
    for number in skipped:
        st.button(
            f"{number} · {literal(tr(questions[number - 1].title))}",
            key=f"skipped_{number}",
            icon=":material/quiz:",
            on_click=go_to,
            args=(number,),
        )
    with st.container(horizontal=True):
        seed, topic, level = chosen_set()
        st.download_button(
            tr("Save results"),
            as_csv(sorted(answered.items())),
            f"predictions-{topic}-{level}-{seed}.csv",
            "text/csv",
            key="save_results",
            icon=":material/download:",
            on_click="ignore",
            disabled=not answered,
        )
        st.button(tr("New set"), key="another_set", icon=":material/casino:", on_click=new_set)
        st.button(tr("Back to question 1"), icon=":material/first_page:", on_click=begin)
