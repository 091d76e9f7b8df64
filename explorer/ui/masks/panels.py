"""The pictures of the masks page."""

from dataclasses import replace

import numpy as np
import streamlit as st
import torch

from explorer import masks
from explorer.figures.batch import ids_heatmap
from explorer.figures.describe import allowed_in_words, mask_in_words
from explorer.figures.masks import additive_panels, mask_grid, mask_row, source_mask
from explorer.figures.theme import Theme
from explorer.text import MAX_TOKENS, Batch
from explorer.ui.components.live_plot import live_plot
from explorer.ui.controls.batch import load_example
from explorer.ui.controls.choices import choose, value
from explorer.ui.controls.examples import TOY_NAME
from explorer.ui.controls.widgets import segments, slider
from explorer.ui.parameters import ADDITIVE_LENGTH, PAIR, PAIRS, RULE
from explorer.ui.settings import Settings

MISTAKES = {"pad_queries": "PAD queries hidden", "columns": "columns read as sentences"}


def show_target_mask(
    settings: Settings, batch: Batch, row: int, codes: np.ndarray, theme: Theme
) -> None:
    """Padding mask × causal mask = target mask, for the sentence on show."""
    labels = batch.tgt_in_labels[row]
    padding, causal = masks.why_hidden(
        batch.tgt_in, batch.pad_id, starts_with_pad=settings.config.starts_with_pad
    )
    open_keys = int((codes == masks.MAY_ATTEND).sum())
    live_plot(
        mask_row(
            [
                ("padding mask", padding[row].numpy()),
                ("causal mask", causal[row].numpy()),
                ("target mask", codes),
            ],
            labels,
            labels,
            theme,
            signs=("×", "="),
        ),
        key="target_mask",
        alt=mask_in_words(codes, labels),
        caption=f"Target of pair {row + 1}: rows are queries, columns are keys. "
        f"{open_keys} of {codes.size} cells may attend.",
        file_name="target-mask",
    )


def pick_sentence(point: dict[str, str]) -> None:
    """Put the clicked sentence on show."""
    if value(PAIRS) > 1:
        choose(PAIR, int(point["name"]))


def show_all_target_masks(batch: Batch, row: int, codes: np.ndarray, theme: Theme) -> None:
    """The masks of all sentences side by side."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.subheader("All target masks", anchor=False, width="content")
        st.button("Show the 8×8 toy batch", on_click=load_example, args=(TOY_NAME,))
    length = codes.shape[1]
    st.markdown(f"shape ({len(codes)}, 1, {length}, {length}) · click one to see it above")
    live_plot(
        mask_grid(codes, batch.tgt_in_labels, batch.tgt_in_labels, row, theme),
        key="all_target_masks",
        alt=" ".join(
            f"Sentence {n + 1}: {mask_in_words(mask, words)}"
            for n, (mask, words) in enumerate(zip(codes, batch.tgt_in_labels, strict=True))
        ),
        file_name="target-masks",
        on_pick=pick_sentence,
    )


def show_source_mask(batch: Batch, theme: Theme) -> None:
    """The source mask beside the batch."""
    allowed = masks.padding_mask(batch.src, batch.pad_id)[:, 0, 0].numpy()
    st.subheader("Source mask", anchor=False)
    st.markdown(
        f"`src != {batch.pad_id}` · shape ({len(allowed)}, 1, 1, {allowed.shape[1]}): one row per "
        "sentence, the same for every query"
    )
    left, right = st.columns(2)
    with left:
        live_plot(
            ids_heatmap(
                batch.src.numpy(),
                batch.src_labels,
                batch.specials.names().values(),
                theme,
                words=False,
            ),
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


def show_cross_mask(batch: Batch, row: int, theme: Theme) -> None:
    """The cross-attention mask: target queries, source keys."""
    codes = masks.cross_reasons(batch.src, batch.tgt_in.shape[1], batch.pad_id)[row].numpy()
    labels = batch.tgt_in_labels[row]
    st.subheader("Cross-attention mask", anchor=False)
    st.markdown("Queries come from the target, keys from the source: only source PAD is hidden.")
    narrow, _ = st.columns([3, 2])
    with narrow:
        live_plot(
            mask_row(
                [("cross-attention mask", codes)],
                labels,
                batch.src_labels[row],
                theme,
                legend=(masks.MAY_ATTEND, masks.KEY_IS_PAD),
            ),
            key="cross_mask",
            alt=mask_in_words(codes, labels),
            file_name="cross-mask",
        )


def show_mistakes(settings: Settings, batch: Batch, row: int, theme: Theme) -> None:
    """Two masks that tutorials get wrong, beside the right one."""
    st.subheader("Two mistakes seen in tutorials", anchor=False)
    if segments(RULE, "Mistake", names=MISTAKES.__getitem__) == "pad_queries":
        show_hidden_queries(settings, batch, row, theme)
    else:
        st.markdown(
            "The same batch read by columns: sentence i becomes the i-th token of every sentence. "
            "All masks change, and none fits the sentences any more; compare them with those above."
        )
        turned = masks.target_reasons(batch.tgt_in.T.contiguous(), batch.pad_id).numpy()
        words = list(zip(*batch.tgt_in_labels, strict=True))
        live_plot(
            mask_grid(turned, words, words, -1, theme, across=8),
            key="mistake_columns",
            alt="Target masks of the transposed batch.",
            file_name="mask-mistake",
        )


def show_hidden_queries(settings: Settings, batch: Batch, row: int, theme: Theme) -> None:
    """PAD queries hidden instead of PAD keys, in the same sentences padded on the left."""
    st.markdown(
        "`(tgt != pad)` with shape (batch, 1, T, 1) blanks the *rows* of PAD. Its *columns* stay "
        "open, and real words attend to PAD wherever causality lets them. Padding at the end hides "
        "the mistake; here the same sentence is padded on the left."
    )
    length = min(MAX_TOKENS, batch.tgt_in.shape[1] + 2)
    left = replace(settings, side="left", length=length).batch()
    tgt, labels = left.tgt_in, left.tgt_in_labels[row]
    right = masks.target_reasons(tgt, left.pad_id)[row].numpy()
    wrong = masks.query_padding_mask(tgt, left.pad_id)[row, 0].numpy()
    leaks = int((wrong & (right != masks.MAY_ATTEND)).sum())
    live_plot(
        mask_row(
            [("right", right), ("mistake", np.where(wrong, masks.MAY_ATTEND, right))],
            labels,
            labels,
            theme,
            blank_rows=(tgt[row] == left.pad_id).numpy(),
        ),
        key="mistake",
        alt=f"The mistake beside the right mask: {leaks} cells differ.",
        caption=f"{leaks} cells let a word attend to PAD. The rows of PAD, which the mistake "
        "blanks, are left out of both pictures.",
        file_name="mask-mistake",
    )


def show_additive_mask(theme: Theme) -> None:
    """The mask as numbers: 0 and −∞ added to the scores."""
    folded = st.expander(
        "The mask as numbers: 0 and −∞ added to the scores", key="additive", on_change="rerun"
    )
    if folded.open:
        with folded:
            size = slider(ADDITIVE_LENGTH, "Length")
            scores = torch.arange(float(size * size)).view(size, size)
            may_attend = masks.causal_mask(size)[0, 0]
            added = scores + masks.additive(may_attend)
            live_plot(
                additive_panels(
                    scores.numpy(), masks.additive(may_attend).numpy(), added.numpy(), theme
                ),
                key="additive_mask",
                alt=f"{size} by {size} scores 0 to {size * size - 1}; above the diagonal −∞ is "
                "added.",
                caption="The scores are made up. After the softmax, −∞ becomes a weight of "
                "exactly 0.",
                file_name="additive-mask",
            )
