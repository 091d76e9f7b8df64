"""One attention against torch's kernel and torch's module."""

from typing import Any

import torch
import torch.nn.functional as F
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor, nn

from explorer.attention import MultiHeadAttention, scaled_dot_product
from tests.properties.strategies import Case, cases, seeds


def assert_close(actual: Tensor, expected: Tensor) -> None:
    torch.testing.assert_close(actual, expected, rtol=1e-5, atol=1e-5)


lengths = st.integers(1, 6)


@given(seeds, lengths, lengths, st.integers(1, 5), st.integers(1, 5), st.floats(0, 1))
def test_kernel(seed: int, queries: int, keys: int, d_k: int, d_v: int, seen: float) -> None:
    """Any mask, fully masked rows too: torch's kernel gives them zeros, and so does ours."""
    stream = torch.Generator().manual_seed(seed)
    q = torch.randn(2, 3, queries, d_k, generator=stream)
    k = torch.randn(2, 3, keys, d_k, generator=stream)
    v = torch.randn(2, 3, keys, d_v, generator=stream)
    mask = torch.rand(2, 1, queries, keys, generator=stream) < seen
    attended = scaled_dot_product(q, k, v, mask)
    assert_close(attended.context, F.scaled_dot_product_attention(q, k, v, attn_mask=mask))
    assert_close(attended.context, attended.weights @ v)
    without = scaled_dot_product(q, k, v)
    assert_close(without.context, F.scaled_dot_product_attention(q, k, v))


def twin_of(attention: MultiHeadAttention) -> nn.MultiheadAttention:
    d_model = attention.w_o.in_features
    twin = nn.MultiheadAttention(d_model, attention.n_heads, batch_first=True)
    twin.to(attention.w_o.weight.dtype)
    with torch.no_grad():
        twin.in_proj_weight.copy_(attention.w_qkv.weight)
        twin.in_proj_bias.copy_(attention.w_qkv.bias)
        twin.out_proj.weight.copy_(attention.w_o.weight)
        twin.out_proj.bias.copy_(attention.w_o.bias)
    return twin.eval()


@given(cases())
def test_every_head_of_every_layer_of_a_model(case: Case) -> None:
    """The trace of each attention equals the result of torch's module for the same input."""
    trace = case.model(case.src, case.tgt)
    pairs: list[Any] = [
        (layer.attention, x.attention, x.attention_residual.sublayer_in, None)
        for layer, x in zip(case.model.encoder, trace.encoder, strict=True)
    ]
    for layer, x in zip(case.model.decoder, trace.decoder, strict=True):
        pairs.append((layer.attention, x.attention, x.attention_residual.sublayer_in, None))
        pairs.append((layer.cross, x.cross, x.cross_residual.sublayer_in, trace.memory))
    for attention, shown, query, memory in pairs:
        source = query if memory is None else memory
        ignore = ~shown.mask.expand_as(shown.weights)
        out, weights = twin_of(attention)(
            query, source, source, attn_mask=ignore.flatten(0, 1), average_attn_weights=False
        )
        sees_something = ~ignore.all(dim=-1)
        assert_close(shown.weights[sees_something], weights[sees_something])
        rows = sees_something[:, 0]
        assert_close(shown.out[rows], out[rows])
