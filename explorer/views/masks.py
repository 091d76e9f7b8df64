"""The pictures of the masks page: one mask, its row at work, all masks, and two mistakes."""

from typing import Final

import numpy as np

from explorer import masks
from explorer.analysis.attention import Attention
from explorer.drawing.labels import disambiguated
from explorer.figures.batch import ids_heatmap
from explorer.figures.describe import allowed_in_words, mask_in_words, named, share_in_words
from explorer.figures.masks import additive_panels, mask_grid, mask_row
from explorer.figures.masks import source_mask as draw_source_mask
from explorer.figures.one_mask import OneMask, scores_to_weights
from explorer.figures.one_mask import one_mask as draw_one_mask
from explorer.languages import between, isolated, mark, numeral, sentences, tr
from explorer.mistakes.parts import query_padding_mask
from explorer.names import PAD, AttentionKind
from explorer.text import Batch
from explorer.views.looks import middle_word
from explorer.views.picture import Call, Click, Picture

# By kind of attention: the file's name, the title, and the mask's name in code.
_FILES: Final = {
    "encoder": ("source-mask", mark("Source mask"), "encoder"),
    "decoder": ("target-mask", mark("Target mask"), "target"),
    "cross": ("cross-attention-mask", mark("Cross attention mask"), "cross"),
}

# By how many of a row's keys are hidden: what the mask does to its scores.
_AT_WORK: Final = {
    "some": mark("Layer {layer}, head {head}: −∞ becomes a weight of exactly 0."),
    "none": mark("Layer {layer}, head {head}: no key of this row is hidden, so all scores stay."),
    "all": mark(
        "Layer {layer}, head {head}: every key is hidden. The softmax of nothing but −∞ has no "
        "value: the weights are set to 0."
    ),
}


def mask_of(batch: Batch, row: int, kind: AttentionKind) -> OneMask:
    """The mask of one kind of attention for one sentence pair."""
    src, tgt = batch.src_labels[row], batch.tgt_in_labels[row]
    if kind == "decoder":
        read = batch.targets_in
        padding, causal = masks.why_hidden(read.ids, batch.pad_id, words=read.words)
        parts = [
            (tr("padding mask"), padding[row].numpy()),
            (tr("causal mask"), causal[row].numpy()),
        ]
        after = batch.tgt_out_labels[row] if batch.tgt_out is not None else ()
        return OneMask(
            name=tr("target mask"),
            kind=kind,
            codes=(padding | causal)[row].numpy(),
            query_labels=tgt,
            key_labels=tgt,
            writes=["" if word == PAD else word for word in after] or None,
            factors=parts,
        )
    queries = src if kind == "encoder" else tgt
    codes = masks.cross_reasons(batch.src, len(queries), batch.pad_id, words=batch.src_words)[
        row
    ].numpy()
    return OneMask(
        name=tr("source mask") if kind == "encoder" else tr("cross-attention mask"),
        kind=kind,
        codes=codes,
        query_labels=queries,
        key_labels=src,
        reasons=(masks.MAY_ATTEND, masks.KEY_IS_PAD),
    )


def nearest_hidden_key(mask: OneMask, query: int) -> int:
    """The nearest key that this query may not attend to, or the query's own place."""
    codes = mask.codes[query]
    hidden = np.flatnonzero(codes != masks.MAY_ATTEND)
    if len(hidden):
        return int(hidden[np.abs(hidden - query).argmin()])
    return min(query, len(codes) - 1)


def one_mask(mask: OneMask, cell: tuple[int, int]) -> Picture:
    """The mask of a pair with a cell framed; a click chooses another."""
    sides = tr("Rows are queries, columns are keys.")
    allowed = tr(
        "{allowed} of {cells} cells may attend.",
        allowed=int((mask.codes == masks.MAY_ATTEND).sum()),
        cells=mask.codes.size,
    )
    name, title, which = _FILES[mask.kind]
    usual = middle_word(mask.query_labels)
    where: tuple[int | None, int | None] = None, None
    if cell != (usual, nearest_hidden_key(mask, usual)):
        where = cell
    return Picture(
        key="one_mask",
        name=name,
        title=tr(title),
        drawing=draw_one_mask(mask, cell),
        alt=f"{mask.name}. {mask_in_words(mask.codes, mask.query_labels)}",
        caption=sentences(sides, allowed),
        summary=f"{tr(title)}. {sides}",
        code=Call(method="masks", arguments={"which": which, "query": where[0], "key": where[1]}),
        click=Click(row="query", column="key", hint=tr("Click a cell: why?")),
    )


def row_at_work(mask: OneMask, attention: Attention, head: int, cell: tuple[int, int]) -> Picture:
    """One row of the mask in one head of the model: scores become weights."""
    query, key = cell
    hidden = mask.codes[query] > 0
    which = "all" if hidden.all() else "some" if hidden.any() else "none"
    scores, weights = attention.scores[head, query], attention.weights[head, query]
    numbers = between("; ").join(
        f"{isolated(label)} {'−∞' if code else numeral(score, '.2f')} {share_in_words(weight)}"
        for label, code, score, weight in zip(
            disambiguated(mask.key_labels), mask.codes[query], scores, weights.tolist(), strict=True
        )
    )
    return Picture(
        key="row_at_work",
        title=tr("Scores to weights"),
        drawing=scores_to_weights(mask, query, scores, weights, key),
        alt=tr(
            "Scores and weights of {query}: {numbers}",
            query=named(mask.query_labels, query),
            numbers=numbers,
        ),
        caption=sentences(
            tr(
                _AT_WORK[which],
                layer=attention.layer + 1,
                head=head + 1,
            ),
            tr("The weights sum to {sum:.2f}.", sum=weights.sum()),
        ),
        click=Click(row="key"),
    )


def target_masks(batch: Batch, row: int) -> Picture:
    """The target masks of all pairs, that of `row` framed; a click puts a pair on show."""
    read = batch.targets_in
    codes = masks.target_reasons(read.ids, batch.pad_id, words=read.words).numpy()
    return Picture(
        key="all_target_masks",
        title=tr("Target masks"),
        drawing=mask_grid(codes, batch.tgt_in_labels, batch.tgt_in_labels, row),
        alt=sentences(
            *(
                tr("Sentence {number}: {mask}", number=n, mask=mask_in_words(mask, words))
                for n, (mask, words) in enumerate(zip(codes, batch.tgt_in_labels, strict=True), 1)
            )
        ),
        code=Call(method="masks", arguments={"which": "targets"}),
        click=Click(name="pair") if len(codes) > 1 else None,
    )


def source_ids(batch: Batch) -> Picture:
    """The ids of the source, as its mask sees them."""
    return Picture(
        key="mask_src_ids",
        title=tr("Source batch"),
        drawing=ids_heatmap(batch.src.numpy(), batch.src_labels, words=False),
        alt=tr("The ids of the source batch."),
    )


def source_mask(batch: Batch) -> Picture:
    """The source mask: a row for each pair, the same for every query."""
    allowed = masks.padding_mask(batch.src, batch.pad_id, words=batch.src_words)[:, 0, 0].numpy()
    return Picture(
        key="src_mask",
        title=tr("Source masks"),
        drawing=draw_source_mask(allowed),
        alt=allowed_in_words(allowed),
        code=Call(method="masks", arguments={"which": "source"}),
    )


def columns_mistake(batch: Batch) -> Picture:
    """The masks of the batch read by columns."""
    ids, read = batch.targets_in.ids.T.contiguous(), batch.targets_in.words.T.contiguous()
    transposed = masks.target_reasons(ids, batch.pad_id, words=read).numpy()
    words = list(zip(*batch.tgt_in_labels, strict=True))
    return Picture(
        key="mistake_columns",
        title=tr("Mask mistake"),
        drawing=mask_grid(transposed, words, words, -1, across=8),
        alt=tr("Target masks of the transposed batch."),
    )


def queries_mistake(batch: Batch, row: int) -> Picture:
    """PAD queries hidden instead of PAD keys; the batch is padded on the left."""
    read, labels = batch.targets_in, batch.tgt_in_labels[row]
    right = masks.target_reasons(read.ids, batch.pad_id, words=read.words)[row].numpy()
    wrong = query_padding_mask(read.ids, batch.pad_id, words=read.words)[row, 0].numpy()
    leaks = int((wrong & (right != masks.MAY_ATTEND)).sum())
    leaking = tr("Cells that let a word attend to PAD: {n}.", n=leaks)
    blanked = tr("The rows of PAD, which the mistake blanks, are left out of both pictures.")
    return Picture(
        key="mistake",
        title=tr("Mask mistake"),
        drawing=mask_row(
            [
                # Translators: not wrong
                (tr("right"), right),
                (tr("mistake"), np.where(wrong, masks.MAY_ATTEND, right)),
            ],
            labels,
            labels,
            kind="decoder",
            blank_rows=~read.words[row].numpy(),
        ),
        alt=leaking,
        caption=sentences(leaking, blanked),
    )


def additive_mask(size: int) -> Picture:
    """A causal mask as numbers: 0 and −∞ added to made-up scores."""
    scores = np.arange(size * size, dtype=np.float32).reshape(size, size)
    added = masks.additive(masks.causal_mask(size)[0, 0]).numpy()
    return Picture(
        key="additive_mask",
        title=tr("Additive mask"),
        drawing=additive_panels(scores, added, scores + added),
        alt=tr(
            "{size} by {size} scores 0 to {last}; above the diagonal −∞ is added.",
            size=size,
            last=size * size - 1,
        ),
        caption=tr("The scores are made up. After the softmax, −∞ becomes a weight of exactly 0."),
    )
