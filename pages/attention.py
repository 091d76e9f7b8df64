"""Who looks at whom? Every head of every attention, for the sentences on top."""

from dataclasses import dataclass

import numpy as np
import streamlit as st

from explorer import attention
from explorer.attention import check_attention, may_attend
from explorer.figures import describe
from explorer.figures.attention import Heads, all_heads, one_head
from explorer.figures.theme import THEMES, Theme
from explorer.names import AttentionKind
from explorer.ui.components.live_plot import live_plot
from explorer.ui.components.table import table
from explorer.ui.controls.choices import IN_URL, choice, choose_attention
from explorer.ui.frame import open_page, show
from explorer.ui.page import check_badge, heading, show_code, weights_badge
from explorer.ui.reading import Reading, read
from explorer.ui.settings import CASES, COLOURS, Settings

WHO = {
    "encoder": "Every source word looks at every source word: queries, keys and values are theirs.",
    "decoder": "Every target word looks at itself and at the words before it, never at the future.",
    "cross": "Target words look at the source: queries from the decoder, keys and values from the "
    "encoder's memory.",
}


@dataclass(frozen=True)
class Choices:
    """What is chosen on this page."""

    kind: AttentionKind
    layer: int  # from 0
    head: int  # from 0
    own_range: bool
    hide_pad: bool


def choose(settings: Settings) -> Choices:
    """Draw the page's own controls."""
    with st.container(horizontal=True, vertical_alignment="center", key="choices"):
        kind, layer = choose_attention(settings)
        head = choice("Head", range(1, settings.n_heads + 1), key="head", width=125)
        colours = st.segmented_control(
            "Colours", COLOURS, default=COLOURS[0], required=True, key="scale", **IN_URL
        )
        hide_pad = st.toggle("Hide PAD", False, key="hide_pad", **IN_URL)
    return Choices(kind, layer, head - 1, colours == COLOURS[1], hide_pad)


def heads_of(reading: Reading, chosen: Choices) -> tuple[Heads, np.ndarray, np.ndarray]:
    """The chosen layer's heads as arrays, without PAD if that is wished.

    With them the positions of the queries and the keys that are left.
    """
    trace = reading.trace.attention(chosen.kind, chosen.layer)
    src, tgt = (
        (labels, (ids[reading.row] != reading.batch.pad_id).numpy())
        for labels, ids in (
            (reading.src_labels, reading.batch.src),
            (reading.tgt_labels, reading.batch.tgt_in),
        )
    )
    queries = src if chosen.kind == "encoder" else tgt
    keys = tgt if chosen.kind == "decoder" else src
    heads = Heads(
        weights=trace.weights[0].cpu().numpy(),
        scores=trace.scores[0].cpu().numpy(),
        may_attend=may_attend(trace).cpu().numpy(),
        query_labels=queries[0],
        key_labels=keys[0],
    )
    only_pad = not (queries[1].any() and keys[1].any())
    if not chosen.hide_pad or only_pad:
        return heads, np.arange(len(queries[1])), np.arange(len(keys[1]))
    return heads.keep(queries[1], keys[1]), np.flatnonzero(queries[1]), np.flatnonzero(keys[1])


def pick_head(point: dict[str, str]) -> None:
    """A small picture was clicked."""
    st.session_state.head = int(point["name"])


def pick_cell(point: dict[str, int]) -> None:
    """A weight was clicked."""
    st.session_state.cell = (point["y"], point["x"])


def clicked_cell(heads: Heads) -> tuple[int, int] | None:
    """The weight that was clicked, as long as it is there."""
    query, key = st.session_state.get("cell", (-1, -1))
    there = 0 <= query < len(heads.query_labels) and 0 <= key < len(heads.key_labels)
    return (query, key) if there else None


def show_way_to_steps(cell: tuple[int, int] | None) -> None:
    """A button to the arithmetic of this head, of the weight that was clicked if one was."""
    if st.button("Step by step: how did it come about?", icon=":material/calculate:"):
        if cell is not None:
            st.session_state.query_chosen, st.session_state.key_chosen = cell
        open_page("steps", case=CASES[0])


def show_heads(heads: Heads, chosen: Choices, cell: tuple[int, int] | None, theme: Theme) -> None:
    """The head in focus, and all of them beside it."""
    top = float(heads.weights.max()) or 1.0 if chosen.own_range else 1.0
    name = f"{chosen.kind} attention, layer {chosen.layer + 1}"
    weights = heads.weights[chosen.head]
    focus, grid = st.columns([11, 10])
    with focus:
        live_plot(
            one_head(heads, chosen.head, theme, kind=chosen.kind, top=top, cell=cell),
            key="one_head",
            alt=f"{name}, head {chosen.head + 1}. "
            + describe.attention_in_words(weights, heads.query_labels, heads.key_labels),
            file_name=f"{chosen.kind}-layer{chosen.layer + 1}-head{chosen.head + 1}",
            on_pick=pick_cell,
        )
    with grid:
        live_plot(
            all_heads(heads, chosen.head, theme, kind=chosen.kind, top=top),
            key="all_heads",
            alt=f"{name}, all {len(heads.weights)} heads. "
            + " ".join(
                f"Head {n + 1}: {describe.looks_most(w, heads.query_labels, heads.key_labels)}."
                for n, w in enumerate(heads.weights)
            ),
            file_name=f"{chosen.kind}-layer{chosen.layer + 1}-all-heads",
            on_pick=pick_head,
        )
    look = describe.looks_most(weights, heads.query_labels, heads.key_labels)
    if cell is not None:
        look = describe.one_look(weights, heads.query_labels, heads.key_labels, *cell)
    st.text(
        f"Head {chosen.head + 1}: {look}. Click a small picture to bring its head into focus, or a "
        "weight to follow it step by step."
    )


def show_checks(settings: Settings, reading: Reading, chosen: Choices) -> None:
    """Facts about what is on screen, computed from it."""
    checks = check_attention(reading.trace.attention(chosen.kind, chosen.layer))
    with st.container(horizontal=True, key="checks"):
        weights_badge(settings)
        empty = f"; {checks.empty} that may attend to nothing are 0" if checks.empty else ""
        check_badge(checks.row_error < 1e-5, f"rows sum to 1 (±{checks.row_error:.0e}){empty}")
        check_badge(
            checks.leaked == 0,
            f"{checks.hidden} masked weights are exactly 0"
            if checks.hidden
            else "nothing is masked",
        )
        if settings.dropout:
            st.badge("compared with torch.nn only without dropout", color="gray")
        else:
            difference = reading.difference_to_torch()
            check_badge(difference < 1e-4, f"torch.nn agrees (largest difference {difference:.0e})")
    if settings.weights.task is None:
        st.caption("Untrained weights: the mechanics are real, the pattern means nothing.")


def show_depth(settings: Settings, heads: Heads, chosen: Choices) -> None:
    """Numbers, formula and code, folded away."""
    numbers = st.expander(
        f"The numbers behind head {chosen.head + 1}", key="numbers", on_change="rerun"
    )
    if numbers.open:
        with numbers:
            rows, columns = (
                [f"{n} · {word}" for n, word in enumerate(words)]
                for words in (heads.query_labels, heads.key_labels)
            )
            values = heads.weights[chosen.head].tolist()
            table(
                ["query \\ key", *columns],
                [
                    [row, *(f"{w:.4f}" for w in line)]
                    for row, line in zip(rows, values, strict=True)
                ],
                key="attention-weights",
                caption=f"Weights of head {chosen.head + 1}: rows are queries, columns are keys.",
            )
    with st.expander("The formula"):
        st.latex(
            r"\text{Attention}(Q, K, V) = \text{softmax}\left(\frac{QK^\top}{\sqrt{d_k}}\right)V"
        )
        st.markdown(
            f"Here d_k = d_model / heads = {settings.d_model} / {settings.n_heads} = "
            f"{settings.d_model // settings.n_heads}. In cross-attention the *query* comes from "
            "the decoder, *key and value* from the encoder; some tutorials have it the other way "
            "round."
        )
    show_code(
        "The code that ran", attention.scaled_dot_product, attention.MultiHeadAttention.forward
    )


def show_page(settings: Settings) -> None:
    """The whole page."""
    top_of_page = st.container()  # filled once the kind of attention is known
    chosen = choose(settings)
    with top_of_page:
        heading("Who looks at whom?", WHO[chosen.kind])
    reading = read(settings)
    heads, queries, keys = heads_of(reading, chosen)
    cell = clicked_cell(heads)
    show_heads(heads, chosen, cell, THEMES[settings.theme])
    show_way_to_steps(None if cell is None else (int(queries[cell[0]]), int(keys[cell[1]])))
    show_checks(settings, reading, chosen)
    show_depth(settings, heads, chosen)


show(show_page)
