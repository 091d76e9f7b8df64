"""Masks: which keys may each query attend to?

Every mask here is boolean and **True means "may attend"**. (`torch.nn.MultiheadAttention` uses the
opposite convention; `explorer.interop` translates.)
"""

from typing import Final

import torch
from jaxtyping import Bool, Float, Int, UInt8
from torch import Tensor

MAY_ATTEND: Final = 0
FUTURE: Final = 1
KEY_IS_PAD: Final = 2
BOTH: Final = FUTURE | KEY_IS_PAD


def padding_mask(
    ids: Int[Tensor, "batch key"], pad_id: int, *, words: Bool[Tensor, "batch key"] | None = None
) -> Bool[Tensor, "batch 1 1 key"]:
    """Hide padding keys from every query: `ids != pad_id`.

    PAD may be at the end, at the start or in the middle. Some models write and read the id of PAD
    as a token like any other; there `words` says which tokens are not padding.
    """
    _require_ids(ids)
    return (ids != pad_id if words is None else words)[:, None, None, :]


def causal_mask(length: int, device: torch.device | None = None) -> Bool[Tensor, "1 1 query key"]:
    """Hide the future: query i may attend to keys 0 … i (paper section 3.2.3)."""
    if length < 1:
        raise ValueError(f"length must be at least 1, got length={length}")
    return torch.ones(length, length, dtype=torch.bool, device=device).tril()[None, None]


def target_mask(
    tgt: Int[Tensor, "batch key"], pad_id: int, *, words: Bool[Tensor, "batch key"] | None = None
) -> Bool[Tensor, "batch 1 query key"]:
    """The decoder's self-attention mask: the padding mask AND the causal mask."""
    _require_ids(tgt)
    return padding_mask(tgt, pad_id, words=words) & causal_mask(tgt.shape[1], tgt.device)


def target_reasons(
    tgt: Int[Tensor, "batch key"], pad_id: int, *, words: Bool[Tensor, "batch key"] | None = None
) -> UInt8[Tensor, "batch query key"]:
    """The reason for each cell of `target_mask`: MAY_ATTEND, FUTURE, KEY_IS_PAD or BOTH."""
    padding, causal = why_hidden(tgt, pad_id, words=words)
    return padding | causal


def why_hidden(
    tgt: Int[Tensor, "batch key"], pad_id: int, *, words: Bool[Tensor, "batch key"] | None = None
) -> tuple[UInt8[Tensor, "batch query key"], UInt8[Tensor, "batch query key"]]:
    """The two masks that make up `target_mask`, as codes: KEY_IS_PAD or 0, and FUTURE or 0."""
    batch, length = tgt.shape
    padding = ~padding_mask(tgt, pad_id, words=words)[:, 0]  # (batch, 1, key)
    causal = ~causal_mask(length, tgt.device)[0]  # (1, query, key)
    shape = (batch, length, length)
    return (
        (padding * KEY_IS_PAD).to(torch.uint8).expand(shape),
        (causal * FUTURE).to(torch.uint8).expand(shape),
    )


def cross_reasons(
    src: Int[Tensor, "batch key"],
    n_queries: int,
    pad_id: int,
    *,
    words: Bool[Tensor, "batch key"] | None = None,
) -> UInt8[Tensor, "batch query key"]:
    """As `target_reasons`, for cross-attention: target queries see every source key except PAD."""
    hidden = ~padding_mask(src, pad_id, words=words)[:, 0]  # (batch, 1, key)
    return (hidden * KEY_IS_PAD).to(torch.uint8).expand(-1, n_queries, -1)


def additive(mask: Bool[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
    """The mask as numbers to add to the scores: 0 where allowed, −∞ where not.

    Adding it before the softmax is the same as replacing the hidden scores by −∞: the softmax
    turns −∞ into a weight of exactly 0.
    """
    return torch.zeros(mask.shape, device=mask.device).masked_fill(~mask, -torch.inf)


def _require_ids(ids: Tensor) -> None:
    if ids.ndim != 2:
        raise ValueError(
            f"ids must have shape (batch, length), got {tuple(ids.shape)}; "
            "add a batch dimension with ids[None] for a single sentence"
        )
