"""Attention: the paper's equation 1, and its multi-head form (section 3.2)."""

import math
from dataclasses import dataclass
from functools import partial

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float
from torch import Generator, Tensor, nn

from explorer.intervention import GivenAttention
from explorer.linear import Linear
from explorer.positional import rotate


@dataclass(frozen=True, slots=True, kw_only=True)
class ScaledDotProduct:
    """The results of one scaled dot-product attention."""

    scores: Float[Tensor, "*batch query key"]  # scaled, before the mask
    weights: Float[Tensor, "*batch query key"]  # after softmax, before dropout
    dropped: Float[Tensor, "*batch query key"] | None  # weights after dropout, where it is on
    context: Float[Tensor, "*batch query d_v"]


@dataclass(frozen=True, slots=True, kw_only=True)
class AttentionTrace:
    """Every intermediate of one multi-head attention, in the order it was computed."""

    q: Float[Tensor, "batch heads query d_k"]
    k: Float[Tensor, "batch heads key d_k"]
    v: Float[Tensor, "batch heads key d_k"]
    mask: Bool[Tensor, "#batch #heads #query key"] | None  # True = may attend
    bias: Float[Tensor, "heads query key"] | None  # of relative positions, already in the scores
    scores: Float[Tensor, "batch heads query key"]  # scaled, before the mask
    weights: Float[Tensor, "batch heads query key"]  # after softmax, before dropout
    dropped: Float[Tensor, "batch heads query key"] | None  # after dropout, where it is on
    context: Float[Tensor, "batch heads query d_k"]
    out: Float[Tensor, "batch query d_model"]  # concat of heads, times W_O


def drop(x: Tensor, p: float, generator: Generator | None) -> Tensor:
    """Dropout: zero each element with probability p, scale the rest by 1/(1−p).

    A generator switches it on, None switches it off. It depends on no module mode and no global
    random state, so one model can serve many threads and the same seed drops the same cells.
    """
    if generator is None or p == 0.0:
        return x
    if x.device.type == "cpu":
        # Four dice of 16 bits from each draw: else they take a third of a training step.
        draws = torch.empty(-(-x.numel() // 4), dtype=torch.int64)
        dice = draws.random_(-(2**63), None, generator=generator).view(torch.int16)
        keep = dice[: x.numel()].view(x.shape) >= round(2**16 * p) - 2**15
    else:
        keep = torch.empty_like(x).bernoulli_(1.0 - p, generator=generator)
    return x * keep / (1.0 - p)


def scaled_dot_product(
    q: Float[Tensor, "*batch query d_k"],
    k: Float[Tensor, "*batch key d_k"],
    v: Float[Tensor, "*batch key d_v"],
    mask: Bool[Tensor, "*#batch #query key"] | None = None,
    *,
    scale: float | None = None,
    bias: Float[Tensor, "*#batch #query #key"] | None = None,
    dropout: float = 0.0,
    generator: Generator | None = None,
) -> ScaledDotProduct:
    """Attention(Q, K, V) = softmax(QKᵀ / √d_k) V   (paper equation 1)

    `mask` is True where attention is allowed; hidden keys get a weight of exactly 0. A query that
    may attend to nothing at all gets weights of 0 and a context of 0. This is decided only here,
    and it is why there is never a NaN. `scale` replaces 1/√d_k; `bias` is added to the scores.

    Raises:
        ValueError: if q, k, v and mask do not fit together.
    """
    _require_fit(q, k, v, mask)
    scores = q @ k.mT  # (*batch, query, key)
    if scale is None:
        scores /= math.sqrt(q.shape[-1])
    else:
        scores *= scale
    if bias is not None:
        scores = scores + bias
    if mask is None:
        weights = scores.softmax(dim=-1)
    else:
        weights = torch.where(mask, scores, -torch.inf).softmax(dim=-1)
        weights = torch.where(mask.any(dim=-1, keepdim=True), weights, 0.0)
    kept = drop(weights, dropout, generator)
    return ScaledDotProduct(
        scores=scores,
        weights=weights,
        dropped=None if kept is weights else kept,
        context=kept @ v,
    )


class MultiHeadAttention(nn.Module):
    """MultiHead(Q, K, V) = Concat(head_1, …, head_h) W_O, head_i = Attention(QW_Q, KW_K, VW_V).

    W_Q, W_K and W_V of all heads are stacked in one matrix, the layout of
    `torch.nn.MultiheadAttention`, so the two can share their weights. `scale` multiplies q·k, with
    None for 1/√d_k. With `rotary`, queries and keys are rotated by their positions
    (`explorer.positional.rotate`).

    `lone_heads` is for training: in that share of the sentences, only one head is active, drawn by
    the generator. So each head learns to do all the work, and its weights can be interpreted (a
    structured dropout, after Zhou et al. 2020, "Scheduled DropHead").

    Raises:
        ValueError: if d_model is not divisible by n_heads.
    """

    scale: float | None = None
    rotary: bool = False
    lone_heads: float = 0.0

    def __init__(
        self,
        d_model: int,
        n_heads: int,
        dropout: float = 0.0,
        *,
        d_k: int | None = None,
        bias: bool = True,
    ) -> None:
        super().__init__()
        if d_model < 1 or n_heads < 1 or (d_k is None and d_model % n_heads):
            raise ValueError(
                f"d_model must be divisible by n_heads, got d_model={d_model}, n_heads={n_heads}"
            )
        self.n_heads = n_heads
        self.d_k = d_model // n_heads if d_k is None else d_k
        self.dropout = dropout
        self.w_qkv = Linear(d_model, 3 * n_heads * self.d_k, bias)
        self.w_o = Linear(n_heads * self.d_k, d_model, bias)

    def forward(
        self,
        query: Float[Tensor, "batch query d_model"],
        memory: Float[Tensor, "batch key d_model"],
        mask: Bool[Tensor, "#batch #heads #query seen"] | None = None,
        generator: Generator | None = None,
        bias: Float[Tensor, "heads query seen"] | None = None,
        given: GivenAttention | None = None,
    ) -> AttentionTrace:
        """Attend from `query` to `memory`.

        Self-attention passes the same tensor twice. In cross-attention the queries come from the
        decoder, the keys and values from the encoder (paper section 3.2.3). `bias` is what relative
        positions add to the scores, and `given` what an intervention puts in the place of values
        or heads, or before keys and values.
        """
        q, k, v = self.project(query, memory)
        if self.rotary:
            first = 0 if given is None else given.n_past
            q, k = rotate(q, first), rotate(k, first)
        if given is not None:
            k, v = given.after_past(k, given.into_v(v))
        attended = self.attend(q, k, v, mask, bias, generator)
        context = self._silence(attended.context, generator)
        if given is not None:
            context = given.into_context(context)
        return AttentionTrace(
            q=q,
            k=k,
            v=v,
            mask=mask,
            bias=bias,
            scores=attended.scores,
            weights=attended.weights,
            dropped=attended.dropped,
            context=context,
            out=self.w_o(self.merge(context)),
        )

    def project(
        self,
        query: Float[Tensor, "batch query d_model"],
        memory: Float[Tensor, "batch key d_model"],
    ) -> tuple[
        Float[Tensor, "batch heads query d_k"],
        Float[Tensor, "batch heads key d_k"],
        Float[Tensor, "batch heads key d_k"],
    ]:
        """q = query W_Q + b_Q, k = memory W_K + b_K, v = memory W_V + b_V, cut into heads."""
        if query is memory:  # self-attention: one matrix product instead of two
            q, k, v = self.w_qkv(query).chunk(3, dim=-1)
        else:
            width = [self.n_heads * self.d_k]
            w_q, w_kv = self.w_qkv.weight.tensor_split(width)
            has_bias = self.w_qkv.bias is not None
            b_q, b_kv = self.w_qkv.bias.tensor_split(width) if has_bias else (None, None)
            q = F.linear(query, w_q, b_q)
            k, v = F.linear(memory, w_kv, b_kv).chunk(2, dim=-1)
        return self._split(q), self._split(k), self._split(v)

    def attend(
        self,
        q: Float[Tensor, "batch heads query d_k"],
        k: Float[Tensor, "batch heads key d_k"],
        v: Float[Tensor, "batch heads key d_k"],
        mask: Bool[Tensor, "#batch #heads #query key"] | None,
        bias: Float[Tensor, "heads query key"] | None,
        generator: Generator | None,
    ) -> ScaledDotProduct:
        """Attention within each head."""
        return scaled_dot_product(
            q, k, v, mask, scale=self.scale, bias=bias, dropout=self.dropout, generator=generator
        )

    def merge(
        self, context: Float[Tensor, "batch heads query d_k"]
    ) -> Float[Tensor, "batch query width"]:
        """The heads of every query side by side."""
        return context.transpose(1, 2).flatten(2)  # (batch, query, heads · d_k)

    def _silence(self, context: Tensor, generator: Generator | None) -> Tensor:
        """In some sentences, silence all heads but one and scale that one by their number."""
        if generator is None or not self.lone_heads:
            return context
        draw = partial(torch.rand, generator=generator, device=context.device)
        batch, heads = context.shape[:2]
        alone = draw(batch, heads).argsort(dim=1) == 0
        silenced = draw(batch, 1) < self.lone_heads
        volume = torch.where(silenced, alone * float(heads), 1.0)  # (batch, heads)
        return context * volume[:, :, None, None]

    def _split(self, x: Tensor) -> Tensor:
        batch, length, _ = x.shape
        heads = x.view(batch, length, self.n_heads, self.d_k)
        return heads.transpose(1, 2)  # (batch, heads, length, d_k)


@dataclass(frozen=True, slots=True, kw_only=True)
class AttentionChecks:
    """Properties that every attention must have, measured."""

    row_error: float  # largest |row sum − 1| over the rows that may attend to something
    empty: int  # rows that may attend to nothing, per head: all their weights are 0
    hidden: int  # cells that the mask hides, per head
    leaked: int  # hidden cells whose weight is not exactly 0, over all heads


def may_attend(trace: AttentionTrace) -> Bool[Tensor, "query key"]:
    """The mask of the first sentence of a trace, which is the same for every head."""
    weights = trace.weights[0, 0]
    if trace.mask is None:
        return torch.ones_like(weights, dtype=torch.bool)
    return trace.mask[0, 0].expand_as(weights)


def check_attention(trace: AttentionTrace) -> AttentionChecks:
    """Measure these properties for the first sentence of a trace."""
    weights, allowed = trace.weights[0].detach(), may_attend(trace)
    alive = allowed.any(dim=-1)
    return AttentionChecks(
        row_error=float(((weights.sum(dim=-1) - 1) * alive).abs().max()),
        empty=int((~alive).sum()),
        hidden=int((~allowed).sum()),
        leaked=int((weights[:, ~allowed] != 0).sum()),
    )


def _require_fit(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None) -> None:
    if q.shape[-1] != k.shape[-1]:
        raise ValueError(
            "queries and keys must have the same width d_k, "
            f"got q {tuple(q.shape)} and k {tuple(k.shape)}"
        )
    if k.shape[-2] != v.shape[-2]:
        raise ValueError(
            f"every key needs one value, got k {tuple(k.shape)} and v {tuple(v.shape)}"
        )
    if mask is None:
        return
    if mask.dtype != torch.bool:
        raise ValueError(
            f"mask must be boolean, True = may attend, got {mask.dtype}; "
            "an additive mask becomes boolean with mask == 0"
        )
    wanted = (*q.shape[:-1], k.shape[-2])
    fits = mask.ndim <= len(wanted) and all(
        given in (1, need) for given, need in zip(mask.shape[::-1], wanted[::-1], strict=False)
    )
    if not fits:
        raise ValueError(
            f"mask must broadcast to (…, query, key) = {wanted}, got {tuple(mask.shape)}"
        )
