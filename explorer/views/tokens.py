"""The pictures of the tokens page: batches of ids, and the target that is shifted by one."""

from collections.abc import Iterable, Sequence

import numpy as np

from explorer.figures import shift as figures
from explorer.figures.batch import ids_heatmap
from explorer.languages import arrow, between, isolated, mark, sentences, tr
from explorer.names import PAD
from explorer.text import Batch
from explorer.views.picture import Picture

_TITLES = {
    "src_ids": mark("Source ids"),
    "tgt_in_ids": mark("Target ids, input"),
    "tgt_out_ids": mark("Target ids, output"),
}


def ids_picture(
    key: str,
    title: str,
    ids: np.ndarray,
    labels: Sequence[Sequence[str]],
) -> Picture:
    """One padded batch of ids with its tokens: src_ids, tgt_in_ids or tgt_out_ids."""
    rows_in_words = between("; ").join(
        tr(
            "sentence {number}: {tokens}",
            number=n,
            tokens=_with_ids(zip(line, numbers, strict=True)),
        )
        for n, (line, numbers) in enumerate(zip(labels, ids.tolist(), strict=True), 1)
    )
    return Picture(
        key=key,
        title=tr(_TITLES[key]),
        drawing=ids_heatmap(ids, labels),
        alt=tr("{title}, tokens=ids. {sentences}", title=title, sentences=rows_in_words),
    )


def shift_picture(batch: Batch, row: int) -> Picture | None:
    """`tgt_in` and `tgt_out` of a pair, one under the other; None where nothing is shifted."""
    if batch.tgt_out is None:
        return None
    tgt_in, tgt_out = (
        list(zip(labels[row], ids[row].tolist(), strict=True))
        for labels, ids in (
            (batch.tgt_in_labels, batch.tgt_in),
            (batch.tgt_out_labels, batch.tgt_out),
        )
    )
    pairs = [
        arrow(read, next_word)
        for (read, _), (next_word, _) in zip(tgt_in, tgt_out, strict=True)
        if next_word != PAD
    ]
    lights = tr(
        "Pair {pair}. Point at a token, or tap it: equal ones light up. PAD is hatched.",
        pair=row + 1,
    )
    drawing = figures.shift(tgt_in, tgt_out)
    leads = tr(
        "An arrow leads from the last word read to the word that should come next; PAD is not "
        "asked for."
    )
    return Picture(
        key="shift",
        title=tr("Shift"),
        drawing=drawing,
        alt=tr(
            "tgt_in: {reads}. tgt_out: {asked}. Each position reads one token and is asked for the "
            "next: {pairs}.",
            reads=_with_ids(tgt_in),
            asked=_with_ids(tgt_out),
            pairs=between("; ").join(pairs),
        ),
        caption=sentences(lights, leads) if drawing.marks else lights,
    )


def _with_ids(tokens: Iterable[tuple[str, int]]) -> str:
    return " ".join(f"{isolated(word)}={number}" for word, number in tokens)
