"""How does one weight come about? One attention, step by step, with its own numbers."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import streamlit as st

from explorer.analysis.head_steps import HeadSteps
from explorer.analysis.what_if import AttentionChange
from explorer.attention import MultiHeadAttention, scaled_dot_product
from explorer.figures.attention import Heads, one_head
from explorer.figures.describe import attention_in_words
from explorer.figures.equation import cell_at, equation
from explorer.figures.theme import THEMES, Theme
from explorer.names import PAD, AttentionKind
from explorer.runtime.turns import in_turn
from explorer.transformer import TransformerTrace
from explorer.ui.components.live_plot import live_plot
from explorer.ui.components.step_table import step_table
from explorer.ui.controls.choices import IN_URL, choice, choose_attention, choose_word
from explorer.ui.frame import show
from explorer.ui.page import heading, show_code, weights_badge
from explorer.ui.reading import Reading, read, tidy_memory
from explorer.ui.settings import CASES, FORMS, Settings
from explorer.ui.steps import worked_examples as cases
from explorer.ui.steps.focus import Focus, Form
from explorer.ui.steps.step_views import BARE_STEPS, STEPS, StepView, step_view
from explorer.ui.steps.what_if_controls import UNCHANGED, change_in_words, choose_change
from explorer.ui.steps.worked_examples import Case

CODE = {
    "x": TransformerTrace.attention_inputs,
    "q k v": MultiHeadAttention.project,
    "concat": MultiHeadAttention.forward,
    "× W_O": MultiHeadAttention.forward,
}


@dataclass(frozen=True)
class Chosen:
    """What is chosen above the steps."""

    case: str
    kind: AttentionKind
    layer: int  # from 0
    head: int  # from 0
    form: Form
    change: AttentionChange


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


# Whose row is chosen by a click into which matrix.
PICKS_BOTH = ("dots", "scores", "masked", "weights")
PICKS_KEY = ("keys", "products", "v", "shares", "x_key")
PICKS_QUERY = ("q", "x_query", "context", "concat", "out")


def pick_cell(point: dict[str, object]) -> None:
    """A cell of a picture was clicked."""
    state = st.session_state
    name, row, column = cell_at(point)
    whole = state.form == "matrix"
    if state.step == "q k v":  # its matrices have a row a word in matrix form alone
        if whole and not name.startswith("w_"):
            state["query_chosen" if name in ("q", "x_q") else "key_chosen"] = row
    elif name in PICKS_BOTH and whole:
        state.query_chosen, state.key_chosen = row, column
    elif name in (*PICKS_BOTH, *PICKS_KEY):
        state.key_chosen = row
    elif name == "k_t":
        state.key_chosen = column
    elif whole and name in PICKS_QUERY:
        state.query_chosen = row


def pick_weight(point: dict[str, int]) -> None:
    """A cell of the weights was clicked."""
    st.session_state.query_chosen, st.session_state.key_chosen = point["y"], point["x"]


def show_overview(
    focus: Focus, changed: HeadSteps | None, reasons: list[str], kind: str, theme: Theme
) -> None:
    """One query against every key; or, in matrix form, every query against every key."""
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
            on_pick=pick_key,
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
            caption="" if name == "head_weights" else "What if: the same head with the change.",
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


def show_effect(reading: Reading, other: TransformerTrace, chosen: Chosen) -> None:
    """What the change does to the layer's output and to the logits, PAD left out."""
    kind, layer = chosen.kind, chosen.layer
    asked = np.array([label != PAD for label in reading.tgt_labels])
    words = np.array([label != PAD for label in reading.src_labels]) if kind == "encoder" else asked
    if not asked.any():
        return
    before, after = (
        trace.attention(kind, layer).out[0].cpu().numpy()[words] for trace in (reading.trace, other)
    )
    moved = np.linalg.norm(after - before, axis=1) / np.linalg.norm(before, axis=1).clip(1e-9)
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


def choose(settings: Settings) -> tuple[Chosen, list[np.ndarray]]:
    """Draw the controls above the steps; with the choices come the numbers typed into grids."""
    kind: AttentionKind = "encoder"
    layer, head, grids = 0, 0, []
    choices = st.container(horizontal=True, vertical_alignment="center", key="choices")
    with choices:
        case = st.selectbox(
            "Numbers of", CASES, key="case", width=190, label_visibility="collapsed", **IN_URL
        )
        if case == CASES[0]:
            kind, layer = choose_attention(settings)
        n_heads = {CASES[0]: settings.n_heads, CASES[2]: 2}.get(case, 1)
        if n_heads > 1:
            head = choice("Head", range(1, n_heads + 1), key="head", width=112) - 1
        form = st.segmented_control(
            "Form", FORMS, default="vector", required=True, key="form",
            label_visibility="collapsed", **IN_URL
        )  # fmt: skip
        change = choose_change(n_heads)
    with st.container(horizontal=True):
        if case == CASES[1]:
            grids = cases.toy_grids()
        elif case == CASES[2]:
            grids = cases.three_words_grid()
    return Chosen(case, kind, layer, head, form, change), grids


def show_page(settings: Settings) -> None:
    """The whole page."""
    heading(
        "How does one weight come about?",
        "Follow one query and one key through one head. Choose a row or click a cell, and every "
        "step shows its numbers.",
    )
    chosen, grids = choose(settings)
    if chosen.change != UNCHANGED:
        st.badge(change_in_words(chosen.change), icon=":material/experiment:", color="violet")
    show_steps(settings, chosen, grids)


@st.fragment  # a click on a word, a cell or a step runs this part alone
@in_turn
def show_steps(settings: Settings, chosen: Chosen, grids: list[np.ndarray]) -> None:
    """The query in focus against every key, and the step in focus."""
    # Nothing of the model is handed in: what is would live as long as the session.
    reading = read(settings) if chosen.case == CASES[0] else None
    other = None
    if reading is not None:
        if chosen.change != UNCHANGED:
            other = reading.what_if(settings, chosen.kind, chosen.layer, chosen.change)
        case = cases.model_case(settings, reading, other, chosen.kind, chosen.layer)
    elif chosen.case == CASES[1]:
        case = cases.toy_numbers(*grids)
    elif chosen.case == CASES[2]:
        case = cases.two_heads(*grids, settings.seed, settings.dropout, settings.dropout_seed)
    else:
        case = cases.masked_hundred()
    theme = THEMES[settings.theme]
    steps = case.steps(chosen.head, UNCHANGED)
    changed = None if chosen.change == UNCHANGED else case.steps(chosen.head, chosen.change)
    if case.about:
        st.markdown(case.about)
    left, right = st.columns([11, 12])
    with left, st.container(horizontal=True, key="words"):
        query = choose_word("Query", case.query_labels, usual_query(case), key="query")
        key = choose_word("Key", case.key_labels, int(steps.weights[query].argmax()), key="key")
    causal = chosen.kind == "decoder" or chosen.case == CASES[3]
    reasons = why_hidden(steps, query, list(case.key_labels), causal)
    with right:
        step = choose_step(STEPS if steps.to_q is not None else BARE_STEPS)
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
            head=chosen.head,
            form=chosen.form,
            which=which,
            dropout=settings.dropout > 0 and chosen.case in (CASES[0], CASES[2]),
        )
        show_step(step, focus, changed, theme)
    with left:
        show_overview(focus, changed, reasons, chosen.kind, theme)
        if reading is not None:
            if other is not None:
                show_effect(reading, other, chosen)
            weights_badge(settings)
    show_code("The code that ran", CODE.get(step, scaled_dot_product))
    tidy_memory()


show(show_page)
