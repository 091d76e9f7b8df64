"""Who looks at whom? Every head of every attention, for the sentences on top."""

from typing import get_args

import numpy as np
import streamlit as st

from explorer.figures.attention import Heads, all_heads, one_head
from explorer.figures.theme import THEMES
from explorer.transformer import AttentionKind
from explorer.ui.controls import IN_URL, keep_choice
from explorer.ui.frame import begin
from explorer.ui.live_plot import live_plot
from explorer.ui.reading import read

settings = begin()
st.title("Who looks at whom?")

KINDS = {
    "encoder": "Encoder: source → source",
    "decoder": "Decoder: target so far → itself",
    "cross": "Cross: target → source",
}
with st.container(horizontal=True, vertical_alignment="bottom"):
    kind = st.segmented_control(
        "Attention", get_args(AttentionKind), default="encoder", required=True, key="attention",
        format_func=KINDS.get, **IN_URL,
    )  # fmt: skip
    layers = settings.n_encoder_layers if kind == "encoder" else settings.n_decoder_layers
    keep_choice("layer", range(1, layers + 1))
    layer = st.segmented_control(
        "Layer", range(1, layers + 1), default=1, required=True, key="layer", **IN_URL
    )
    keep_choice("head", range(1, settings.n_heads + 1))
    head = st.selectbox(
        "Head in focus", range(1, settings.n_heads + 1), key="head", width=130, **IN_URL
    )

reading = read(settings)
attention = reading.trace.attention(kind, layer - 1)
queries = reading.src_labels if kind == "encoder" else reading.tgt_labels
keys = reading.tgt_labels if kind == "decoder" else reading.src_labels
heads = Heads(
    weights=attention.weights[0].cpu().numpy(),
    scores=attention.scores[0].cpu().numpy(),
    query_labels=queries,
    key_labels=keys,
)
theme = THEMES[settings.theme]


def pick_head(point: dict) -> None:
    st.session_state.head = int(point["name"])


focus, grid = st.columns([1, 1])
with focus:
    live_plot(one_head(heads, head - 1, theme, kind=kind), key="one_head", alt="todo")
with grid:
    live_plot(
        all_heads(heads, head - 1, theme, kind=kind), key="all_heads", alt="todo",
        on_pick=pick_head,
    )
