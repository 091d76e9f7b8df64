"""What the masks page shows below its main picture, folded away."""

from dataclasses import replace
from itertools import chain

import numpy as np
import streamlit as st
import torch

from explorer import masks
from explorer.figures.batch import ids_heatmap, token_colors
from explorer.figures.describe import allowed_in_words, mask_in_words
from explorer.figures.masks import additive_panels, mask_grid, mask_row, source_mask
from explorer.figures.theme import Theme
from explorer.languages import mark, tr, tr_n
from explorer.text import MAX_TOKENS, Batch
from explorer.ui.components.live_plot import live_plot
from explorer.ui.controls.batch import load_example
from explorer.ui.controls.choices import choose_clicked, chosen, value
from explorer.ui.controls.examples import TOY_NAME
from explorer.ui.controls.widgets import segments, slider
from explorer.ui.parameters import ADDITIVE_LENGTH, PAIR, PAIRS, RULE
from explorer.ui.registry import open_page
from explorer.ui.settings import Settings

MISTAKES = {
    "pad_queries": mark("PAD queries hidden"),
    "columns": mark("columns read as sentences"),
}


def pick_sentence(point: dict[str, str]) -> None:
    """Put the clicked sentence on show."""
    if value(PAIRS) > 1:
        choose_clicked(PAIR, point["name"])


def show_all_masks(settings: Settings, batch: Batch, row: int, theme: Theme) -> None:
    """Folded away: the masks of all sentences of the batch."""
    st.button(
        tr("Show the 8×8 toy batch"),
        icon=":material/grid_on:",
        type="tertiary",
        on_click=_open_toy_batch,
    )
    folded = st.expander(tr("All masks of the batch"), key="all_masks", on_change="rerun")
    if not folded.open:
        return
    with folded:
        if settings.config.has_decoder:
            show_all_target_masks(settings, batch, row, theme)
        if settings.config.has_encoder:
            show_source_mask(batch, theme)


def _open_toy_batch() -> None:
    load_example(TOY_NAME)
    st.session_state.all_masks = True


def show_all_target_masks(settings: Settings, batch: Batch, row: int, theme: Theme) -> None:
    """The target masks of all sentences side by side."""
    codes = masks.target_reasons(
        batch.tgt_in, batch.pad_id, starts_with_pad=settings.config.starts_with_pad
    ).numpy()
    length = codes.shape[1]
    st.markdown(
        tr(
            "**Target masks** · shape ({sentences}, 1, {length}, {length}) · click one to see it "
            "above",
            sentences=len(codes),
            length=length,
        )
    )
    live_plot(
        mask_grid(codes, batch.tgt_in_labels, batch.tgt_in_labels, row, theme),
        key="all_target_masks",
        alt=" ".join(
            tr("Sentence {number}: {mask}", number=n, mask=mask_in_words(mask, words))
            for n, (mask, words) in enumerate(zip(codes, batch.tgt_in_labels, strict=True), 1)
        ),
        file_name="target-masks",
        on_pick=pick_sentence,
    )


def show_source_mask(batch: Batch, theme: Theme) -> None:
    """The source mask beside the batch."""
    allowed = masks.padding_mask(batch.src, batch.pad_id)[:, 0, 0].numpy()
    st.markdown(
        tr(
            "**Source mask** · `src != {pad}` · shape ({sentences}, 1, 1, {length}): one row per "
            "sentence, the same for every query",
            pad=batch.pad_id,
            sentences=len(allowed),
            length=allowed.shape[1],
        )
    )
    left, right = st.columns(2)
    with left:
        live_plot(
            ids_heatmap(
                batch.src.numpy(),
                batch.src_labels,
                token_colors([chain(*batch.src_labels)], theme),
                theme,
                words=False,
            ),
            key="mask_src_ids",
            alt=tr("The ids of the source batch."),
            file_name="source-batch",
        )
    with right:
        live_plot(
            source_mask(allowed, theme),
            key="src_mask",
            alt=allowed_in_words(allowed),
            file_name="source-mask",
        )


def show_mistakes(settings: Settings, batch: Batch, row: int, theme: Theme) -> None:
    """Folded away: two masks that tutorials get wrong, beside the right one."""
    folded = st.expander(
        tr("Two mistakes seen in tutorials"),
        expanded=chosen(RULE) is not None,
        key="mistakes",
        on_change="rerun",
    )
    if not folded.open:
        return
    with folded:
        rule = segments(RULE, tr("Mistake"), names=lambda rule: tr(MISTAKES[rule]))
        if rule == "pad_queries":
            show_hidden_queries(settings, batch, row, theme)
        else:
            show_columns(batch, theme)
        if st.button(
            tr("In the Lab: what this mistake does to the model's answers"),
            icon=":material/science:",
        ):
            open_page("lab", differs="mistake", which_mistake=rule)


def show_columns(batch: Batch, theme: Theme) -> None:
    """The masks of the batch read by columns."""
    st.markdown(
        tr(
            "The same batch read by columns: sentence i becomes the i-th token of every sentence. "
            "So the masks are made for the columns, and not for the sentences."
        )
    )
    turned = masks.target_reasons(batch.tgt_in.T.contiguous(), batch.pad_id).numpy()
    words = list(zip(*batch.tgt_in_labels, strict=True))
    live_plot(
        mask_grid(turned, words, words, -1, theme, across=8),
        key="mistake_columns",
        alt=tr("Target masks of the transposed batch."),
        file_name="mask-mistake",
    )


def show_hidden_queries(settings: Settings, batch: Batch, row: int, theme: Theme) -> None:
    """PAD queries hidden instead of PAD keys, in the same sentences padded on the left."""
    st.markdown(
        tr(
            "`(tgt != pad)` with shape (batch, 1, T, 1) blanks the *rows* of PAD. Its *columns* "
            "stay open, and real words attend to PAD wherever causality lets them. Padding at the "
            "end hides the mistake; here the same sentence is padded on the left."
        )
    )
    length = min(MAX_TOKENS, batch.tgt_in.shape[1] + 2)
    left = replace(settings, side="left", length=length).batch()
    tgt, labels = left.tgt_in, left.tgt_in_labels[row]
    right = masks.target_reasons(tgt, left.pad_id)[row].numpy()
    wrong = masks.query_padding_mask(tgt, left.pad_id)[row, 0].numpy()
    leaks = int((wrong & (right != masks.MAY_ATTEND)).sum())
    leaking = tr_n(
        "{n} cell lets a word attend to PAD.", "{n} cells let a word attend to PAD.", leaks
    )
    blanked = tr("The rows of PAD, which the mistake blanks, are left out of both pictures.")
    live_plot(
        mask_row(
            [
                # Translators: not wrong
                (tr("right"), right),
                (tr("mistake"), np.where(wrong, masks.MAY_ATTEND, right)),
            ],
            labels,
            labels,
            theme,
            blank_rows=(tgt[row] == left.pad_id).numpy(),
        ),
        key="mistake",
        alt=tr_n(
            "The mistake beside the right mask: {n} cell differs.",
            "The mistake beside the right mask: {n} cells differ.",
            leaks,
        ),
        caption=f"{leaking} {blanked}",
        file_name="mask-mistake",
    )


def show_additive_mask(theme: Theme) -> None:
    """The mask as numbers: 0 and −∞ added to the scores."""
    folded = st.expander(
        tr("The mask as numbers: 0 and −∞ added to the scores"), key="additive", on_change="rerun"
    )
    if folded.open:
        with folded:
            size = slider(ADDITIVE_LENGTH, tr("Length"))
            scores = torch.arange(float(size * size)).view(size, size)
            may_attend = masks.causal_mask(size)[0, 0]
            added = scores + masks.additive(may_attend)
            live_plot(
                additive_panels(
                    scores.numpy(), masks.additive(may_attend).numpy(), added.numpy(), theme
                ),
                key="additive_mask",
                alt=tr(
                    "{size} by {size} scores 0 to {last}; above the diagonal −∞ is added.",
                    size=size,
                    last=size * size - 1,
                ),
                caption=tr(
                    "The scores are made up. After the softmax, −∞ becomes a weight of exactly 0."
                ),
                file_name="additive-mask",
            )
