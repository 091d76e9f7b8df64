"""The two halves of the step-by-step page: one query with all keys, and the step in focus."""

from dataclasses import replace

import numpy as np
import streamlit as st

from explorer.analysis.head_steps import HeadSteps
from explorer.figures.theme import Theme
from explorer.languages import tr
from explorer.ui.components.live_plot import live_plot
from explorer.ui.components.step_table import step_table
from explorer.views.steps.focus import Focus
from explorer.views.steps.pictures import step_picture, weights_picture
from explorer.views.steps.step_views import StepView, step_view


def show_overview(
    focus: Focus, changed: HeadSteps | None, reasons: list[str], step: str, theme: Theme
) -> None:
    """Show one query against every key or, in matrix form, every query against every key."""
    if focus.form == "vector":
        step_table(focus, reasons, changed, theme)
        return
    live_plot(weights_picture(focus, step))
    if changed is not None:
        live_plot(weights_picture(focus, step, changed))


def show_step(name: str, focus: Focus, changed: HeadSteps | None) -> None:
    """Show the step in focus: its formula, numbers and picture, and the same after the change."""
    view = step_view(name, focus)
    st.markdown(f"**{view.title}** $\\quad {view.formula}$")
    with st.container(key="by_hand"):
        st.code(view.numbers, language=None, wrap_lines=True)
    live_plot(step_picture(name, focus, view))
    other = None if changed is None else step_view(name, replace(focus, steps=changed))
    if other is not None and not _same_pictures(view, other):
        st.markdown(tr("**What if: {step}**", step=other.title))
        with st.container(key="by_hand_what_if"):
            st.code(other.numbers, language=None, wrap_lines=True)
        live_plot(step_picture(name, focus, other, changed=True))


def _same_pictures(view: StepView, other: StepView) -> bool:
    """Whether the change has no effect on this step."""
    return all(
        np.array_equal(one.values, two.values, equal_nan=True)
        for one, two in zip(view.matrices, other.matrices, strict=True)
    )
