"""One question: its text, the widget for the answer, and the button that checks it."""

import zlib
from functools import partial
from typing import Any, Final

import streamlit as st

from explorer.exercises.question import Answer, Cell, Grade, Question, as_typed, read_answer
from explorer.exercises.results import Result
from explorer.figures.exercises import SIGNS, Mark
from explorer.figures.theme import Theme
from explorer.languages import spoken, tr
from explorer.numerals import NumberError
from explorer.runtime.shares import NUMBER_LENGTH
from explorer.ui.components.answer_cells import answer_cells, checked_cells
from explorer.ui.markdown import literal
from explorer.ui.practice.session import chosen_set, drafts, results, sentence_of
from explorer.ui.session import held, memory
from explorer.views.practice import COMPARED

CELLS: Final = "answer_cells"
UNANSWERED: Final = "unanswered"


def key_of(question: Question, number: int) -> str:
    """The key of the widget: another question at the same place has another key.

    It is the same in all languages, so that an answer outlives a change of the language.
    """
    seed, topic, level = chosen_set()
    asked = (question.kind, sentence_of(number))
    return f"answer_{seed}_{topic}_{level}_{number}_{zlib.crc32(repr(asked).encode()):08x}"


def show_answer(
    question: Question, number: int, result: Result | None, theme: Theme, *, keep: str = ""
) -> None:
    """Draw the widget for the answer; once it is checked, it only shows the answer.

    The window keeps marked cells over a reload if there is a name to `keep` them under.
    """
    key, done = key_of(question, number), result is not None
    given = None if result is None else result.answer
    # Another key: a widget that becomes disabled ignores the value sent with the same request.
    shown = f"{key}_checked" if done else key
    if question.form == "cells":
        _show_cells(question, key, result, theme, keep)
    elif question.form == "choice":
        chosen = given if done else drafts().get(key)
        st.radio(
            tr("Your answer"),
            range(len(question.options)),
            index=chosen if isinstance(chosen, int) else None,
            format_func=lambda option: _option_in_words(question, result, option),
            key=held(shown, chosen, partial(drafts().__setitem__, key), spoken()),
            disabled=done,
        )
    else:
        _show_field(question, key, shown, given, done=done)


def _option_in_words(question: Question, result: Result | None, option: int) -> str:
    """An option of a choice; once the answer is checked, with its mark."""
    label = literal(question.options[option])
    worth = "" if result is None else marks_of(result.grade).get(option, "")
    if not worth:
        return label
    sign = SIGNS["right" if worth == "missed" else worth]
    return f"**{sign} {label}** · {tr(COMPARED[worth])}"


def _show_field(
    question: Question, key: str, shown: str, given: Answer | None, *, done: bool
) -> None:
    """A field for numbers, as they are typed in the reader's language; what is wrong, below it."""
    if question.form == "shape":
        label = tr("Your answer: {axes}", axes=", ".join(question.axes))
        example = tr("Sizes with commas between them")
    else:
        label = tr("Your answer, a whole number") if question.whole else tr("Your answer")
        example = ""
    typed = drafts().get(key, "")
    if given is not None and not isinstance(given, frozenset):
        typed = as_typed(given)
    st.text_input(
        label,
        typed,
        placeholder=example,
        key=held(shown, typed, partial(drafts().__setitem__, key)),
        disabled=done,
        max_chars=NUMBER_LENGTH,
        width=420 if question.form == "shape" else 260,
    )
    if not done and (why := unreadable(question, key)):
        st.caption(literal(why))


def _show_cells(
    question: Question, key: str, result: Result | None, theme: Theme, kept: str
) -> None:
    grid = question.grid
    if grid is None:
        raise ValueError(f"a question with cells needs a grid, got {question.kind} without one")

    def keep(cells: frozenset[Cell]) -> None:
        drafts()[key] = cells

    if result is None:
        pressed = drafts().get(key, frozenset())
        answer_cells(question.text, grid, key=CELLS, pressed=pressed, on_press=keep, keep=kept)
    else:
        checked_cells(question.text, grid, marks_of(result.grade), theme, key=CELLS)


def marks_of(found: Grade) -> dict[Any, Mark]:
    """The mark of each part of an answer."""
    marks: dict[Any, Mark] = dict.fromkeys(found.right, "right")
    marks |= dict.fromkeys(found.missed, "missed")
    return marks | dict.fromkeys(found.too_much, "too much")


def check(question: Question, number: int, source: str) -> None:
    """Keep the answer that stands in the widget; if there is none, say so in the next run."""
    answer = given(question, key_of(question, number))
    if answer is None:
        memory()[UNANSWERED] = number
    else:
        results()[number] = Result(question=question, answer=answer, source=source)


def say_if_unanswered(question: Question, number: int) -> bool:
    """Ask for an answer if the last click found none; returns whether it did."""
    if memory().pop(UNANSWERED, None) != number:
        return False
    if not unreadable(question, key_of(question, number)):  # else the field says so
        st.caption(tr("Answer first: a wrong guess teaches more than none."))
    return True


def given(question: Question, key: str) -> Answer | None:
    """The answer in the widget; None if there is none."""
    typed: Any = drafts().get(key)
    if question.form == "cells":
        return None if typed is None else frozenset(typed)
    if question.form == "choice":
        return None if typed is None else int(typed)
    try:
        return read_answer(question, str(typed)) if typed else None
    except NumberError:
        return None


def unreadable(question: Question, key: str) -> str:
    """Why the answer in a field cannot be read; empty if it can."""
    typed = drafts().get(key)
    if question.form not in ("number", "shape") or not str(typed or "").strip():
        return ""
    try:
        read_answer(question, str(typed))
    except NumberError as error:
        return str(error)
    return ""
