"""The differences of two runs: of their weights and of their next words."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float
from torch import Tensor

from explorer.analysis.attention import Attention


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightsApart:
    """One head of A and one of B, cell by cell."""

    a: Attention
    b: Attention
    difference: Float[np.ndarray, "query key"]  # B − A

    @property
    def where(self) -> tuple[int, int]:
        """The row and column of the largest difference."""
        size = np.abs(self.difference) * _rows_of_words(self.a, self.b)[:, None]
        row, column = divmod(int(size.argmax()), size.shape[1])
        return row, column


def weights_apart(a: Attention, b: Attention, head: int) -> WeightsApart | None:
    """The difference of one head in A and in B.

    If their tokens differ, PAD is left out of both; so are the tokens of the longer one after the
    last shared word. None if their sizes differ even then.
    """
    same = a.query_labels == b.query_labels and a.key_labels == b.key_labels
    if not same:
        a, b = a.without_pad(), b.without_pad()
        queries = _shared(a.query_labels, b.query_labels)
        keys = _shared(a.key_labels, b.key_labels)
        a, b = (
            one.up_to(queries or len(one.query_labels), keys or len(one.key_labels))
            for one in (a, b)
        )
    if a.weights.shape[1:] != b.weights.shape[1:]:
        return None
    return WeightsApart(a=a, b=b, difference=b.weights[head] - a.weights[head])


def total_variation(
    a: Float[Tensor, "positions vocab"], b: Float[Tensor, "positions vocab"]
) -> Float[np.ndarray, " positions"]:
    """½ Σ |p − q| of the next words of two runs: 0 the same, 1 nothing shared."""
    p, q = (logits.detach().cpu().double().softmax(dim=-1) for logits in (a, b))
    found: np.ndarray = (0.5 * (p - q).abs().sum(dim=-1)).numpy()
    return found


def _rows_of_words(a: Attention, b: Attention) -> Bool[np.ndarray, " query"]:
    """Which rows are not PAD; all rows if all are PAD."""
    words: np.ndarray = np.array(a.query_is_word) | np.array(b.query_is_word)
    return words if words.any() else ~words


def _shared(one: Sequence[str], other: Sequence[str]) -> int:
    """The length of the shorter one if the longer one begins with it, else 0."""
    length = min(len(one), len(other))
    return length if tuple(one[:length]) == tuple(other[:length]) else 0
