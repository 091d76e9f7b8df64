"""One mask, large: choose a cell and see why it is open or not, and what that does to its row."""

import streamlit as st

from explorer import masks
from explorer.figures.describe import named, why_in_words
from explorer.figures.labels import PAD
from explorer.figures.one_mask import OneMask
from explorer.figures.theme import Theme
from explorer.languages import tr
from explorer.names import AttentionKind
from explorer.text import Batch
from explorer.ui.components.live_plot import live_plot
from explorer.ui.controls.attention import choose_attention, choose_head
from explorer.ui.controls.widgets import select_word
from explorer.ui.parameters import KEY, QUERY
from explorer.ui.registry import open_page
from explorer.ui.running import attention_if_possible
from explorer.ui.settings import Settings
from explorer.views.masks import mask_of, one_mask, row_at_work, telling_key, telling_query


def show_one_mask(settings: Settings, batch: Batch, row: int, theme: Theme) -> None:
    """The mask of one attention, one cell of it in words, and the row of that cell at work."""
    with st.container(horizontal=True, vertical_alignment="center", key="choices"):
        kind, layer = choose_attention(settings, "decoder")
        head = choose_head(settings, kind, layer, width=125)
        starts = settings.config.starts_with_pad
        mask = mask_of(batch, row, kind, starts_with_pad=starts)
        with st.container(horizontal=True, vertical_alignment="center", key="words"):
            query = select_word(QUERY, tr("Query"), mask.query_labels, telling_query(mask))
            key = select_word(KEY, tr("Key"), mask.key_labels, telling_key(mask, query))
    left, right = st.columns([7, 5])
    with left:
        live_plot(one_mask(mask, (query, key), kind, row, theme))
        words = named(mask.query_labels, query), named(mask.key_labels, key)
        st.text(in_words(mask, (query, key), words, kind))
    with right:
        show_row(settings, mask, (kind, layer, head), (query, key), theme)
    if st.button(tr("Step by step: where does this score come from?"), icon=":material/calculate:"):
        where = {"attention": kind, "layer": layer + 1, "head": head + 1}
        open_page("steps", case="model", query=query, key=key, **where)


def in_words(
    mask: OneMask, cell: tuple[int, int], words: tuple[str, str], kind: AttentionKind
) -> str:
    """Why the cell is open or not, and what is strange about its row or about this mask."""
    query, key = cell
    said = why_in_words(
        int(mask.codes[cell]),
        *words,
        kind=kind,
        same=kind != "cross" and query == key,
        writes=mask.writes[query] if mask.writes else "",
    )
    more = []
    if mask.query_labels[query] == PAD and mask.codes[query].any():
        more.append(tr("(The query is PAD itself: nobody reads what this row finds.)"))
    if (mask.codes[query] != masks.MAY_ATTEND).all():
        more.append(tr("This row may look at nothing at all, so all its weights are 0."))
    if not mask.codes.any():
        more.append(tr("Nothing is hidden here: this sentence has no PAD."))
    return " ".join([said, *more])


def show_row(
    settings: Settings,
    mask: OneMask,
    place: tuple[AttentionKind, int, int],
    cell: tuple[int, int],
    theme: Theme,
) -> None:
    """The row of the mask at work in one head of the model: scores become weights."""
    kind, layer, head = place
    attention = attention_if_possible(settings, kind, layer)
    if attention is None:
        st.caption(tr("The model cannot run here, so there are no scores to mask."))
        return
    live_plot(row_at_work(mask, attention, head, cell, theme))
