"""The two halves of the step-by-step page: one query with all keys, and the step in focus."""

from dataclasses import replace

import numpy as np
import streamlit as st

from explorer.analysis.comparison import difference
from explorer.analysis.head_steps import HeadSteps
from explorer.figures.attention import Heads, one_head
from explorer.figures.describe import attention_in_words
from explorer.figures.equation import cell_at, equation
from explorer.figures.theme import Theme
from explorer.languages import tr, tr_n
from explorer.names import PAD, AttentionKind
from explorer.runtime.engine import Run
from explorer.transformer import TransformerTrace
from explorer.ui.components.live_plot import live_plot
from explorer.ui.components.step_table import step_table
from explorer.ui.controls.choices import choose_clicked, value
from explorer.ui.parameters import FORM, KEY, QUERY, STEP
from explorer.ui.steps.focus import Focus
from explorer.ui.steps.step_views import STEPS, StepView, step_view

# Matrices in which a click picks a query and a key, only a key, or only a query.
PICKS_BOTH = ("dots", "bias", "scores", "masked", "weights")
PICKS_KEY = ("keys", "products", "v", "shares", "x_key")
PICKS_QUERY = ("q", "x_query", "context", "concat", "out")


def why_hidden(steps: HeadSteps, query: int, labels: list[str], causal: bool) -> list[str]:
    """For every key, the reason why this query may not attend to it, or nothing."""
    return [
        ""
        if allowed
        else tr("PAD, future")
        if causal and key > query and label == PAD
        else tr("future")
        if causal and key > query
        else PAD
        for key, (label, allowed) in enumerate(
            zip(labels, steps.may_attend[query].tolist(), strict=True)
        )
    ]


def show_overview(
    focus: Focus, changed: HeadSteps | None, reasons: list[str], kind: str, theme: Theme
) -> None:
    """Show one query against every key or, in matrix form, every query against every key."""
    if focus.form == "vector":
        step_table(
            focus.steps,
            focus.query,
            focus.key,
            focus.query_labels,
            focus.key_labels,
            reasons,
            theme,
            changed=changed,
            on_pick=_pick_key,
        )
        return
    for steps, name in ((focus.steps, "head_weights"), (changed, "what_if_weights")):
        if steps is None:
            continue
        heads = Heads(
            weights=steps.weights[None],
            scores=steps.scores[None],
            may_attend=steps.may_attend,
            query_labels=focus.query_labels,
            key_labels=focus.key_labels,
        )
        live_plot(
            one_head(heads, 0, theme, kind=kind, cell=(focus.query, focus.key)),
            key=name,
            alt=attention_in_words(steps.weights, focus.query_labels, focus.key_labels),
            caption="" if name == "head_weights" else tr("What if: the same head with the change."),
            file_name=name,
            on_pick=_pick_weight,
        )


def show_step(name: str, focus: Focus, changed: HeadSteps | None, theme: Theme) -> None:
    """Show the step in focus: its formula, numbers, picture and change."""
    view = step_view(name, focus)
    st.markdown(f"**{view.title}** $\\quad {view.formula}$")
    with st.container(key="by_hand"):
        st.code(view.numbers, language=None, wrap_lines=True)
    live_plot(
        equation(view.matrices, view.signs, theme),
        key="step_picture",
        alt=f"{view.title}: "
        + ", ".join(f"{m.title} {m.shape or m.values.shape}" for m in view.matrices)
        + f". {view.numbers}",
        caption=view.changed,
        file_name=f"step-{STEPS.index(name) + 1}",
        on_pick=_pick_cell,
    )
    other = None if changed is None else step_view(name, replace(focus, steps=changed))
    if other is not None and not _same_pictures(view, other):
        st.markdown(tr("**What if: {step}**", step=other.title))
        with st.container(key="by_hand_what_if"):
            st.code(other.numbers, language=None, wrap_lines=True)
        live_plot(
            equation(other.matrices, other.signs, theme),
            key="step_what_if",
            alt=tr("What if, {step}. {numbers}", step=other.title, numbers=other.numbers),
            caption=other.changed,
            file_name=f"step-{STEPS.index(name) + 1}-what-if",
            on_pick=_pick_cell,
        )


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


def _pick_key(key: int) -> None:
    """Choose the key of the clicked row."""
    choose_clicked(KEY, key)


def _pick_weight(point: dict[str, int]) -> None:
    """Choose the query and the key of the clicked weight."""
    choose_clicked(QUERY, point["y"])
    choose_clicked(KEY, point["x"])


def _pick_cell(point: dict[str, object]) -> None:
    """Choose the query or the key, or both, of the clicked cell."""
    name, row, column = cell_at(point)
    whole = value(FORM) == "matrix"
    if value(STEP) == "qkv":  # its matrices have a row per word only in matrix form
        if whole and not name.startswith("w_"):
            choose_clicked(QUERY if name in ("q", "x_q") else KEY, row)
    elif name in PICKS_BOTH and whole:
        choose_clicked(QUERY, row)
        choose_clicked(KEY, column)
    elif name in (*PICKS_BOTH, *PICKS_KEY):
        choose_clicked(KEY, row)
    elif name == "k_t":
        choose_clicked(KEY, column)
    elif whole and name in PICKS_QUERY:
        choose_clicked(QUERY, row)
