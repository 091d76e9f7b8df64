"""The widget for the answer to one question, and what stands in it."""

from functools import partial
from typing import Any, Final

import streamlit as st

from explorer.exercises.question import Answer, Grade, Question, Result, as_typed, read_answer
from explorer.figures.exercises import SIGNS, Mark
from explorer.languages import spoken, tr
from explorer.markdown import literal
from explorer.numerals import NumberError
from explorer.ui.components.answer_cells import answer_cells, checked_cells
from explorer.ui.frame.session import held, memory
from explorer.ui.predict.sets import drafts
from explorer.views.predict import COMPARED

CELLS: Final = "answer_cells"
UNANSWERED: Final = "unanswered"


def show_answer(question: Question, key: str, result: Result | None, *, keep: str = "") -> None:
    """Draw the widget for the answer; once it is checked, it only shows the answer.

    The window keeps marked cells over a reload if there is a name to `keep` them under.
    """
    take = partial(drafts().__setitem__, key)
    answer = drafts().get(key) if result is None else result.answer
    # Another key: a widget that becomes disabled ignores the value sent with the same request.
    shown = key if result is None else f"{key}_checked"
    if question.grid is not None and result is None:
        pressed = drafts().get(key, frozenset())
        answer_cells(
            question.text, question.grid, key=CELLS, pressed=pressed, on_press=take, keep=keep
        )
    elif question.grid is not None and result is not None:
        checked_cells(question.text, question.grid, marks_of(result.grade), key=CELLS)
    elif question.form == "choice":
        chosen = answer if isinstance(answer, int) else None
        st.radio(
            tr("Your answer"),
            range(len(question.options)),
            index=chosen,
            format_func=lambda option: _option_in_words(question, result, option),
            key=held(shown, chosen, take, spoken()),
            disabled=result is not None,
        )
    else:
        typed = as_typed(answer) if isinstance(answer, int | float) else str(answer or "")
        st.text_input(
            tr("Your answer, a whole number") if question.whole else tr("Your answer"),
            typed,
            key=held(shown, typed, take),
            disabled=result is not None,
            width=260,
        )
        if result is None and (why := _unreadable(question, key)):
            st.caption(literal(why))


def _option_in_words(question: Question, result: Result | None, option: int) -> str:
    """An option of a choice; once the answer is checked, with its mark."""
    label = literal(question.options[option])
    worth = "" if result is None else marks_of(result.grade).get(option, "")
    if not worth:
        return label
    sign = SIGNS["right" if worth == "missed" else worth]
    return f"**{sign} {label}** · {tr(COMPARED[worth])}"


def marks_of(found: Grade) -> dict[Any, Mark]:
    """The mark of each part of an answer."""
    marks: dict[Any, Mark] = dict.fromkeys(found.right, "right")
    marks |= dict.fromkeys(found.missed, "missed")
    return marks | dict.fromkeys(found.too_much, "too much")


def say_if_unanswered(question: Question, key: str) -> bool:
    """Ask for an answer if the last click found none; returns whether it did."""
    if memory().pop(UNANSWERED, None) != key:
        return False
    if not _unreadable(question, key):  # else the field says so
        st.caption(tr("Answer first: a wrong guess teaches more than none."))
    return True


def given(question: Question, key: str) -> Answer | None:
    """The answer in the widget; None if there is none."""
    answer: Any = drafts().get(key)
    if question.form != "number":
        chosen: Answer | None = answer
        return chosen
    try:
        return read_answer(question, answer) if answer else None
    except NumberError:
        return None


def _unreadable(question: Question, key: str) -> str:
    """Why the number in a field cannot be read; empty if it can."""
    typed = drafts().get(key)
    if question.form != "number" or not str(typed or "").strip():
        return ""
    try:
        read_answer(question, str(typed))
    except NumberError as error:
        return str(error)
    return ""
