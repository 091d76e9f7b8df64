"""Five numbers that describe a head."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from explorer.analysis.attention import Attention


@dataclass(frozen=True, slots=True, kw_only=True)
class HeadSummary:
    """The heads of one attention.

    Every number is a mean over the queries that are words and have at least one visible key.
    """

    entropy: Float[Tensor, " heads"]  # in bits: 0 = one key, log2(keys) = all keys alike
    distance: Float[Tensor, " heads"]  # Σ weight × |query position − key position|, in tokens
    diagonal: Float[Tensor, " heads"]  # weight on the key at the query's own position
    previous: Float[Tensor, " heads"]  # weight on the key one position before
    frame: Float[Tensor, " heads"]  # weight on BOS and EOS


def summarise(
    weights: Float[Tensor, "heads query key"],
    is_word: Bool[Tensor, " query"] | Sequence[bool],
    is_frame: Bool[Tensor, " key"] | Sequence[bool],
) -> HeadSummary:
    """Summarise the weights of one sentence pair.

    `is_word` marks the queries that are not PAD, `is_frame` the keys that are BOS or EOS. If no
    query counts, all numbers are 0.
    """
    heads, n_queries, n_keys = weights.shape
    weights = weights.cpu()  # some accelerators have no float64
    is_word, is_frame = (torch.as_tensor(x).cpu() for x in (is_word, is_frame))
    counted = is_word & (weights[0] > 0).any(dim=-1)
    weights = weights[:, counted].double()  # (heads, counted, key)
    query = torch.arange(n_queries)[counted, None]
    key = torch.arange(n_keys)

    def mean(share: Tensor) -> Tensor:
        """The mean over the queries, of shares (heads, counted)."""
        return share.mean(dim=-1) if share.shape[-1] else share.new_zeros(heads)

    return HeadSummary(
        entropy=mean(torch.special.entr(weights).sum(dim=-1) / torch.tensor(2.0).log()),
        distance=mean((weights * (query - key).abs()).sum(dim=-1)),
        diagonal=mean((weights * (key == query)).sum(dim=-1)),
        previous=mean((weights * (key == query - 1)).sum(dim=-1)),
        frame=mean((weights * is_frame).sum(dim=-1)),
    )


def summary_of(attention: Attention) -> HeadSummary:
    """The heads of one attention of a run."""
    is_frame = [label in attention.frame for label in attention.key_labels]
    return summarise(torch.from_numpy(attention.weights), attention.query_is_word, is_frame)


def right_looks(
    weights: Float[Tensor, "heads query key"], wanted: Sequence[int]
) -> Float[Tensor, " heads"]:
    """Share of the first queries whose largest weight is on the wanted key."""
    looks = weights[:, : len(wanted)].argmax(dim=-1).cpu()  # (heads, query)
    return (looks == torch.tensor(wanted)).double().mean(dim=-1)
