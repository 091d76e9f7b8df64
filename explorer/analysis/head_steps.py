"""One head's attention step by step, from x to the output, as arrays to draw and to check by hand.

q, k, v, scores, weights, context and out come from the trace and are not computed again. Only what
the trace leaves implicit is added: the head's slices of the weight matrices, the products q ⊙ k,
and the scores with −∞ where masked.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from jaxtyping import Bool, Float
from torch import Tensor

from explorer.analysis.what_if import ChangedAttention
from explorer.attention import (
    AttentionTrace,
    MultiHeadAttention,
    ScaledDotProduct,
    scaled_dot_product,
)
from explorer.config import require_within


@dataclass(frozen=True, slots=True, kw_only=True)
class Projection:
    """One head's part of a linear map: out = x W + b, and with rotary positions out rotated."""

    x: Float[np.ndarray, "length d_model"]
    w: Float[np.ndarray, "d_model d_k"]
    b: Float[np.ndarray, " d_k"] | None  # None in a model without biases
    out: Float[np.ndarray, "length d_k"]
    rotated: Float[np.ndarray, "length d_k"] | None = None  # by each word's position


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    """The heads side by side, and the output projection: out = concat W_O + b_O."""

    concat: Float[np.ndarray, "query heads·d_k"]
    w: Float[np.ndarray, "heads·d_k d_model"]
    b: Float[np.ndarray, " d_model"] | None
    out: Float[np.ndarray, "query d_model"]


@dataclass(frozen=True, slots=True, kw_only=True)
class HeadSteps:
    """One head of one attention for one sentence pair (paper section 3.2)."""

    to_q: Projection | None = None  # None if q, k and v were given
    to_k: Projection | None = None
    to_v: Projection | None = None
    q: Float[np.ndarray, "query d_k"]
    k: Float[np.ndarray, "key d_k"]
    v: Float[np.ndarray, "key d_v"]
    divisor: float  # √d_k by default
    divides: bool = True  # whether the model does so when nothing is changed
    dots: Float[np.ndarray, "query key"]  # q·k
    bias: Float[np.ndarray, "query key"] | None = None  # of relative positions
    scores: Float[np.ndarray, "query key"]  # q·k ÷ divisor, plus the bias
    may_attend: Bool[np.ndarray, "query key"]
    masked: Float[np.ndarray, "query key"]  # scores, −∞ where masked
    weights: Float[np.ndarray, "query key"]
    kept: Float[np.ndarray, "query key"]  # what v is multiplied by: the weights after dropout
    context: Float[np.ndarray, "query d_v"]
    switched_off: bool = False  # whether the context was set to 0, whatever the weights
    output: Output | None = None

    def products(self, query: int) -> Float[np.ndarray, "key d_k"]:
        """q ⊙ k: the contribution of every dimension to q·k, for every key."""
        products: np.ndarray = self.q[query] * self.k
        return products

    def shares(self, query: int) -> Float[np.ndarray, "key d_v"]:
        """weight × v: the contribution of every key to the context."""
        shares: np.ndarray = self.kept[query][:, None] * self.v
        return shares


def head_steps(
    attention: MultiHeadAttention,
    inputs: tuple[Float[Tensor, "batch query d_model"], Float[Tensor, "batch key d_model"]],
    trace: AttentionTrace,
    head: int,
) -> HeadSteps:
    """The steps of one head for the first sentence of a trace.

    `inputs` are the inputs of the queries, and of the keys and values
    (`TransformerTrace.attention_inputs`).

    Raises:
        ValueError: if the attention has no such head.
    """
    require_within("head", head, attention.n_heads)
    d_k, width = attention.d_k, attention.w_o.in_features
    x_query, x_key = inputs
    w_qkv, b_qkv, b_o = attention.w_qkv.weight, attention.w_qkv.bias, attention.w_o.bias

    # The trace holds q and k as they are compared: rotated.
    unrotated = None
    if attention.rotary:
        with torch.no_grad():
            unrotated = attention.project(x_query, x_key)

    def projection(which: int, x: Tensor, used: Tensor) -> Projection:
        out = used if unrotated is None else unrotated[which]
        rotated = None if unrotated is None or which == 2 else _array(used[0, head])
        rows = slice(which * width + head * d_k, which * width + (head + 1) * d_k)
        return Projection(
            x=_array(x[0]),
            w=_array(w_qkv[rows].T),
            b=None if b_qkv is None else _array(b_qkv[rows]),
            out=_array(out[0, head]),
            rotated=rotated,
        )

    usual_scale, off = attention.scale, None
    if isinstance(attention, ChangedAttention):
        usual_scale, off = attention.usual_scale, attention.change.without_head
    mask = None if trace.mask is None else trace.mask.expand_as(trace.scores)[0, head]
    concat = trace.context[0].transpose(0, 1).flatten(1)  # (query, heads · d_k)
    return _steps(
        trace.q[0, head],
        trace.k[0, head],
        trace.v[0, head],
        _of_head(trace, head),
        mask,
        attention.scale,
        divides=usual_scale is None,
        bias=None if trace.bias is None else _array(trace.bias[head]),
        switched_off=head == off,
        to_q=projection(0, x_query, trace.q),
        to_k=projection(1, x_key, trace.k),
        to_v=projection(2, x_key, trace.v),
        output=Output(
            concat=_array(concat),
            w=_array(attention.w_o.weight.T),
            b=None if b_o is None else _array(b_o),
            out=_array(trace.out[0]),
        ),
    )


def _of_head(trace: AttentionTrace, head: int) -> ScaledDotProduct:
    """The numbers that one head computed for the first sentence of a trace."""
    return ScaledDotProduct(
        scores=trace.scores[0, head],
        weights=trace.weights[0, head],
        dropped=None if trace.dropped is None else trace.dropped[0, head],
        context=trace.context[0, head],
    )


def bare_steps(
    q: Float[Tensor, "query d_k"],
    k: Float[Tensor, "key d_k"],
    v: Float[Tensor, "key d_v"],
    mask: Bool[Tensor, "query key"] | None = None,
    *,
    scale: float | None = None,
) -> HeadSteps:
    """The steps of one scaled dot-product attention whose q, k and v are given.

    Raises:
        ValueError: if q, k, v and mask do not fit together.
    """
    ran = scaled_dot_product(q, k, v, mask, scale=scale)
    return _steps(q, k, v, ran, mask, scale)


def _steps(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    ran: ScaledDotProduct,
    mask: Tensor | None,
    scale: float | None,
    **more: Any,
) -> HeadSteps:
    may_attend = torch.ones_like(ran.scores, dtype=torch.bool) if mask is None else mask
    return HeadSteps(
        q=_array(q),
        k=_array(k),
        v=_array(v),
        divisor=math.sqrt(q.shape[-1]) if scale is None else 1 / scale,
        dots=_array(q @ k.mT),
        scores=_array(ran.scores),
        may_attend=_array(may_attend),
        masked=_array(torch.where(may_attend, ran.scores, -torch.inf)),
        weights=_array(ran.weights),
        kept=_array(ran.weights if ran.dropped is None else ran.dropped),
        context=_array(ran.context),
        **more,
    )


def _array(tensor: Tensor) -> np.ndarray:
    return tensor.detach().cpu().numpy()
