"""The parts of the masks page: one mask; for drawers, all masks and two mistakes."""

from dataclasses import replace
from typing import Final

import streamlit as st

from explorer import masks
from explorer.choices.examples import EXAMPLES, TOY_NAME, world_of
from explorer.choices.parameters import Frame, Look, Masks
from explorer.choices.settings import Settings
from explorer.config import ModelConfig
from explorer.figures.describe import named, why_in_words
from explorer.figures.one_mask import OneMask
from explorer.languages import mark, sentences, tr
from explorer.names import PAD
from explorer.text import MAX_TOKENS, Batch
from explorer.ui.components.live_plot import live_plot
from explorer.ui.controls.attention import choose_kind, look_on_show
from explorer.ui.controls.batch import load_example
from explorer.ui.controls.buttons import button, page_button
from explorer.ui.controls.choices import choices, choose, chosen, drawn, replace_choices, value
from explorer.ui.controls.sentences import draw_beside, set_world, typed_pairs
from explorer.ui.controls.widgets import segments, slider
from explorer.ui.frame.running import run_if_possible, tell
from explorer.ui.frame.session import memory
from explorer.views.looks import middle_word
from explorer.views.masks import (
    additive_mask,
    columns_mistake,
    mask_of,
    nearest_hidden_key,
    one_mask,
    queries_mistake,
    row_at_work,
    source_ids,
    source_mask,
    target_masks,
)

BEFORE_TOY: Final = "choices_before_toy"  # the choices from before the toy batch was loaded
MISTAKES = {
    "pad_queries": mark("PAD queries hidden"),
    "columns": mark("columns read as sentences"),
}


def show_one_mask(settings: Settings, batch: Batch, row: int) -> None:
    """The mask of one attention, one of its cells in words, and the effect of its row on scores."""
    with st.container(horizontal=True, vertical_alignment="center", key="choices"):
        choose_kind(settings, "decoder")
        draw_beside()
    kind, layer, head = look_on_show(settings, "decoder")
    mask = mask_of(batch, row, kind)
    query, key = _cell_on_show(mask)
    with st.container(key="stage_mask"):  # its pictures keep their size while somebody types
        left, right = st.columns([7, 5])
        with left:
            live_plot(one_mask(mask, (query, key)))
            words = named(mask.query_labels, query), named(mask.key_labels, key)
            st.text(in_words(mask, (query, key), words))
            if said := what_is_pad(batch, row):
                st.caption(said)
            if not mask.codes.any():
                offer_pad(batch)
        with right:
            ran = run_if_possible(settings, tell)
            if ran is None:
                st.caption(tr("The model cannot run here, so there are no scores to mask."))
            else:
                live_plot(row_at_work(mask, ran.attention(kind, layer), head, (query, key)))
                where = {"attention": kind, "layer": layer + 1, "head": head + 1}
                page_button(
                    tr("Step by step: where does this score come from?"),
                    "steps",
                    choices={"case": "model", "query": query, "key": key, **where},
                    icon=":material/calculate:",
                )


def _cell_on_show(mask: OneMask) -> tuple[int, int]:
    """The query and the key that were clicked, or a telling cell."""
    wanted = drawn(Look.query, chosen(Look.query)), drawn(Look.key, chosen(Look.key))
    queries, keys = mask.codes.shape
    query = middle_word(mask.query_labels) if wanted[0] is None else min(wanted[0], queries - 1)
    key = nearest_hidden_key(mask, query) if wanted[1] is None else min(wanted[1], keys - 1)
    return query, key


def in_words(mask: OneMask, cell: tuple[int, int], words: tuple[str, str]) -> str:
    """Why this cell may attend or not, and what is unusual about its row or the mask."""
    query, key = cell
    reason = why_in_words(
        int(mask.codes[cell]),
        *words,
        kind=mask.kind,
        same=mask.kind != "cross" and query == key,
        writes=mask.writes[query] if mask.writes else "",
    )
    more = []
    if mask.query_labels[query] == PAD and mask.codes[query].any():
        more.append(tr("(The query is PAD itself: the output of this row is not used.)"))
    if (mask.codes[query] != masks.MAY_ATTEND).all():
        more.append(tr("This row may not attend to any key, so all its weights are 0."))
    if not mask.codes.any():
        more.append(tr("Nothing is hidden here: this sentence has no PAD."))
    return sentences(reason, *more)


def offer_pad(batch: Batch) -> None:
    """Offer the sentence that has PAD where the one on show has none."""
    padded = (~batch.sources.words).any(dim=1).nonzero().flatten().tolist()
    if padded:
        label = tr("Show sentence {number}: it is filled up with PAD", number=padded[0] + 1)
        wanted = Frame.pair, padded[0] + 1
        button(label, icon=":material/add:", type="tertiary", on_click=choose, args=wanted)


def what_is_pad(batch: Batch, row: int) -> str:
    """What counts as PAD, where one might take it for something else."""
    if batch.pad_by_id:
        if batch.tgt_out is not None:
            return ""
        return tr("Typed ids: every {pad} is PAD, wherever it stands.", pad=batch.pad_id)
    sides = batch.sources[row : row + 1], batch.targets_in[row : row + 1]
    if not any(((side.ids == batch.pad_id) & side.words).any() for side in sides):
        return ""
    return tr(
        "This model reads the id of PAD, {pad}, as a token like any other. Only what fills up a "
        "row is hidden.",
        pad=batch.pad_id,
    )


def show_masks(config: ModelConfig, batch: Batch, row: int) -> None:
    """The masks of all sentences of the batch."""
    is_toy = typed_pairs() == list(EXAMPLES[TOY_NAME].pairs)
    if is_toy and BEFORE_TOY in memory():
        button(
            tr("Back to your sentence"),
            icon=":material/undo:",
            type="tertiary",
            on_click=_leave_toy_batch,
        )
    else:
        button(
            tr("Show the 8×8 toy batch"),
            icon=":material/grid_on:",
            type="tertiary",
            on_click=_open_toy_batch,
        )
    if config.has_decoder:
        _show_target_masks(batch, row)
    if config.has_encoder:
        _show_source_mask(batch)


def _open_toy_batch() -> None:
    memory()[BEFORE_TOY] = dict(choices())
    load_example(TOY_NAME)


def _leave_toy_batch() -> None:
    if (before := memory().pop(BEFORE_TOY, None)) is None:
        return  # the button was clicked twice
    replace_choices([*choices()], before)
    set_world(world_of(value(Frame.weights)))


def _show_target_masks(batch: Batch, row: int) -> None:
    """The target masks of all sentences side by side."""
    sentences, length = batch.tgt_in.shape
    st.markdown(
        tr(
            "**Target masks** · shape ({sentences}, 1, {length}, {length}) · click one to choose "
            "its sentence",
            sentences=sentences,
            length=length,
        )
    )
    live_plot(target_masks(batch, row))


def _show_source_mask(batch: Batch) -> None:
    """The source mask beside the batch."""
    sentences, length = batch.src.shape
    st.markdown(
        tr(
            "**Source mask** · {formula}shape ({sentences}, 1, 1, {length}): one row per sentence, "
            "the same for every query",
            formula=f"`src != {batch.pad_id}` · " if batch.pad_by_id else "",
            sentences=sentences,
            length=length,
        )
    )
    left, right = st.columns(2)
    with left:
        live_plot(source_ids(batch))
    with right:
        live_plot(source_mask(batch))


def show_mistake(settings: Settings, batch: Batch, row: int) -> None:
    """One of two masks that tutorials get wrong, beside the right ones."""
    rule = segments(Masks.rule, tr("Mistake"), names=MISTAKES)
    if rule == "pad_queries":
        _show_hidden_queries(settings, batch, row)
    else:
        _show_columns(batch)
    page_button(
        tr("In the Lab: what this mistake does to the model's answers"),
        "lab",
        choices={"differs": "mistake", "which_mistake": rule},
        icon=":material/science:",
    )


def _show_columns(batch: Batch) -> None:
    """The masks of the batch read by columns."""
    st.markdown(
        tr(
            "The same batch read by columns: sentence i becomes the i-th token of every sentence. "
            "So the masks are made for the columns, and not for the sentences."
        )
    )
    live_plot(columns_mistake(batch))


def _show_hidden_queries(settings: Settings, batch: Batch, row: int) -> None:
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
    live_plot(queries_mistake(left, row))


def show_additive_mask() -> None:
    """The mask as numbers, for a length that is chosen here."""
    live_plot(additive_mask(slider(Masks.additive_length, tr("Length"))))
