"""How does one weight come about? One attention, step by step, with its own numbers."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from explorer.analysis.head_steps import HeadSteps
from explorer.analysis.what_if import AttentionChange
from explorer.attention import MultiHeadAttention, scaled_dot_product
from explorer.figures.theme import THEMES
from explorer.names import PAD, AttentionKind
from explorer.runtime.engine import tidy_memory
from explorer.transformer import TransformerTrace
from explorer.ui.address import part_of_page
from explorer.ui.controls.attention import choose_attention, choose_head, choose_head_of
from explorer.ui.controls.choices import choose
from explorer.ui.controls.widgets import segments, select, select_word
from explorer.ui.frame import show
from explorer.ui.page import heading, say_what_is_missing, show_code, weights_badge
from explorer.ui.parameters import CASE, FORM, KEY, QUERY, STEP, WHICH
from explorer.ui.running import on_page, run, tell
from explorer.ui.settings import Settings
from explorer.ui.steps import worked_examples
from explorer.ui.steps.focus import Focus, Form
from explorer.ui.steps.panels import show_effect, show_overview, show_step, why_hidden
from explorer.ui.steps.step_views import BARE_STEPS, STEP_NAMES, STEPS
from explorer.ui.steps.what_if_controls import UNCHANGED, change_in_words, choose_change
from explorer.ui.steps.worked_examples import Example

CASES = {
    "model": "this model",
    "toy": "toy numbers",
    "two_heads": "two heads by hand",
    "masked_hundred": "0 to 99, masked",
}
CODE = {
    "x": TransformerTrace.attention_inputs,
    "qkv": MultiHeadAttention.project,
    "concat": MultiHeadAttention.forward,
    "out": MultiHeadAttention.forward,
}


@dataclass(frozen=True)
class Chosen:
    """The choices above the steps."""

    case: str
    kind: AttentionKind
    layer: int  # from 0
    head: int  # from 0
    form: Form
    change: AttentionChange
    grids: Sequence[Any]  # typed numbers


def choose_view(settings: Settings) -> Chosen:
    """Draw the controls above the steps."""
    kind: AttentionKind = "encoder"
    layer, head, grids = 0, 0, []
    with st.container(horizontal=True, vertical_alignment="center", key="choices"):
        case = select(
            CASE, "Numbers of", names=CASES.__getitem__, width=190, label_visibility="collapsed"
        )
        if case == "model":
            kind, layer = choose_attention(settings)
        n_heads = {"model": settings.config.n_heads, "two_heads": 2}.get(case, 1)
        if case == "model" and n_heads > 1:
            head = choose_head(settings, kind, layer)
        elif n_heads > 1:
            head = choose_head_of(n_heads)
        form = segments(FORM, "Form")
        change = choose_change(n_heads, divides=case != "model" or settings.config.scale_scores)
    with st.container(horizontal=True):
        if case == "toy":
            grids = worked_examples.toy_grids()
        elif case == "two_heads":
            grids = worked_examples.three_words_grid()
    return Chosen(case, kind, layer, head, form, change, grids)


def choose_step(offered: Sequence[str], steps: HeadSteps) -> str:
    """Let the visitor choose a step from the row, or go to the next one."""

    def named(step: str) -> str:
        only_divides = steps.divides and steps.bias is None
        return STEP_NAMES[step] if step != "scores" or only_divides else "score"

    with st.container(horizontal=True, vertical_alignment="center", key="step_row"):
        step: str = segments(STEP, "Step", offered, usual="dots", names=named)
        at = offered.index(step)
        st.button(
            "Next step",
            icon=":material/arrow_forward:",
            on_click=choose,
            args=(STEP, offered[min(at + 1, len(offered) - 1)]),
            disabled=at == len(offered) - 1,
            type="tertiary",
        )
    return step


def usual_query(example: Example) -> int:
    """“it” if the sentence has one (what does *it* look at?), else the word in the middle."""
    if example.usual_query is not None:
        return example.usual_query
    words = [at for at, label in enumerate(example.query_labels) if label != PAD]
    its = [at for at in words if example.query_labels[at] == "it"]
    return [*its, *words[len(words) // 2 :], 0][0]


def show_steps(settings: Settings, chosen: Chosen) -> None:
    """Show the query in focus against every key, and the step in focus."""
    # The model is not an argument: Streamlit keeps a part's arguments for the whole session.
    ran = run(settings) if chosen.case == "model" else None
    other = None
    if ran is not None:
        if chosen.change != UNCHANGED:
            with on_page():
                other = ran.what_if(chosen.kind, chosen.layer, chosen.change, tell=tell)
        attention = ran.attention(chosen.kind, chosen.layer)
        example = worked_examples.from_model(ran, attention, other)
    elif chosen.case == "toy":
        example = worked_examples.toy_numbers(*chosen.grids)
    elif chosen.case == "two_heads":
        example = worked_examples.two_heads(
            *chosen.grids, settings.request.seed, settings.config.dropout, settings.dropout_seed
        )
    else:
        example = worked_examples.masked_hundred()
    theme = THEMES[settings.theme]
    steps = example.steps(chosen.head, UNCHANGED)
    changed = None if chosen.change == UNCHANGED else example.steps(chosen.head, chosen.change)
    if example.about:
        st.markdown(example.about)
    left, right = st.columns([11, 12])
    with left, st.container(horizontal=True, key="words"):
        query = select_word(QUERY, "Query", example.query_labels, usual_query(example))
        key = select_word(KEY, "Key", example.key_labels, int(steps.weights[query].argmax()))
    causal = chosen.kind == "decoder" or chosen.case == "masked_hundred"
    reasons = why_hidden(steps, query, list(example.key_labels), causal)
    with right:
        step = choose_step(STEPS if steps.to_q is not None else BARE_STEPS, steps)
        focus = Focus(
            steps=steps,
            query=query,
            key=key,
            query_labels=example.query_labels,
            key_labels=example.key_labels,
            reason=reasons[key],
            came_from=example.came_from,
            head=chosen.head,
            form=chosen.form,
            which=segments(WHICH, "Which") if step == "qkv" else "q",
            dropout=settings.dropout_seed is not None and chosen.case in ("model", "two_heads"),
        )
        show_step(step, focus, changed, theme)
    with left:
        show_overview(focus, changed, reasons, chosen.kind, theme)
        if ran is not None:
            if other is not None:
                show_effect(ran, other, chosen.kind, chosen.layer)
            weights_badge(settings)
    show_code("The code that ran", CODE.get(step, scaled_dot_product))
    tidy_memory()


def show_page(settings: Settings) -> None:
    """The whole page."""
    heading(
        "How does one weight come about?",
        "Follow one query and one key through one head. Choose a row or click a cell, and every "
        "step shows its numbers.",
    )
    say_what_is_missing(settings)
    chosen = choose_view(settings)
    if chosen.change != UNCHANGED:
        st.badge(change_in_words(chosen.change), icon=":material/experiment:", color="violet")
    part_of_page(show_steps)(settings, chosen)  # clicks on a word, cell or step rerun only this


show(show_page)
