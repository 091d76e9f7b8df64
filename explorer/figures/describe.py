"""Captions and alt texts: what a picture shows, in words and numbers."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Bool, Float, UInt8

from explorer.figures.labels import PAD, elide


def looks_most(
    weights: Float[np.ndarray, "query key"],
    queries: Sequence[str],
    keys: Sequence[str],
    *,
    query_positions: Sequence[int] | None = None,
    key_positions: Sequence[int] | None = None,
) -> str:
    """The largest weight of one head, in a sentence.

    Queries that are PAD or have only one visible key do not count. The positions are those of the
    words where some of the sentence is left out.
    """
    has_choice = (weights > 0).sum(axis=1) > 1
    is_word = np.array([query != PAD for query in queries])
    telling = weights * (has_choice & is_word)[:, None]
    if not telling.any():
        return "no word can look at more than one word"
    query, key = divmod(int(telling.argmax()), weights.shape[1])
    return (
        f"{named(queries, query, query_positions)} looks most at "
        f"{named(keys, key, key_positions)}, "
        f"weight {weights[query, key]:.2f}"
    )


def one_look(
    weights: Float[np.ndarray, "query key"],
    queries: Sequence[str],
    keys: Sequence[str],
    query: int,
    key: int,
    *,
    query_positions: Sequence[int] | None = None,
    key_positions: Sequence[int] | None = None,
) -> str:
    """One weight, in a sentence."""
    return (
        f"{named(queries, query, query_positions)} looks at {named(keys, key, key_positions)} "
        f"with weight {weights[query, key]:.4f}"
    )


def attention_in_words(
    weights: Float[np.ndarray, "query key"], queries: Sequence[str], keys: Sequence[str]
) -> str:
    """For every query, the key with the largest weight."""
    best = weights.argmax(axis=1)
    looks = (
        f"{elide(query, 28)}: {elide(keys[key])} {row[key]:.2f}"
        if row.any()
        else f"{elide(query, 28)}: nothing"
        for query, key, row in zip(queries, best.tolist(), weights, strict=True)
    )
    return (
        f"Heatmap of {len(queries)} queries (rows) by {len(keys)} keys (columns). "
        f"Largest weight of each row: {'; '.join(looks)}."
    )


def named(words: Sequence[str], at: int, positions: Sequence[int] | None = None) -> str:
    """A word and its position, in the sentence if some of it is left out."""
    word = elide(words[at], 28)
    position = at if positions is None else positions[at]
    quoted = word if word.startswith("“") else f"“{word}”"
    return f"{quoted} (position {position})"


def mask_in_words(codes: UInt8[np.ndarray, "query key"], queries: Sequence[str]) -> str:
    """The number of visible keys of each query, and of cells hidden for each reason."""
    counts = np.bincount(codes.ravel(), minlength=4)
    each = "; ".join(
        f"{elide(query)} {int((row == 0).sum())}" for query, row in zip(queries, codes, strict=True)
    )
    return (
        f"Mask of {codes.shape[0]} queries by {codes.shape[1]} keys: {counts[0]} cells may attend, "
        f"{counts[1]} are future, {counts[2]} are PAD keys, {counts[3]} are both. "
        f"Visible keys of each query: {each}."
    )


def allowed_in_words(allowed: Bool[np.ndarray, "batch key"]) -> str:
    """The number of visible keys of each sentence."""
    each = "; ".join(f"sentence {row + 1} {int(cells.sum())}" for row, cells in enumerate(allowed))
    sentences = "1 sentence" if len(allowed) == 1 else f"{len(allowed)} sentences"
    return f"Source mask of {sentences}. Visible keys: {each}."


def why_in_words(
    code: int, query: str, key: str, *, kind: str, same: bool = False, writes: str = ""
) -> str:
    """Why a query may attend to a key or not, by its reason (0 … 3) and the kind of attention.

    `query` and `key` are named as the reader should see them; `same` says that both are one
    position, and `writes` is the word that the query helps to write.
    """
    if code == 0:
        open_words = {
            "encoder": "the encoder reads the whole sentence at once, so the words before and "
            "after are open.",
            "decoder": "it comes earlier, and has been read already.",
            "cross": "the whole source is known before the first word is written.",
        }
        itself = (
            "itself: it has been read already, and the next word is asked for."
            if kind == "decoder"
            else "itself."
        )
        return f"{query} may look at {itself if same else f'{key}: {open_words[kind]}'}"
    because = {
        1: "it comes later. "
        + (f"Here the decoder has to guess “{elide(writes, 28)}”. " if writes else "")
        + "If it saw what comes, it would only copy.",
        2: "it is PAD. It stands for no word: it only fills the row up to the length of the "
        "longest sentence.",
        3: "it is PAD, and it comes later. Each reason alone would hide it.",
    }
    return f"{query} may not look at {key}: {because[code]}"
