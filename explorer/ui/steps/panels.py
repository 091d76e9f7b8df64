"""The two halves of the step-by-step page: one query with all keys, and the step in focus."""

from dataclasses import replace

import numpy as np
import streamlit as st

from explorer.analysis.comparison import difference
from explorer.analysis.head_steps import HeadSteps
from explorer.figures.theme import Theme
from explorer.languages import tr, tr_n
from explorer.names import PAD, AttentionKind
from explorer.runtime.engine import Run
from explorer.transformer import TransformerTrace
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
    live_plot(weights_picture(focus, step, theme))
    if changed is not None:
        live_plot(weights_picture(focus, step, theme, changed))


def show_step(name: str, focus: Focus, changed: HeadSteps | None, theme: Theme) -> None:
    """Show the step in focus: its formula, numbers, picture and change."""
    view = step_view(name, focus)
    st.markdown(f"**{view.title}** $\\quad {view.formula}$")
    with st.container(key="by_hand"):
        st.code(view.numbers, language=None, wrap_lines=True)
    live_plot(step_picture(name, focus, view, theme))
    other = None if changed is None else step_view(name, replace(focus, steps=changed))
    if other is not None and not _same_pictures(view, other):
        st.markdown(tr("**What if: {step}**", step=other.title))
        with st.container(key="by_hand_what_if"):
            st.code(other.numbers, language=None, wrap_lines=True)
        live_plot(step_picture(name, focus, other, theme, changed=True))


def show_effect(ran: Run, other: TransformerTrace, kind: AttentionKind, layer: int) -> None:
    """Show the effect of the change on the layer's output and on the logits, without PAD."""
    src, tgt = ([label != PAD for label in labels] for labels in (ran.src_labels, ran.tgt_labels))
    made = difference(ran.trace, other, kind, layer, src, tgt)
    if made is not None:
        moved = tr_n(
            "The output of this attention moves by {output:.0%} of its length (mean over {n} "
            "token).",
            "The output of this attention moves by {output:.0%} of its length (mean over {n} "
            "tokens).",
            made.n_tokens,
            output=made.output,
        )
        changed = tr_n(
            "Logits change by up to {logits:.3f}, and the most probable word changes at {words} of "
            "{n} position.",
            "Logits change by up to {logits:.3f}, and the most probable word changes at {words} of "
            "{n} positions.",
            made.n_positions,
            logits=made.logits,
            words=made.next_words,
        )
        st.info(f"{moved} {changed}", icon=":material/experiment:")


def _same_pictures(view: StepView, other: StepView) -> bool:
    """Whether the change has no effect on this step."""
    return all(
        np.array_equal(one.values, two.values, equal_nan=True)
        for one, two in zip(view.matrices, other.matrices, strict=True)
    )
