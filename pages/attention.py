"""Who looks at whom? Every head of every attention, for the sentences on top."""

from typing import get_args

import streamlit as st

from explorer import attention as mechanics
from explorer.figures import describe
from explorer.figures.attention import Heads, all_heads, one_head
from explorer.figures.theme import THEMES
from explorer.interop import largest_difference
from explorer.transformer import AttentionKind
from explorer.ui.controls import IN_URL, keep_choice
from explorer.ui.frame import begin
from explorer.ui.live_plot import live_plot
from explorer.ui.page import check_badge, heading, show_code
from explorer.ui.reading import Reading, read

WHO = {
    "encoder": "Every source word looks at every source word: queries, keys and values are theirs.",
    "decoder": "Every target word looks at itself and at the words before it, never at the future.",
    "cross": "Target words look at the source: queries from the decoder, keys and values from the "
    "encoder's memory.",
}
settings = begin()
top_of_page = st.container()  # filled once the kind of attention is known

with st.container(horizontal=True, vertical_alignment="bottom", key="choices"):
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
    keep_choice("layer", range(1, layers + 1))
    layer = st.selectbox("Layer", range(1, layers + 1), key="layer", width=125, **IN_URL)
    keep_choice("head", range(1, settings.n_heads + 1))
    head = st.selectbox("Head", range(1, settings.n_heads + 1), key="head", width=125, **IN_URL)
    scale = st.segmented_control(
        "Colours", ["0 to 1", "own range"], default="0 to 1", required=True, key="scale", **IN_URL
    )
    hide_pad = st.toggle("Hide PAD", False, key="hide_pad", **IN_URL)
with top_of_page:
    heading("Who looks at whom?", WHO[kind])


def heads_of(reading: Reading) -> Heads:
    """The chosen layer's heads as arrays, without PAD if that is wished."""
    trace = reading.trace.attention(kind, layer - 1)
    queries = reading.src_labels if kind == "encoder" else reading.tgt_labels
    keys = reading.tgt_labels if kind == "decoder" else reading.src_labels
    heads = Heads(
        weights=trace.weights[0].cpu().numpy(),
        scores=trace.scores[0].cpu().numpy(),
        query_labels=queries,
        key_labels=keys,
    )
    if not hide_pad:
        return heads
    src, tgt = (
        (ids[reading.row] != reading.batch.pad_id).numpy()
        for ids in (reading.batch.src, reading.batch.tgt_in)
    )
    return heads.keep(src if kind == "encoder" else tgt, tgt if kind == "decoder" else src)


def pick_head(point: dict) -> None:
    st.session_state.head = int(point["name"])


reading = read(settings)
heads = heads_of(reading)
weights = heads.weights[head - 1]
theme = THEMES[settings.theme]
top = 1.0 if scale == "0 to 1" else float(heads.weights.max()) or 1.0
name = f"{kind}-layer{layer}"

focus, grid = st.columns([11, 10])
with focus:
    live_plot(
        one_head(heads, head - 1, theme, kind=kind, top=top),
        key="one_head",
        alt=f"{kind} attention, layer {layer}, head {head}. "
        + describe.attention_in_words(weights, heads.query_labels, heads.key_labels),
        file_name=f"{name}-head{head}",
    )
with grid:
    live_plot(
        all_heads(heads, head - 1, theme, kind=kind, top=top),
        key="all_heads",
        alt=f"All {len(heads.weights)} heads of {kind} attention, layer {layer}. "
        + " ".join(
            f"Head {n + 1}: {describe.looks_most(w, heads.query_labels, heads.key_labels)}."
            for n, w in enumerate(heads.weights)
        ),
        file_name=f"{name}-all-heads",
        on_pick=pick_head,
    )
st.text(
    f"In head {head}, {describe.looks_most(weights, heads.query_labels, heads.key_labels)}. "
    "Click a small picture to bring its head into focus.",
)

trace = reading.trace.attention(kind, layer - 1)
all_weights = trace.weights[0]
alive = trace.mask[0].any(dim=-1)
row_error = float((all_weights.sum(dim=-1) - 1)[alive.expand(all_weights.shape[:2])].abs().max())
hidden = ~trace.mask[0].expand_as(all_weights)
leaked = int((all_weights[hidden] != 0).sum())
with st.container(horizontal=True, key="checks"):
    st.badge(f"untrained weights, seed {settings.seed}", icon=":material/science:", color="orange")
    check_badge(row_error < 1e-5, f"rows sum to 1 (±{row_error:.0e})")
    n_hidden = int(hidden[0].sum())
    check_badge(
        leaked == 0, f"{n_hidden} masked weights are exactly 0" if n_hidden else "nothing is masked"
    )
    if not settings.dropout:
        difference = largest_difference(reading.loaded.twin, reading.trace)
        check_badge(difference < 1e-4, f"torch.nn agrees (largest difference {difference:.0e})")
st.caption(
    "The weights of this model are random: the mechanics are real, the pattern means nothing yet."
)
with st.expander(f"The numbers behind head {head}"):
    st.dataframe(
        {"query": [f"{n} · {word}" for n, word in enumerate(heads.query_labels)]}
        | {f"{n} · {word}": weights[:, n] for n, word in enumerate(heads.key_labels)},
        hide_index=True,
    )
with st.expander("The formula"):
    st.latex(r"\text{Attention}(Q, K, V) = \text{softmax}\left(\frac{QK^\top}{\sqrt{d_k}}\right)V")
    st.markdown(
        f"Here d_k = d_model / heads = {settings.d_model} / {settings.n_heads} = "
        f"{settings.d_model // settings.n_heads}. In cross-attention the *query* comes from the "
        "decoder, *key and value* from the encoder; a widely read text has it the other way round."
    )
show_code("The code that ran", mechanics.scaled_dot_product, mechanics.MultiHeadAttention.forward)
