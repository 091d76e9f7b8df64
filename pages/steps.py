"""How does one weight come about? One attention, step by step, with its own numbers."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, cast

import streamlit as st

from explorer.analysis.head_steps import HeadSteps
from explorer.attention import MultiHeadAttention, scaled_dot_product
from explorer.choices.parameters import Look, Numbers, Steps
from explorer.choices.settings import Settings
from explorer.languages import mark, tr
from explorer.names import AttentionKind
from explorer.runtime.memory import tidy_memory
from explorer.transformer import TransformerTrace
from explorer.ui.controls.attention import choose_attention, choose_head, choose_head_of
from explorer.ui.controls.buttons import button
from explorer.ui.controls.choices import choose, on_show, value
from explorer.ui.controls.widgets import segments, select_word
from explorer.ui.frame.draw import show
from explorer.ui.frame.page import heading, say_what_is_missing, show_code, stepper, weights_badge
from explorer.ui.frame.running import on_page, run
from explorer.ui.frame.stage import drawer, stage
from explorer.ui.predict.ask_me import ask_me
from explorer.ui.steps import worked_examples
from explorer.ui.steps.before_after import show_before_and_after
from explorer.ui.steps.panels import key_on_show, show_formula, show_overview, show_step
from explorer.ui.steps.what_if_controls import UNCHANGED, change_on_show, draw_change
from explorer.ui.why.parts import offer_score
from explorer.views.steps.focus import Focus, Form
from explorer.views.steps.pictures import telling_query
from explorer.views.steps.step_views import BARE_STEPS, STEP_NAMES, STEPS

CASES = {
    "model": mark("this model"),
    "toy": mark("toy numbers"),
    "two_scores": mark("scores 112 and 96"),
    "two_heads": mark("two heads by hand"),
    "masked_hundred": mark("0 to 99, masked"),
}
EXAMPLES: Mapping[str, Callable[[], worked_examples.Example]] = {
    "toy": worked_examples.toy_numbers,
    "two_scores": worked_examples.two_scores,
    "masked_hundred": worked_examples.masked_hundred,
}
CODE: Mapping[str, Callable[..., Any]] = {
    "x": TransformerTrace.attention_inputs,
    "qkv": MultiHeadAttention.project,
    "concat": MultiHeadAttention.forward,
    "out": MultiHeadAttention.forward,
}


def choose_look(settings: Settings, case: str) -> tuple[AttentionKind, int | None, int]:
    """Let the visitor choose an attention, its layer and head; an example has no layer."""
    if case == "model":
        kind, layer = choose_attention(settings)
        has_choice = settings.config.n_heads > 1
        return kind, layer, choose_head(settings, kind, layer) if has_choice else 0
    button(
        tr("Now with my sentence"),
        icon=":material/arrow_forward:",
        on_click=choose,
        args=(Numbers.case, "model"),
    )
    kind = "decoder" if case == "masked_hundred" else "encoder"
    return kind, None, choose_head_of(2) if case == "two_heads" else 0


def choose_step(offered: Sequence[str], steps: HeadSteps) -> str:
    """Let the visitor choose a step from the row."""

    def named(step: str) -> str:
        only_divides = steps.divides and steps.bias is None
        return tr(STEP_NAMES[step]) if step != "scores" or only_divides else tr("score: scale")

    draw = partial(segments, Steps.step, tr("Step"), offered, usual="dots", names=named)
    step: str = stepper(Steps.step, offered, draw)
    return step


def worked_example(settings: Settings, case: str) -> worked_examples.Example:
    """An example that is not the model's."""
    if case == "two_heads":
        seed, dropout = settings.request.seed, settings.config.dropout
        return worked_examples.two_heads(seed, dropout, settings.dropout_seed)
    return EXAMPLES[case]()


def choose_case() -> None:
    """Let the visitor choose numbers to work out on paper, and change them."""
    st.markdown(tr("Numbers to work out by hand: they stand in the place of the model's own."))
    worked_examples.show_examples(segments(Numbers.case, tr("Numbers of"), names=CASES))


def show_steps(settings: Settings) -> None:
    """Show the query in focus against every key, and the step in focus."""
    case, form = value(Numbers.case), cast(Form, value(Steps.form))
    on_show().update({Numbers.case.key: case, Steps.form.key: form})
    place = st.container(horizontal=True, vertical_alignment="center", key="choices")
    with place:
        kind, layer, head = choose_look(settings, case)
    if layer is None:
        ran, example = None, worked_example(settings, case)
    else:
        ran = run(settings)
        attention = ran.attention(kind, layer)
        example = worked_examples.from_model(ran, attention)
    n_heads, divides = example.n_heads, ran is None or settings.config.scale_scores
    change, changed = change_on_show(n_heads, divides=divides), None
    steps = example.steps(head, UNCHANGED)
    if change != UNCHANGED:
        with on_page():
            changed = example.steps(head, change)
    with place:
        usual = telling_query(example.query_labels)
        query = select_word(Look.query, tr("Query"), example.query_labels, usual)
    key = key_on_show(steps.weights[query])
    if example.about:
        st.markdown(example.about)
    step = choose_step(STEPS if steps.to_q is not None else BARE_STEPS, steps)
    keys, what = stage("keys", "what")
    with what:
        draw_change(head, n_heads, divides=divides)
        focus = Focus(
            steps=steps,
            query=query,
            key=key,
            query_labels=example.query_labels,
            key_labels=example.key_labels,
            came_from=example.came_from,
            kind=kind,
            layer=layer,
            head=head,
            form=form,
            which=segments(Steps.which, tr("Which"), names=str) if step == "qkv" else "q",
            dropout=settings.dropout_seed is not None and case in ("model", "two_heads"),
        )
        if changed is not None:
            show_before_and_after(settings, ran, focus, changed, change)
        show_step(step, focus, changed)
    with keys:
        show_overview(focus, changed, step)
        if ran is not None:
            weights_badge(settings)
    drawer(tr("The formula and all terms"), "formula", show_formula, step, focus, changed)
    drawer(tr("Examples for paper"), "examples", choose_case, by_itself=case != "model")
    if ran is not None:
        offer_score(settings, ran, attention, head, (query, key))
    show_code(CODE.get(step, scaled_dot_product))
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
    show_steps(settings)
    ask_me(settings, "steps")


show(show_page)
