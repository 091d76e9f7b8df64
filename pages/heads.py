"""Which head does what? Every head of every layer at once."""

from typing import get_args

import streamlit as st

from explorer.figures.describe import looks_most
from explorer.figures.theme import THEMES
from explorer.heads import HeadSummary, summarise
from explorer.text import BOS, EOS, PAD
from explorer.transformer import AttentionKind
from explorer.ui.controls import IN_URL, choice
from explorer.ui.frame import begin, open_page
from explorer.ui.heads_view import heads_view
from explorer.ui.page import heading, show_code, weights_badge
from explorer.ui.reading import Reading, read
from explorer.ui.settings import CASES, COLOURS, Settings
from explorer.ui.table import table

MEASURES = {
    "entropy": "entropy (bits)",
    "distance": "mean distance",
    "diagonal": "on the diagonal",
    "previous": "on the previous token",
    "frame": "on BOS or EOS",
}


def pick(layer: int, head: int) -> None:
    """A thumbnail was clicked."""
    st.session_state.layer, st.session_state.head = layer + 1, head + 1


def summaries(
    reading: Reading,
    kind: AttentionKind,
    layers: int,
    queries: tuple[str, ...],
    keys: tuple[str, ...],
) -> list[HeadSummary]:
    """Every layer's heads in numbers."""
    is_word = [label != PAD for label in queries]
    is_frame = [label in (BOS, EOS) for label in keys]
    return [
        summarise(reading.trace.attention(kind, layer).weights[0], is_word, is_frame)
        for layer in range(layers)
    ]


def show_summary(numbers: list[HeadSummary], kind: AttentionKind) -> None:
    """A row a head, to be sorted by what one looks for."""
    rows = [
        [
            f"layer {layer + 1}, head {head + 1}",
            *(f"{float(getattr(summary, name)[head]):.3f}" for name in MEASURES),
        ]
        for layer, summary in enumerate(numbers)
        for head in range(len(summary.entropy))
    ]
    st.subheader("Heads in numbers", anchor=False)
    table(
        ["head", *MEASURES.values()],
        rows,
        key=f"{kind}-heads",
        caption="Means over the query tokens that are not PAD. Entropy 0: one key gets everything. "
        "Distance: how many tokens away, weighted. Click a column to sort by it.",
        sortable=True,
    )


def show_page(settings: Settings) -> None:
    """The whole page."""
    heading(
        "Which head does what?",
        "Every small square is one head, layers from top to bottom: rows look, columns are looked "
        "at. Click one to see its layer as lines.",
    )
    with st.container(horizontal=True, vertical_alignment="center", key="choices"):
        kind: AttentionKind = st.segmented_control(
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
        head = choice("Head", range(1, settings.n_heads + 1), key="head", width=112) - 1
        colours = st.segmented_control(
            "Colours", COLOURS, default=COLOURS[0], required=True, key="scale", **IN_URL
        )
        to_attention = st.button("As a heatmap", icon=":material/hub:")
        to_steps = st.button("Step by step", icon=":material/calculate:")
    reading = read(settings)
    queries = reading.src_labels if kind == "encoder" else reading.tgt_labels
    keys = reading.tgt_labels if kind == "decoder" else reading.src_labels
    weights = [
        reading.trace.attention(kind, number).weights[0].cpu().numpy() for number in range(layers)
    ]
    look = looks_most(weights[layer][head], queries, keys)
    heads_view(
        weights,
        queries,
        keys,
        layer,
        head,
        THEMES[settings.theme],
        top=1.0 if colours == COLOURS[0] else max(float(own.max()) for own in weights) or 1.0,
        alt=f"{kind} attention: {layers} layers of {settings.n_heads} heads",
        on_pick=pick,
    )
    st.text(
        f"Layer {layer + 1}, head {head + 1}: {look}. Lines run from queries (left) to keys "
        "(right), stronger for larger weights; point at a word or click it to see its lines alone."
    )
    with st.container(horizontal=True):
        weights_badge(settings)
    show_summary(summaries(reading, kind, layers, queries, keys), kind)
    show_code("The code that ran", summarise)
    if to_attention:
        open_page("attention")
    if to_steps:
        open_page("steps", case=CASES[0])


show_page(begin())
