"""One mask, large: choose a cell and see why it is open or not, and what that does to its row."""

from functools import partial
from typing import Any

import numpy as np
import streamlit as st

from explorer import masks
from explorer.analysis.attention import content_words
from explorer.figures.describe import mask_in_words, named, why_in_words
from explorer.figures.labels import PAD
from explorer.figures.one_mask import OneMask, clicked_cell, one_mask, scores_to_weights
from explorer.figures.theme import Theme
from explorer.languages import mark, numeral, tr
from explorer.names import AttentionKind
from explorer.text import Batch
from explorer.ui.components.live_plot import live_plot
from explorer.ui.controls.attention import choose_attention, choose_head
from explorer.ui.controls.choices import choose_clicked
from explorer.ui.controls.widgets import select_word
from explorer.ui.parameters import KEY, QUERY
from explorer.ui.registry import open_page
from explorer.ui.running import attention_if_possible
from explorer.ui.settings import Settings

SIDES = {
    "encoder": mark("Pair {pair}: rows are queries (source), columns are keys (source)."),
    "decoder": mark("Pair {pair}: rows are queries (target), columns are keys (target)."),
    "cross": mark("Pair {pair}: rows are queries (target), columns are keys (source)."),
}
FILE_NAMES = {
    "encoder": "source-mask",
    "decoder": "target-mask",
    "cross": "cross-attention-mask",
}


def show_one_mask(settings: Settings, batch: Batch, row: int, theme: Theme) -> None:
    """The mask of one attention, one cell of it in words, and the row of that cell at work."""
    with st.container(horizontal=True, vertical_alignment="center", key="choices"):
        kind, layer = choose_attention(settings, "decoder")
        head = choose_head(settings, kind, layer, width=125)
        mask = mask_of(settings, batch, row, kind)
        with st.container(horizontal=True, vertical_alignment="center", key="words"):
            usual = content_words(mask.query_labels)
            query = select_word(QUERY, tr("Query"), mask.query_labels, usual[len(usual) // 2])
            telling = telling_key(mask.codes[query], query)
            key = select_word(KEY, tr("Key"), mask.key_labels, telling)
    left, right = st.columns([7, 5])
    with left:
        show_mask(mask, (query, key), kind, row, theme)
        words = named(mask.query_labels, query), named(mask.key_labels, key)
        st.text(in_words(mask, (query, key), words, kind))
    with right:
        show_row(settings, mask, (kind, layer, head), (query, key), theme)
    if st.button(tr("Step by step: where does this score come from?"), icon=":material/calculate:"):
        where = {"attention": kind, "layer": layer + 1, "head": head + 1}
        open_page("steps", case="model", query=query, key=key, **where)


def mask_of(settings: Settings, batch: Batch, row: int, kind: AttentionKind) -> OneMask:
    """The mask of one kind of attention for the sentence on show."""
    src, tgt = batch.src_labels[row], batch.tgt_in_labels[row]
    if kind == "decoder":
        starts = settings.config.starts_with_pad
        padding, causal = masks.why_hidden(batch.tgt_in, batch.pad_id, starts_with_pad=starts)
        parts = [
            (tr("padding mask"), padding[row].numpy()),
            (tr("causal mask"), causal[row].numpy()),
        ]
        after = batch.tgt_out_labels[row] if batch.tgt_out is not None else ()
        return OneMask(
            name=tr("target mask"),
            codes=(padding | causal)[row].numpy(),
            query_labels=tgt,
            key_labels=tgt,
            writes=["" if word == PAD else word for word in after] or None,
            factors=parts,
        )
    queries = src if kind == "encoder" else tgt
    codes = masks.cross_reasons(batch.src, len(queries), batch.pad_id)[row].numpy()
    return OneMask(
        name=tr("source mask") if kind == "encoder" else tr("cross-attention mask"),
        codes=codes,
        query_labels=queries,
        key_labels=src,
        reasons=(masks.MAY_ATTEND, masks.KEY_IS_PAD),
    )


def telling_key(codes: np.ndarray, query: int) -> int:
    """The nearest key that this query may not attend to, or the query's own place."""
    hidden = np.flatnonzero(codes != masks.MAY_ATTEND)
    if len(hidden):
        return int(hidden[np.abs(hidden - query).argmin()])
    return min(query, len(codes) - 1)


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


def show_mask(
    mask: OneMask, cell: tuple[int, int], kind: AttentionKind, row: int, theme: Theme
) -> None:
    """The mask; a click chooses a cell."""
    sides = tr(SIDES[kind], pair=row + 1)
    allowed = tr(
        "{allowed} of {cells} cells may attend. Click a cell: why?",
        allowed=int((mask.codes == masks.MAY_ATTEND).sum()),
        cells=mask.codes.size,
    )
    live_plot(
        one_mask(mask, cell, theme),
        key="one_mask",
        alt=f"{mask.name}. {mask_in_words(mask.codes, mask.query_labels)}",
        caption=f"{sides} {allowed}",
        file_name=FILE_NAMES[kind],
        on_pick=partial(_pick, mask),
    )


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
    query, key = cell
    scores, weights = attention.scores[head, query], attention.weights[head, query]
    numbers = "; ".join(
        f"{label} {'−∞' if code else numeral(score, '.2f')} {numeral(weight, '.2f')}"
        for label, code, score, weight in zip(
            mask.key_labels, mask.codes[query], scores, weights, strict=True
        )
    )
    live_plot(
        scores_to_weights(mask, query, scores, weights, key, theme),
        key="row_at_work",
        alt=tr(
            "Scores and weights of {query}: {numbers}",
            query=named(mask.query_labels, query),
            numbers=numbers,
        ),
        caption=tr(
            "Layer {layer}, head {head}: −∞ becomes a weight of exactly 0. The weights sum to "
            "{sum:.2f}.",
            layer=layer + 1,
            head=head + 1,
            sum=weights.sum(),
        ),
        file_name="scores-to-weights",
        on_pick=_pick_key,
    )


def _pick(mask: OneMask, point: dict[str, Any]) -> None:
    """Choose the clicked cell."""
    query, key = clicked_cell(mask, point)
    choose_clicked(QUERY, query)
    choose_clicked(KEY, key)


def _pick_key(point: dict[str, Any]) -> None:
    """Choose the key of the clicked row."""
    choose_clicked(KEY, round(point["y"]))
