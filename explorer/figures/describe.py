"""What a picture shows, in words and numbers: captions and text alternatives."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Bool, Float, UInt8


def looks_most(
    weights: Float[np.ndarray, "query key"], queries: Sequence[str], keys: Sequence[str]
) -> str:
    """The strongest look in one head, in a sentence."""
    query, key = divmod(int(weights.argmax()), weights.shape[1])
    return (
        f"“{queries[query]}” (position {query}) looks most at “{keys[key]}” (position {key}): "
        f"weight {weights[query, key]:.2f}"
    )


def attention_in_words(
    weights: Float[np.ndarray, "query key"], queries: Sequence[str], keys: Sequence[str]
) -> str:
    """For every query the key with the largest weight."""
    best = weights.argmax(axis=1)
    looks = (
        f"{query} → {keys[key]} {row[key]:.2f}" if row.any() else f"{query} → nothing"
        for query, key, row in zip(queries, best.tolist(), weights, strict=True)
    )
    return (
        f"Heatmap of {len(queries)} queries (rows) by {len(keys)} keys (columns). "
        f"Largest weight of each row: {'; '.join(looks)}."
    )


def sharpest_head(weights: Float[np.ndarray, "heads query key"], query: int) -> tuple[int, int]:
    """The head in which one query looks most at a single key, and that key."""
    head, key = divmod(int(weights[:, query].argmax()), weights.shape[2])
    return head, key


def mask_in_words(codes: UInt8[np.ndarray, "query key"], queries: Sequence[str]) -> str:
    """How many keys each query may attend to, and how many cells are hidden for which reason."""
    counts = np.bincount(codes.ravel(), minlength=4)
    each = "; ".join(
        f"{query} {int((row == 0).sum())}" for query, row in zip(queries, codes, strict=True)
    )
    return (
        f"Mask of {codes.shape[0]} queries by {codes.shape[1]} keys: {counts[0]} cells may attend, "
        f"{counts[1]} are future, {counts[2]} are PAD keys, {counts[3]} are both. "
        f"Keys open to each query: {each}."
    )


def allowed_in_words(allowed: Bool[np.ndarray, "batch key"]) -> str:
    """How many keys of each sentence are open."""
    each = "; ".join(f"sentence {row + 1} {int(cells.sum())}" for row, cells in enumerate(allowed))
    return f"Source mask of {len(allowed)} sentences. Open keys: {each}."
