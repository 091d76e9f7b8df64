"""Captions and alt texts: what a picture shows, in words and numbers."""

from collections.abc import Iterable, Sequence
from typing import Final, Literal

import numpy as np
from jaxtyping import Bool, Float, UInt8

from explorer.drawing.labels import disambiguated, elide
from explorer.languages import between, isolated, mark, numeral, tr

_OPEN: Final = {
    "encoder": mark(
        "{query} may look at {key}: the encoder reads the whole sentence at once, so the words "
        "before and after are open."
    ),
    "decoder": mark("{query} may look at {key}: it comes earlier, and has been read already."),
    "cross": mark(
        "{query} may look at {key}: the whole source is known before the first word is written."
    ),
}
_HIDDEN: Final = {
    1: mark(
        "{query} may not look at {key}: it comes later. If the model had seen what comes while it "
        "learnt, it would only copy."
    ),
    2: mark(
        "{query} may not look at {key}: it is PAD. It stands for no word: it only makes all "
        "sentences of the batch equally long."
    ),
    3: mark(
        "{query} may not look at {key}: it is PAD, and it comes later. Each reason alone would "
        "hide it."
    ),
}


def share_in_words(share: float, places: int = 2, unit: Literal["f", "%"] = "f") -> str:
    """A share with so many decimals; one that is too small for them is not 0."""
    least = 10.0**-places / (100 if unit == "%" else 1)
    small = 0 < share < least / 2
    return f"{'< ' if small else ''}{numeral(least if small else share, f'.{places}{unit}')}"


def weight_in_words(weight: float) -> str:
    """A weight among the sums that lead to it, in four decimals; only 0 itself is written as 0."""
    return share_in_words(weight, 4) if weight else "0"


def with_numbers(names: Iterable[str], numbers: Iterable[str]) -> list[str]:
    """Each name with its number behind it, for a list."""
    return [f"{isolated(name)} {number}" for name, number in zip(names, numbers, strict=False)]


def attention_in_words(
    weights: Float[np.ndarray, "query key"],
    queries: Sequence[str],
    keys: Sequence[str],
    positions: tuple[Sequence[int] | None, Sequence[int] | None] = (None, None),
) -> str:
    """For every query, the key with the largest weight.

    The positions of queries and keys are needed if some words of the sentence are left out.
    """
    best = weights.argmax(axis=1)
    rows = disambiguated(queries, most=28, positions=positions[0])
    columns = disambiguated(keys, positions=positions[1])
    looks = (
        f"{isolated(query)}: {isolated(columns[key])} {share_in_words(float(row[key]))}"
        if row.any()
        else tr("{query}: nothing", query=query)
        for query, key, row in zip(rows, best.tolist(), weights, strict=True)
    )
    return tr(
        "Heatmap of {queries} queries (rows) by {keys} keys (columns). "
        "Largest weight of each row: {weights}.",
        queries=len(queries),
        keys=len(keys),
        weights=between("; ").join(looks),
    )


def named(words: Sequence[str], at: int, positions: Sequence[int] | None = None) -> str:
    """A word and its position, in the sentence if some of it is left out."""
    word = elide(words[at], 28)
    position = at if positions is None else positions[at]
    if word.startswith("“"):
        return tr("{word} (position {position})", word=word, position=position)
    return tr("“{word}” (position {position})", word=word, position=position)


def mask_in_words(codes: UInt8[np.ndarray, "query key"], queries: Sequence[str]) -> str:
    """The number of visible keys of each query, and of cells hidden for each reason."""
    counts = np.bincount(codes.ravel(), minlength=4)
    visible = (codes == 0).sum(axis=1)
    each = between("; ").join(with_numbers(disambiguated(queries), map(str, visible)))
    return tr(
        "Mask of {queries} queries by {keys} keys: {open} cells may attend, {future} are future, "
        "{pad} are PAD keys, {both} are both. Visible keys of each query: {each}.",
        queries=codes.shape[0],
        keys=codes.shape[1],
        open=counts[0],
        future=counts[1],
        pad=counts[2],
        both=counts[3],
        each=each,
    )


def allowed_in_words(allowed: Bool[np.ndarray, "batch key"]) -> str:
    """The number of visible keys of each sentence."""
    each = between("; ").join(
        tr("sentence {number} {keys}", number=number, keys=int(cells.sum()))
        for number, cells in enumerate(allowed, start=1)
    )
    return tr("Source mask. Visible keys: {each}.", each=each)


def why_in_words(
    code: int, query: str, key: str, *, kind: str, same: bool = False, writes: str = ""
) -> str:
    """Why a query may attend to a key or not, by its reason (0 … 3) and the kind of attention.

    `query` and `key` are named as the reader should see them; `same` says that both are one
    position, and `writes` is the word that the query helps to write.
    """
    if code == 0 and not same:
        return tr(_OPEN[kind], query=query, key=key)
    if code == 0 and kind == "decoder":
        return tr(
            "{query} may look at itself: it has been read already, and the next word is asked for.",
            query=query,
        )
    if code == 0:
        return tr("{query} may look at itself.", query=query)
    if code == 1 and writes:
        return tr(
            "{query} may not look at {key}: it comes later. Here the decoder has to guess "
            "“{word}”. If it had seen what comes while it learnt, it would only copy.",
            query=query,
            key=key,
            word=elide(writes, 28),
        )
    return tr(_HIDDEN[code], query=query, key=key)
