"""How does one weight come about? One attention, step by step, with its own numbers."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from explorer.analysis.head_steps import HeadSteps
from explorer.attention import MultiHeadAttention, scaled_dot_product
from explorer.choices.parameters import Look, Numbers, Steps
from explorer.choices.settings import Settings
from explorer.figures.theme import THEMES
from explorer.languages import mark, tr
from explorer.names import AttentionKind
from explorer.runtime.engine import tidy_memory
from explorer.transformer import TransformerTrace
from explorer.ui.controls.attention import (
    choose_attention,
    choose_head,
    choose_head_of,
)
from explorer.ui.controls.buttons import button
from explorer.ui.controls.choices import choose
from explorer.ui.controls.widgets import segments, select, select_word
from explorer.ui.frame import show
from explorer.ui.page import heading, say_what_is_missing, show_code, weights_badge
from explorer.ui.predict.ask_me import ask_me
from explorer.ui.running import on_page, run, tell
from explorer.ui.steps import worked_examples
from explorer.ui.steps.before_after import show_before_and_after
from explorer.ui.steps.panels import show_overview, show_step
from explorer.ui.steps.what_if_controls import UNCHANGED, change_on_show, draw_change
from explorer.ui.why.parts import offer_score
from explorer.views.steps.focus import Focus, Form
from explorer.views.steps.pictures import telling_query, why_hidden
from explorer.views.steps.step_views import BARE_STEPS, STEP_NAMES, STEPS

CASES = {
    "model": mark("this model"),
    "toy": mark("toy numbers"),
    "two_scores": mark("scores 112 and 96"),
    "two_heads": mark("two heads by hand"),
    "masked_hundred": mark("0 to 99, masked"),
}
# Translators: the numbers of one word, or of all words at once.
FORMS = {"vector": mark("vector"), "matrix": mark("matrix")}
CODE: Mapping[str, Callable[..., Any]] = {
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
    n_heads: int
    divides: bool  # whether the scores are divided by √d_k
    grids: Sequence[Any]  # typed numbers


def choose_view(settings: Settings) -> Chosen:
    """Draw the controls above the steps."""
    kind: AttentionKind = "encoder"
    layer, head, grids = 0, 0, []
    with st.container(horizontal=True, vertical_alignment="center", key="choices"):
        case = select(
            Numbers.case,
            tr("Numbers of"),
            names=CASES,
            width=190,
            label_visibility="collapsed",
        )
        form = segments(Steps.form, tr("Form"), names=FORMS)
        if case == "model":
            kind, layer = choose_attention(settings)
        n_heads = {"model": settings.config.n_heads, "two_heads": 2}.get(case, 1)
        if case == "model" and n_heads > 1:
            head = choose_head(settings, kind, layer)
        elif n_heads > 1:
            head = choose_head_of(n_heads)
        if case == "toy":
            button(
                tr("Now with my sentence"),
                icon=":material/arrow_forward:",
                on_click=choose,
                args=(Numbers.case, "model"),
            )
    with st.container(horizontal=True):
        if case == "toy":
            grids = worked_examples.toy_grids()
        elif case == "two_heads":
            grids = worked_examples.three_words_grid()
    divides = case != "model" or settings.config.scale_scores
    return Chosen(case, kind, layer, head, form, n_heads, divides, grids)


def choose_words(example: worked_examples.Example, steps: HeadSteps) -> tuple[int, int]:
    """Let the visitor choose a query and a key, by their positions."""
    usual = example.usual_query
    if usual is None:
        usual = telling_query(example.query_labels)
    with st.container(horizontal=True, key="words"):
        query = select_word(Look.query, tr("Query"), example.query_labels, usual)
        largest = int(steps.weights[query].argmax())
        key = select_word(Look.key, tr("Key"), example.key_labels, largest)
    return query, key


def choose_step(offered: Sequence[str], steps: HeadSteps) -> str:
    """Let the visitor choose a step from the row."""

    def named(step: str) -> str:
        only_divides = steps.divides and steps.bias is None
        return tr(STEP_NAMES[step]) if step != "scores" or only_divides else tr("score: scale")

    step: str = segments(Steps.step, tr("Step"), offered, usual="dots", names=named)
    return step


def offer_next(step: str, offered: Sequence[str]) -> None:
    """A button that leads to the next step."""
    at = offered.index(step)
    button(
        tr("Next step"),
        icon=":material/arrow_forward:",
        on_click=choose,
        args=(Steps.step, offered[min(at + 1, len(offered) - 1)]),
        disabled=at == len(offered) - 1,
    )


def worked_example(settings: Settings, chosen: Chosen) -> worked_examples.Example:
    """The chosen example that is not the model's."""
    if chosen.case == "toy":
        return worked_examples.toy_numbers(*chosen.grids)
    if chosen.case == "two_scores":
        return worked_examples.two_scores()
    if chosen.case == "masked_hundred":
        return worked_examples.masked_hundred()
    return worked_examples.two_heads(
        chosen.grids[0], settings.request.seed, settings.config.dropout, settings.dropout_seed
    )


def show_steps(settings: Settings, chosen: Chosen) -> None:
    """Show the query in focus against every key, and the step in focus."""
    ran = run(settings) if chosen.case == "model" else None
    change = change_on_show(chosen.n_heads, divides=chosen.divides)
    other = None
    if ran is not None:
        if change != UNCHANGED:
            with on_page():
                other = ran.what_if(chosen.kind, chosen.layer, change, tell=tell)
        attention = ran.attention(chosen.kind, chosen.layer)
        example = worked_examples.from_model(ran, attention, other)
    else:
        example = worked_example(settings, chosen)
    steps = example.steps(chosen.head, UNCHANGED)
    changed = None if change == UNCHANGED else example.steps(chosen.head, change)
    if example.about:
        st.markdown(example.about)
    offered = STEPS if steps.to_q is not None else BARE_STEPS
    step = choose_step(offered, steps)
    left, right = st.columns([3, 4])
    with left:
        query, key = choose_words(example, steps)
    causal = chosen.kind == "decoder" or chosen.case == "masked_hundred"
    reasons = why_hidden(steps, query, example.key_labels, causal=causal)
    with right:
        with st.container(horizontal=True, vertical_alignment="center", key="what_if"):
            offer_next(step, offered)
            draw_change(step, change, chosen.n_heads, divides=chosen.divides)
        focus = Focus(
            steps=steps,
            query=query,
            key=key,
            query_labels=example.query_labels,
            key_labels=example.key_labels,
            reason=reasons[key],
            came_from=example.came_from,
            kind=chosen.kind,
            layer=chosen.layer if chosen.case == "model" else None,
            head=chosen.head,
            form=chosen.form,
            which=segments(Steps.which, tr("Which"), names=str) if step == "qkv" else "q",
            dropout=settings.dropout_seed is not None and chosen.case in ("model", "two_heads"),
        )
        if changed is not None:
            show_before_and_after(settings, ran, focus, changed, other, change)
        show_step(step, focus, changed)
    with left:
        show_overview(focus, changed, reasons, step, THEMES[settings.theme])
        if ran is not None:
            weights_badge(settings)
    if ran is not None:
        offer_score(settings, ran, attention, chosen.head, (query, key))
    show_code(tr("The code that ran"), CODE.get(step, scaled_dot_product))
    tidy_memory()


def show_page(settings: Settings) -> None:
    """The whole page."""
    heading(
        tr("How does one weight come about?"),
        tr(
            "Follow one query and one key through one head. Choose a row or click a cell, and "
            "every step shows its numbers."
        ),
    )
    say_what_is_missing(settings)
    chosen = choose_view(settings)
    show_steps(settings, chosen)
    ask_me(settings, "steps")


show(show_page)
