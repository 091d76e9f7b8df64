"""A checked answer beside what was computed, and why."""

import streamlit as st

from explorer.exercises.question import Bars, Cell, Grid, Question
from explorer.exercises.results import Result
from explorer.figures.exercises import Mark
from explorer.figures.theme import Theme
from explorer.languages import mark, tr
from explorer.ui.components.answer_cells import checked_cells
from explorer.ui.components.live_plot import live_plot
from explorer.ui.markdown import literal
from explorer.ui.page import check_badge
from explorer.ui.practice.answering import marks_of
from explorer.views.practice import COMPARED, asked_mask_picture, bars_picture

# Translators: what stands beside each other in a comparison.
YOURS, COMPUTED = mark("your answer"), mark("computed")


def show_comparison(result: Result, theme: Theme) -> None:
    """Draw what is right, missed and too much, and explain it."""
    question = result.question
    check_badge(result.grade.is_right, result.verdict)
    st.markdown(literal(question.explanation))
    if question.form == "choice":
        _show_choice(question, result, theme)
    elif question.form == "number":
        _show_number(question, result, theme)
    elif question.form == "shape":
        _show_shape(question, result, theme)
    if question.mask is not None:
        narrow, _ = st.columns([3, 2])
        with narrow:
            live_plot(asked_mask_picture(question.mask, theme))


def _show_choice(question: Question, result: Result, theme: Theme) -> None:
    """The numbers behind a choice; the options themselves show which was right."""
    bars = question.bars
    if bars is not None:
        marks = marks_of(result.grade) if bars.labels == question.options else {}
        # The right one has its sign, chosen or not.
        marks |= {at: "right" for at, worth in marks.items() if worth == "missed"}
        _draw_bars(bars, [marks.get(at, "") for at in range(len(bars.labels))], theme)


def _show_number(question: Question, result: Result, theme: Theme) -> None:
    given, right = result.answer, question.right
    assert isinstance(given, int | float)
    assert isinstance(right, int | float)
    is_right = result.grade.is_right
    labels = (tr(YOURS), tr(COMPUTED))
    both = Bars(name="", labels=labels, values=(float(given), float(right)))
    marks: list[Mark] = ["right", "right"] if is_right else ["too much", "missed"]
    _draw_bars(both, marks, theme, signs_explained=False)
    if question.bars is not None:
        bars = question.bars
        _draw_bars(bars, [""] * len(bars.labels), theme, key="computed_numbers")


def _show_shape(question: Question, result: Result, theme: Theme) -> None:
    given, right = result.answer, question.right
    assert isinstance(given, tuple)
    assert isinstance(right, tuple)
    longest = max(len(given), len(right))
    names = (
        *question.axes,
        *(tr("axis {number}", number=n + 1) for n in range(len(right), longest)),
    )
    texts = {(0, n): str(size) for n, size in enumerate(given)}
    texts |= {(1, n): str(size) for n, size in enumerate(right)}
    marks: dict[Cell, Mark] = {}
    for n in range(longest):
        same = n < len(given) and n < len(right) and given[n] == right[n]
        if n < len(given):
            marks[0, n] = "right" if same else "too much"
        if n < len(right):
            marks[1, n] = "right" if same else "missed"
    name = tr("Your shape and the computed one")
    grid = Grid(rows=(tr(YOURS), tr(COMPUTED)), columns=names)
    checked_cells(name, grid, marks, theme, key="compared_shapes", words=COMPARED, texts=texts)


def _draw_bars(
    bars: Bars,
    marks: list[Mark],
    theme: Theme,
    *,
    key: str = "compared",
    signs_explained: bool = True,
) -> None:
    narrow, _ = st.columns([3, 2])
    with narrow:
        live_plot(bars_picture(bars, marks, theme, key=key, signs_explained=signs_explained))
