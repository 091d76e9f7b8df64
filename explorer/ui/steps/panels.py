"""The two halves of the step-by-step page: one query with all keys, and the step in focus."""

from dataclasses import replace

import numpy as np
import streamlit as st

from explorer.analysis.head_steps import HeadSteps
from explorer.choices.parameters import Look, Steps
from explorer.languages import mark, tr
from explorer.ui.components.live_plot import live_plot
from explorer.ui.components.step_table import step_table
from explorer.ui.controls.choices import chosen, on_show
from explorer.ui.controls.widgets import segments
from explorer.views.steps.focus import Focus
from explorer.views.steps.pictures import step_picture, weights_picture
from explorer.views.steps.step_views import StepView, step_view

# Translators: the numbers of one word, or of all words at once.
FORMS = {"vector": mark("vector"), "matrix": mark("matrix")}


def key_on_show(weights: np.ndarray) -> int:
    """The chosen key, or that with the largest weight."""
    key = chosen(Look.key)
    if key is None:
        return int(weights.argmax())
    key = on_show()[Look.key.key] = min(key, len(weights) - 1)
    return key


def show_overview(focus: Focus, changed: HeadSteps | None, step: str) -> None:
    """Show one query against every key or, in matrix form, every query against every key."""
    if focus.form == "vector":
        step_table(focus, changed)
        return
    live_plot(weights_picture(focus, step))
    if changed is not None:
        live_plot(weights_picture(focus, step, changed))


def show_step(name: str, focus: Focus, changed: HeadSteps | None) -> None:
    """Show the step in focus: its numbers and picture, and the same after the change."""
    view, other = _views(name, focus, changed)
    st.markdown(f"**{view.title}**")
    live_plot(step_picture(name, focus, view))
    _write(view, "by_hand")
    if other is not None:
        st.markdown(tr("**What if: {step}**", step=other.title))
        live_plot(step_picture(name, focus, other, changed=True))
        _write(other, "by_hand_what_if")


def show_formula(name: str, focus: Focus, changed: HeadSteps | None) -> None:
    """Show the formula of the step in focus, and its sums with all of their terms."""
    view, other = _views(name, replace(focus, whole=True), changed)
    st.markdown(f"$\\displaystyle {view.formula}$")
    _write(view, "by_hand_whole")
    if other is not None:
        st.markdown(tr("**What if: {step}**", step=other.title))
        _write(other, "by_hand_whole_what_if")
    segments(Steps.form, tr("Form"), names=FORMS)


def _views(name: str, focus: Focus, changed: HeadSteps | None) -> tuple[StepView, StepView | None]:
    """The step, and that after the change if the change has an effect on it."""
    view = step_view(name, focus)
    other = None if changed is None else step_view(name, replace(focus, steps=changed))
    return view, None if other is None or _same_pictures(view, other) else other


def _write(view: StepView, key: str) -> None:
    with st.container(key=key):
        st.code(view.numbers, language=None, wrap_lines=True)


def _same_pictures(view: StepView, other: StepView) -> bool:
    """Whether the change has no effect on this step."""
    return all(
        np.array_equal(one.values, two.values, equal_nan=True)
        for one, two in zip(view.matrices, other.matrices, strict=True)
    )
