"""What may each word look at? Padding, causal, target and cross masks."""

import numpy as np
import streamlit as st
import torch

from explorer import masks
from explorer.figures.batch import ids_heatmap
from explorer.figures.describe import allowed_in_words, mask_in_words
from explorer.figures.masks import additive_panels, mask_grid, mask_row, source_mask
from explorer.figures.theme import THEMES
from explorer.ui.controls import IN_URL, TOY_NAME, load_example
from explorer.ui.frame import begin
from explorer.ui.live_plot import live_plot
from explorer.ui.page import heading, show_code
from explorer.ui.reading import require_words

settings = begin()
heading(
    "What may each word look at?",
    "A source word sees every word that is not PAD; a target word also never sees the future.",
)
batch = settings.batch()
row = min(settings.row, len(batch.src) - 1)
require_words(batch, row)
theme = THEMES[settings.theme]
pad_id, src, tgt = batch.pad_id, batch.src, batch.tgt_in
labels, src_labels = batch.tgt_in_labels[row], batch.src_labels[row]
n_queries = tgt.shape[1]

target = masks.target_reasons(tgt, pad_id).numpy()
padding = np.broadcast_to((tgt[row] == pad_id).numpy() * masks.KEY_IS_PAD, target[row].shape)
causal = (~masks.causal_mask(n_queries)[0, 0].numpy()) * masks.FUTURE
cross = masks.cross_reasons(src, n_queries, pad_id).numpy()

open_keys = int((target[row] == masks.MAY_ATTEND).sum())
live_plot(
    mask_row(
        [
            ("padding mask", padding.astype(np.uint8)),
            ("causal mask", causal.astype(np.uint8)),
            ("target mask", target[row]),
        ],
        labels,
        labels,
        theme,
        signs=("×", "="),
    ),
    key="target_mask",
    alt=mask_in_words(target[row], labels),
    caption=f"Target of pair {row + 1}: rows are queries, columns are keys. "
    f"{open_keys} of {target[row].size} cells may attend.",
    file_name="target-mask",
)

with st.container(horizontal=True, vertical_alignment="center"):
    st.subheader("All target masks", anchor=False, width="content")
    st.button("Show the 8×8 toy batch", on_click=load_example, args=(TOY_NAME,))
st.markdown(f"shape ({len(tgt)}, 1, {n_queries}, {n_queries}) · click one to look at it above")


def pick_sentence(point: dict) -> None:
    if len(batch.src) > 1:
        st.session_state.pair = int(point["name"])


live_plot(
    mask_grid(target, batch.tgt_in_labels, batch.tgt_in_labels, row, theme),
    key="all_target_masks",
    alt=" ".join(
        f"Sentence {n + 1}: {mask_in_words(codes, words)}"
        for n, (codes, words) in enumerate(zip(target, batch.tgt_in_labels, strict=True))
    ),
    file_name="target-masks",
    on_pick=pick_sentence,
)

st.subheader("Source mask", anchor=False)
allowed = masks.padding_mask(src, pad_id)[:, 0, 0].numpy()
st.markdown(
    f"`src != {pad_id}` · shape ({len(src)}, 1, 1, {src.shape[1]}): one row a sentence, "
    "the same for every query"
)
left, right = st.columns(2)
with left:
    live_plot(
        ids_heatmap(src.numpy(), batch.src_labels, pad_id, theme, words=False),
        key="mask_src_ids",
        alt="The ids of the source batch.",
        file_name="source-batch",
    )
with right:
    live_plot(
        source_mask(allowed, theme),
        key="src_mask",
        alt=allowed_in_words(allowed),
        file_name="source-mask",
    )

st.subheader("Cross-attention mask", anchor=False)
st.markdown("Queries come from the target, keys from the source: only source PAD is hidden.")
narrow, _ = st.columns([3, 2])
with narrow:
    live_plot(
        mask_row([("cross-attention mask", cross[row])], labels, src_labels, theme),
        key="cross_mask",
        alt=mask_in_words(cross[row], labels),
        file_name="cross-mask",
    )

st.subheader("Two published mistakes", anchor=False)
rule = st.segmented_control(
    "Mistake",
    ["PAD queries hidden", "columns read as sentences"],
    default="PAD queries hidden",
    required=True,
    key="rule",
    label_visibility="collapsed",
    **IN_URL,
)
if rule == "PAD queries hidden":
    wrong = masks.query_padding_mask(tgt, pad_id)[row, 0].numpy()
    st.markdown(
        "`(tgt != pad)` with shape (batch, 1, T, 1) blanks the *rows* of PAD. Its *columns* stay "
        "open, and real words attend to PAD wherever causality lets them: try PAD on the left."
    )
    leaks = int((wrong & (tgt[row] == pad_id).numpy()).sum())
    codes = np.where(wrong, masks.MAY_ATTEND, masks.FUTURE).astype(np.uint8)
    queries_hidden = np.broadcast_to((tgt[row] == pad_id).numpy()[:, None], codes.shape)
    codes[queries_hidden] = masks.KEY_IS_PAD
    panels = [("right", target[row]), ("mistake", codes)]
    live_plot(
        mask_row(panels, labels, labels, theme),
        key="mistake",
        alt=mask_in_words(codes, labels),
        caption=f"{leaks} cells of this sentence let a word attend to PAD.",
    )
else:
    st.markdown(
        "The same batch read by columns: sentence i becomes the i-th token of every sentence. All "
        "masks change, and none fits the sentences any more."
    )
    turned = masks.target_reasons(tgt.T.contiguous(), pad_id).numpy()
    words = list(zip(*batch.tgt_in_labels, strict=True))
    live_plot(
        mask_grid(turned, words, words, -1, theme, across=min(8, len(turned))),
        key="mistake_grid",
        alt="Target masks of the transposed batch.",
    )

with st.expander("The mask as numbers: 0 and −∞ added to the scores"):
    size = st.slider("Length", 2, 12, 10, key="additive", persist_state="session")
    square = masks.causal_mask(size)[0, 0]
    scores = torch.arange(float(size * size)).view(size, size)
    live_plot(
        additive_panels(scores.numpy(), square.numpy(), theme),
        key="additive_mask",
        alt=f"{size} by {size} scores 0 to {size * size - 1}; above the diagonal −∞ is added.",
        caption="After the softmax, −∞ is a weight of exactly 0.",
    )
show_code(
    "The code that ran",
    masks.padding_mask,
    masks.causal_mask,
    masks.target_mask,
    masks.target_reasons,
    masks.additive,
)
