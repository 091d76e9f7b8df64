"""What the masks page shows below its main picture, folded away."""

from dataclasses import replace

import streamlit as st

from explorer.figures.theme import Theme
from explorer.languages import mark, tr
from explorer.text import MAX_TOKENS, Batch
from explorer.ui.components.live_plot import live_plot
from explorer.ui.controls.batch import load_example
from explorer.ui.controls.choices import chosen
from explorer.ui.controls.examples import TOY_NAME
from explorer.ui.controls.widgets import segments, slider
from explorer.ui.parameters import ADDITIVE_LENGTH, RULE
from explorer.ui.registry import open_page
from explorer.ui.settings import Settings
from explorer.views.masks import (
    additive_mask,
    columns_mistake,
    queries_mistake,
    source_ids,
    source_mask,
    target_masks,
)

MISTAKES = {
    "pad_queries": mark("PAD queries hidden"),
    "columns": mark("columns read as sentences"),
}


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
    sentences, length = batch.tgt_in.shape
    st.markdown(
        tr(
            "**Target masks** · shape ({sentences}, 1, {length}, {length}) · click one to see it "
            "above",
            sentences=sentences,
            length=length,
        )
    )
    starts = settings.config.starts_with_pad
    live_plot(target_masks(batch, row, theme, starts_with_pad=starts))


def show_source_mask(batch: Batch, theme: Theme) -> None:
    """The source mask beside the batch."""
    sentences, length = batch.src.shape
    st.markdown(
        tr(
            "**Source mask** · `src != {pad}` · shape ({sentences}, 1, 1, {length}): one row per "
            "sentence, the same for every query",
            pad=batch.pad_id,
            sentences=sentences,
            length=length,
        )
    )
    left, right = st.columns(2)
    with left:
        live_plot(source_ids(batch, theme))
    with right:
        live_plot(source_mask(batch, theme))


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
            "All masks change, and none fits the sentences any more."
        )
    )
    live_plot(columns_mistake(batch, theme))


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
    live_plot(queries_mistake(left, row, theme))


def show_additive_mask(theme: Theme) -> None:
    """The mask as numbers: 0 and −∞ added to the scores."""
    folded = st.expander(
        tr("The mask as numbers: 0 and −∞ added to the scores"), key="additive", on_change="rerun"
    )
    if folded.open:
        with folded:
            live_plot(additive_mask(slider(ADDITIVE_LENGTH, tr("Length")), theme))
