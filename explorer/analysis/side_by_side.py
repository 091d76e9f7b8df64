"""The differences of two runs: of their weights, their logits and their next words."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Float
from torch import Tensor

from explorer.analysis.attention import Attention


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightsApart:
    """One head of A and one of B, cell by cell."""

    a: Attention
    b: Attention
    difference: Float[np.ndarray, "query key"]  # B − A
    largest: float  # |difference|, over the rows of words
    mean: float

    @property
    def where(self) -> tuple[int, int]:
        """The row and column of the largest difference."""
        size = np.abs(self.difference) * _rows_of_words(self.a, self.b)[:, None]
        row, column = divmod(int(size.argmax()), size.shape[1])
        return row, column


@dataclass(frozen=True, slots=True, kw_only=True)
class NextApart:
    """The difference between the next words of two runs, position by position."""

    largest_logit: float  # the largest |difference| of a logit
    mean_logit: float
    total_variation: Float[np.ndarray, " positions"]  # ½ Σ |p − q|: 0 the same, 1 nothing shared
    kl: Float[np.ndarray, " positions"]  # Σ p log(p / q), in nats; p is A's


def weights_apart(a: Attention, b: Attention, heads: tuple[int, int]) -> WeightsApart | None:
    """The difference of a head of A and a head of B.

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
    difference = b.weights[heads[1]] - a.weights[heads[0]]
    size = np.abs(difference)[_rows_of_words(a, b)]
    return WeightsApart(
        a=a, b=b, difference=difference, largest=float(size.max()), mean=float(size.mean())
    )


def next_apart(
    a: Float[Tensor, "positions vocab"], b: Float[Tensor, "positions vocab"]
) -> NextApart:
    """Compare the logits of two runs at the same positions; in double precision."""
    a, b = a.detach().cpu().double(), b.detach().cpu().double()
    log_p, log_q = a.log_softmax(dim=-1), b.log_softmax(dim=-1)
    p, q = log_p.exp(), log_q.exp()
    apart = (b - a).abs()
    # Where p is 0, its share is 0, whatever the logarithms are.
    shares = torch.where(p > 0, p * (log_p - log_q), 0.0)
    return NextApart(
        largest_logit=float(apart.max()),
        mean_logit=float(apart.mean()),
        total_variation=(0.5 * (p - q).abs().sum(dim=-1)).numpy(),
        kl=shares.sum(dim=-1).clamp(min=0).numpy(),
    )


def _rows_of_words(a: Attention, b: Attention) -> Bool[np.ndarray, " query"]:
    """Which rows are not PAD; all rows if all are PAD."""
    words: np.ndarray = np.array(a.query_is_word) | np.array(b.query_is_word)
    return words if words.any() else ~words


def _shared(one: Sequence[str], other: Sequence[str]) -> int:
    """The length of the shorter one if the longer one begins with it, else 0."""
    length = min(len(one), len(other))
    return length if tuple(one[:length]) == tuple(other[:length]) else 0
