"""How does one weight come about? One attention, step by step, with its own numbers."""

from collections.abc import Sequence
from dataclasses import replace
from typing import get_args

import numpy as np
import streamlit as st

from explorer.attention import scaled_dot_product
from explorer.figures.attention import Heads, one_head
from explorer.figures.describe import attention_in_words
from explorer.figures.equation import cell_at, equation
from explorer.figures.theme import THEMES, Theme
from explorer.steps import HeadSteps, head_steps
from explorer.text import PAD
from explorer.transformer import AttentionKind, TransformerTrace
from explorer.ui import cases
from explorer.ui.cases import Case
from explorer.ui.controls import IN_URL, choice, choose_word, keep_choice
from explorer.ui.frame import begin
from explorer.ui.ledger import ledger
from explorer.ui.live_plot import live_plot
from explorer.ui.number_grid import reset
from explorer.ui.page import heading, show_code, weights_badge
from explorer.ui.reading import Reading, read
from explorer.ui.settings import CASES, FORMS, TEMPERATURES, Settings
from explorer.ui.step_views import BARE_STEPS, STEPS, Focus, StepView, step_view
from explorer.what_if import AttentionChange, ChangedAttention

UNCHANGED = AttentionChange()
CODE = {
    "q k v": cases.MultiHeadAttention.project,
    "concat": cases.MultiHeadAttention.forward,
    "× W_O": cases.MultiHeadAttention.forward,
}


def forget_change() -> None:
    """Everything as it was again."""
    st.session_state.update(unscaled=False, unmasked=False, temperature=1.0, off_head=None)


def choose_change(n_heads: int) -> AttentionChange:
    """What if: the controls of one change."""
    with st.popover("What if …", icon=":material/experiment:"):
        unscaled = st.toggle("no division by √d_k", False, key="unscaled", **IN_URL)
        unmasked = st.toggle("no mask", False, key="unmasked", **IN_URL)
        temperature = st.select_slider(
            "scores divided by a temperature",
            TEMPERATURES,
            1.0,
            key="temperature",
            format_func=str,
            **IN_URL,
        )
        off_head = None
        if n_heads > 1:
            heads = range(1, n_heads + 1)
            if st.session_state.get("off_head") is not None:
                keep_choice("off_head", heads)
            off_head = st.selectbox(
                "one head switched off",
                heads,
                index=None,
                placeholder="none",
                key="off_head",
                **IN_URL,
            )
        st.button("Back to how it was", on_click=forget_change)
    return AttentionChange(
        scaled=not unscaled,
        masked=not unmasked,
        temperature=temperature,
        without_head=None if off_head is None else off_head - 1,
    )


def change_in_words(change: AttentionChange) -> str:
    """What is different, for everybody who looks at the page."""
    parts = [
        "no division by √d_k" if not change.scaled else "",
        "no mask" if not change.masked else "",
        f"temperature {change.temperature}" if change.temperature != 1.0 else "",
        f"head {change.without_head + 1} switched off" if change.without_head is not None else "",
    ]
    return "What if: " + ", ".join(filter(None, parts))


def model_case(settings: Settings, reading: Reading, kind: AttentionKind, layer: int) -> Case:
    """The attention in focus, of the model on screen."""
    model, trace = reading.loaded.model, reading.trace

    def steps(head: int, change: AttentionChange) -> HeadSteps:
        ran = trace
        if change != UNCHANGED:
            seed = settings.dropout_seed if settings.dropout else None
            ran = reading.what_if(kind, layer, change, seed)
        return head_steps(
            ChangedAttention(model.attention(kind, layer), change),
            ran.attention_inputs(kind, layer),
            ran.attention(kind, layer),
            head,
        )

    below = "embedding + position" if layer == 0 else f"the output of layer {layer}"
    return Case(
        steps=steps,
        n_heads=settings.n_heads,
        query_labels=reading.src_labels if kind == "encoder" else reading.tgt_labels,
        key_labels=reading.tgt_labels if kind == "decoder" else reading.src_labels,
        came_from="Queries come from the decoder (after its self-attention), keys and values from "
        "the encoder's memory."
        if kind == "cross"
        else f"x is {below}.",
    )


def usual_query(case: Case) -> int:
    """“it” where there is one (what does *it* look at?), else the word in the middle."""
    if case.usual_query is not None:
        return case.usual_query
    words = [at for at, label in enumerate(case.query_labels) if label != PAD]
    its = [at for at in words if case.query_labels[at] == "it"]
    return [*its, *words[len(words) // 2 :], 0][0]


def why_hidden(steps: HeadSteps, query: int, labels: list[str], causal: bool) -> list[str]:
    """For every key the reason why this query may not attend to it."""
    return [
        ""
        if allowed
        else "PAD, future"
        if causal and key > query and label == PAD
        else "future"
        if causal and key > query
        else "PAD"
        for key, (label, allowed) in enumerate(
            zip(labels, steps.may_attend[query].tolist(), strict=True)
        )
    ]


def pick_key(key: int) -> None:
    """A row of the table was chosen."""
    st.session_state.key_chosen = key


def pick_cell(point: dict[str, object]) -> None:
    """A cell of a picture was clicked."""
    name, row, column = cell_at(point)
    if name in ("dots", "scores", "masked", "weights") and st.session_state.form == "matrix":
        st.session_state.query_chosen, st.session_state.key_chosen = row, column
    elif name in ("dots", "scores", "masked", "weights", "keys", "products", "v", "shares"):
        st.session_state.key_chosen = row
    elif name == "k_t":
        st.session_state.key_chosen = column
    elif name in ("q", "context", "x_query", "concat", "out") and st.session_state.form == "matrix":
        st.session_state.query_chosen = row


def pick_weight(point: dict[str, int]) -> None:
    """A cell of the weights was clicked."""
    st.session_state.query_chosen, st.session_state.key_chosen = point["y"], point["x"]


def show_overview(
    focus: Focus, changed: HeadSteps | None, reasons: list[str], kind: str, theme: Theme
) -> None:
    """One query against every key; or, in matrix form, every query against every key."""
    if focus.form == "vector":
        ledger(
            focus.steps,
            focus.query,
            focus.key,
            focus.query_labels,
            focus.key_labels,
            reasons,
            theme,
            changed=changed,
            on_pick=pick_key,
        )
        return
    for steps, name in ((focus.steps, "weights"), (changed, "what_if_weights")):
        if steps is None:
            continue
        heads = Heads(
            weights=steps.weights[None],
            scores=steps.scores[None],
            query_labels=focus.query_labels,
            key_labels=focus.key_labels,
        )
        live_plot(
            one_head(heads, 0, theme, kind=kind, cell=(focus.query, focus.key)),
            key=name,
            alt=attention_in_words(steps.weights, focus.query_labels, focus.key_labels),
            caption="" if name == "weights" else "What if: the same head with the change.",
            file_name=name,
            on_pick=pick_weight,
        )


def show_step(name: str, focus: Focus, changed: HeadSteps | None, theme: Theme) -> None:
    """The step in focus: formula, numbers, picture, and what it changed."""
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
        on_pick=pick_cell,
    )
    other = None if changed is None else step_view(name, replace(focus, steps=changed))
    if other is not None and not same_pictures(view, other):
        st.markdown(f"**What if: {other.title}**")
        with st.container(key="by_hand_what_if"):
            st.code(other.numbers, language=None, wrap_lines=True)
        live_plot(
            equation(other.matrices, other.signs, theme),
            key="step_what_if",
            alt=f"What if, {other.title}. {other.numbers}",
            caption=other.changed,
            file_name=f"step-{STEPS.index(name) + 1}-what-if",
            on_pick=pick_cell,
        )


def same_pictures(view: StepView, other: StepView) -> bool:
    """Whether the change has not yet begun to show in this step."""
    return all(
        np.array_equal(one.values, two.values, equal_nan=True)
        for one, two in zip(view.matrices, other.matrices, strict=True)
    )


def show_effect(
    reading: Reading, kind: AttentionKind, layer: int, words: np.ndarray, other: TransformerTrace
) -> None:
    """What the change does to the layer's output and to the logits, at the positions of words."""
    before, after = (
        trace.attention(kind, layer).out[0].cpu().numpy()[words] for trace in (reading.trace, other)
    )
    moved = np.linalg.norm(after - before, axis=1) / np.linalg.norm(before, axis=1).clip(1e-9)
    asked = np.array([label != PAD for label in reading.tgt_labels])
    logits, new = (trace.logits[0].cpu().numpy()[asked] for trace in (reading.trace, other))
    differ = int((logits.argmax(axis=1) != new.argmax(axis=1)).sum())
    st.info(
        f"The output of this attention moves by {moved.mean():.0%} of its length (mean over "
        f"{len(moved)} tokens). Logits change by up to {np.abs(new - logits).max():.3f}, and the "
        f"most probable next word changes at {differ} of {len(logits)} positions.",
        icon=":material/experiment:",
    )


def step_by(name: str) -> None:
    """A button for the step before or after was pressed."""
    st.session_state.step = name


def choose_step(offered: Sequence[str]) -> str:
    """Which step: from the row, or one back or on."""
    state = st.session_state
    if "step" in state and state.step not in offered:
        state.step = "q·k"
    with st.container(horizontal=True, vertical_alignment="center", key="step_row"):
        step: str = st.segmented_control(
            "Step",
            offered,
            default="q·k",
            required=True,
            key="step",
            label_visibility="collapsed",
            **IN_URL,
        )
        at = offered.index(step)
        st.button(
            "Next step",
            icon=":material/arrow_forward:",
            on_click=step_by,
            args=(offered[min(at + 1, len(offered) - 1)],),
            disabled=at == len(offered) - 1,
            type="tertiary",
        )
    return step


def show_page(settings: Settings) -> None:
    """The whole page."""
    heading(
        "How does one weight come about?",
        "Follow one query and one key through one head. Choose a row or click a cell, and every "
        "step shows its numbers.",
    )
    show_attention(settings)


@st.fragment  # a click runs this part alone
def show_attention(settings: Settings) -> None:
    """Everything that the page's own controls and clicks change."""
    theme = THEMES[settings.theme]
    kind: AttentionKind = "encoder"
    layer = 0
    reading = None
    choices = st.container(horizontal=True, vertical_alignment="center", key="choices")
    with choices:
        name = st.selectbox(
            "Numbers of", CASES, key="case", width=190, label_visibility="collapsed", **IN_URL
        )
        if name == CASES[0]:
            kind = st.segmented_control(
                "Attention",
                get_args(AttentionKind),
                default="encoder",
                required=True,
                key="attention",
                label_visibility="collapsed",
                **IN_URL,
            )
            layers = settings.n_encoder_layers if kind == "encoder" else settings.n_decoder_layers
            layer = choice("Layer", range(1, layers + 1), key="layer", width=112) - 1
    if name == CASES[0]:
        reading = read(settings)
        case = model_case(settings, reading, kind, layer)
    else:
        with st.container(horizontal=True):
            if name == CASES[1]:
                case = cases.toy_numbers()
                st.button("Reset", on_click=reset, args=("toy_q", "toy_k", "toy_v"))
            elif name == CASES[2]:
                case = cases.two_heads(settings.seed, settings.dropout, settings.dropout_seed)
                st.button("Reset", on_click=reset, args=("toy_x",))
            else:
                case = cases.masked_hundred()
    with choices:
        head = 1
        if case.n_heads > 1:
            head = choice("Head", range(1, case.n_heads + 1), key="head", width=112)
        form = st.segmented_control(
            "Form", FORMS, default="vector", required=True, key="form",
            label_visibility="collapsed", **IN_URL
        )  # fmt: skip
        change = choose_change(case.n_heads)
    steps = case.steps(head - 1, UNCHANGED)
    changed = None if change == UNCHANGED else case.steps(head - 1, change)
    if case.about:
        st.markdown(case.about)
    if changed is not None:
        st.badge(change_in_words(change), icon=":material/experiment:", color="violet")
    left, right = st.columns([11, 12])
    with left, st.container(horizontal=True, key="words"):
        query = choose_word("Query", case.query_labels, usual_query(case), key="query")
        key = choose_word("Key", case.key_labels, int(steps.weights[query].argmax()), key="key")
    causal = kind == "decoder" or name == CASES[3]
    reasons = why_hidden(steps, query, list(case.key_labels), causal)
    with right:
        offered = STEPS if steps.to_q is not None else BARE_STEPS
        step = choose_step(offered)
        which = "q"
        if step == "q k v":
            which = st.segmented_control(
                "Which", ["q", "k", "v"], default="q", required=True, key="which",
                label_visibility="collapsed", **IN_URL
            )  # fmt: skip
    focus = Focus(
        steps=steps,
        query=query,
        key=key,
        query_labels=case.query_labels,
        key_labels=case.key_labels,
        reason=reasons[key],
        came_from=case.came_from,
        head=head - 1,
        form=form,
        which=which,
    )
    with left:
        show_overview(focus, changed, reasons, kind, theme)
        if reading is not None and changed is not None:
            seed = settings.dropout_seed if settings.dropout else None
            words = np.array([label != PAD for label in case.query_labels])
            show_effect(reading, kind, layer, words, reading.what_if(kind, layer, change, seed))
        if reading is not None:
            weights_badge(settings)
    with right:
        show_step(step, focus, changed, theme)
    show_code("The code that ran", CODE.get(step, scaled_dot_product))


show_page(begin())
