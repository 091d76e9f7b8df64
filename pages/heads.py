"""Which head does what? Every head of every layer at once."""

from typing import get_args

import numpy as np
import streamlit as st

from explorer.analysis.head_summary import summarise
from explorer.attention import may_attend
from explorer.figures.describe import looks_most
from explorer.figures.theme import THEMES
from explorer.names import BOS, EOS, PAD, AttentionKind
from explorer.ui.components.heads_view import Stack, heads_view
from explorer.ui.components.table import table
from explorer.ui.controls.choices import IN_URL, choice, choose_attention
from explorer.ui.frame import open_page, show
from explorer.ui.page import heading, show_code, weights_badge
from explorer.ui.reading import Reading, read
from explorer.ui.settings import CASES, COLOURS, Settings

MEASURES = {
    "entropy": "entropy (bits)",
    "distance": "mean distance",
    "diagonal": "on the diagonal",
    "previous": "on the previous token",
    "frame": "on BOS or EOS",
}


def pick(kind: str, layer: int, head: int) -> None:
    """A thumbnail was clicked."""
    st.session_state.attention = kind
    st.session_state.layer, st.session_state.head = layer + 1, head + 1


def stack_of(reading: Reading, kind: AttentionKind, layers: int) -> Stack:
    """All layers of one attention as arrays."""
    return Stack(
        weights=np.stack(
            [reading.trace.attention(kind, layer).weights[0].cpu() for layer in range(layers)]
        ),
        may_attend=may_attend(reading.trace.attention(kind, 0)).cpu().numpy(),
        query_labels=reading.src_labels if kind == "encoder" else reading.tgt_labels,
        key_labels=reading.tgt_labels if kind == "decoder" else reading.src_labels,
    )


def show_summary(reading: Reading, kind: AttentionKind, stack: Stack) -> None:
    """A row a head, to be sorted by what one looks for."""
    is_word = [label != PAD for label in stack.query_labels]
    is_frame = [label in (BOS, EOS) for label in stack.key_labels]
    rows = []
    for layer in range(len(stack.weights)):
        numbers = summarise(reading.trace.attention(kind, layer).weights[0], is_word, is_frame)
        columns = [getattr(numbers, name).tolist() for name in MEASURES]
        rows += [
            [f"layer {layer + 1}, head {head + 1}", *(f"{number:.3f}" for number in line)]
            for head, line in enumerate(zip(*columns, strict=True))
        ]
    table(
        ["head", *MEASURES.values()],
        rows,
        key=f"{kind}-heads",
        caption=f"{kind} attention, means over the query tokens that are not PAD. Entropy 0: one "
        "key gets everything. Distance: how many tokens away. Click a column's name to sort.",
        sortable=True,
    )


def show_page(settings: Settings) -> None:
    """The whole page."""
    heading(
        "Which head does what?",
        "Every small square is one head, layers from top to bottom: its rows look, its columns are "
        "looked at. Click one to see its lines.",
    )
    layers = {
        "encoder": settings.n_encoder_layers,
        "decoder": settings.n_decoder_layers,
        "cross": settings.n_decoder_layers,
    }
    with st.container(horizontal=True, vertical_alignment="center", key="choices"):
        kind, layer = choose_attention(settings)
        head = choice("Head", range(1, settings.n_heads + 1), key="head", width=112) - 1
        colours = st.segmented_control(
            "Colours", COLOURS, default=COLOURS[0], required=True, key="scale", **IN_URL
        )
        to_attention = st.button("As a heatmap", icon=":material/hub:")
        to_steps = st.button("Step by step", icon=":material/calculate:")
    reading = read(settings)
    stacks = {name: stack_of(reading, name, layers[name]) for name in get_args(AttentionKind)}
    heads_view(
        stacks,
        (kind, layer, head),
        THEMES[settings.theme],
        own_range=colours == COLOURS[1],
        on_pick=pick,
    )
    focus = stacks[kind]
    look = looks_most(focus.weights[layer][head], focus.query_labels, focus.key_labels)
    st.text(
        f"{kind.capitalize()}, layer {layer + 1}, head {head + 1}: {look}. Lines run from queries "
        "(left) to keys (right), stronger for larger weights; point at a word or click it to see "
        "its lines alone."
    )
    weights_badge(settings)
    st.subheader("Heads in numbers", anchor=False)
    show_summary(reading, kind, focus)
    show_code("The code that ran", summarise)
    if to_attention:
        open_page("attention")
    if to_steps:
        open_page("steps", case=CASES[0])


show(show_page)
