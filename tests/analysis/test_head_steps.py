"""One head step by step: every step recomputed from the one before, in float64."""

import math
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from explorer.analysis.head_steps import HeadSteps, bare_steps, head_steps
from explorer.analysis.what_if import AttentionChange, changed
from explorer.config import ModelConfig
from explorer.names import AttentionKind
from explorer.transformer import Transformer, TransformerTrace
from tests.properties.strategies import perturbed

KINDS: tuple[AttentionKind, ...] = ("encoder", "decoder", "cross")
SRC_PAD, TGT_PAD = 1, 0
# Two sentences: the first one is shown; the second has other numbers.
PADDED = {
    "no padding": ([2, 3, 4, 5], [3, 4, 5]),
    "right padding": ([2, 3, 1, 1], [3, 4, 0]),
    "left padding": ([1, 1, 2, 3], [0, 3, 4]),
    "nothing but padding": ([1, 1, 1, 1], [0, 0, 0]),
}


def small(n_heads: int, norm_first: bool) -> Transformer:
    config = ModelConfig(d_model=12, n_heads=n_heads, n_encoder_layers=2, n_decoder_layers=3,
                         d_ff=10, src_vocab_size=9, tgt_vocab_size=8, src_pad_id=SRC_PAD,
                         tgt_pad_id=TGT_PAD, norm_first=norm_first)  # fmt: skip
    return perturbed(Transformer(config))


def depth(model: Transformer, kind: AttentionKind) -> int:
    return len(model.encoder if kind == "encoder" else model.decoder)


def steps_of(
    model: Transformer, trace: TransformerTrace, kind: AttentionKind, layer: int, head: int
) -> HeadSteps:
    inputs = trace.attention_inputs(kind, layer)
    return head_steps(model.attention(kind, layer), inputs, trace.attention(kind, layer), head)


def close(actual: Any, expected: np.ndarray, what: str) -> None:
    np.testing.assert_allclose(actual, expected, rtol=1e-5, atol=1e-5, err_msg=what)


def softmax(masked: np.ndarray) -> np.ndarray:
    """Row by row; a row of nothing but −∞ becomes zeros."""
    weights = np.zeros_like(masked)
    for row, scores in zip(weights, masked, strict=True):
        if np.isfinite(scores).any():
            exponentials = np.exp(scores - scores.max())
            row[:] = exponentials / exponentials.sum()
    return weights


def may_attend(kind: AttentionKind, src: Tensor, tgt: Tensor, config: ModelConfig) -> np.ndarray:
    """From the ids alone: no key that is PAD, and in the decoder no key that comes later."""
    ids, pad = (tgt, config.tgt_pad_id) if kind == "decoder" else (src, config.src_pad_id)
    queries = src if kind == "encoder" else tgt
    return np.array([
        [int(key) != pad and (kind != "decoder" or j <= i) for j, key in enumerate(ids[0])]
        for i in range(queries.shape[1])
    ])  # fmt: skip


def check_every_step(model: Transformer, src: Tensor, tgt: Tensor, kind: AttentionKind) -> None:
    """All layers and heads of one kind; weights are looked up by their names in the model."""
    trace, config = model(src, tgt), model.config
    d_model, d_k = config.d_model, config.d_model // config.n_heads
    stack, name = (
        kind if kind != "cross" else "decoder",
        "cross" if kind == "cross" else "attention",
    )
    named = {key: value.detach().double().numpy() for key, value in model.named_parameters()}
    for layer in range(depth(model, kind)):
        path = f"{stack}.{layer}.{name}"
        w_qkv, b_qkv = named[f"{path}.w_qkv.weight"].T, named[f"{path}.w_qkv.bias"]
        w_o, b_o = named[f"{path}.w_o.weight"].T, named[f"{path}.w_o.bias"]
        every = [steps_of(model, trace, kind, layer, head) for head in range(config.n_heads)]
        for head, steps in enumerate(every):
            f64 = {
                field: getattr(steps, field).astype(np.float64)
                for field in ("q", "k", "v", "dots", "scores", "masked", "weights", "context")
            }
            maps = (("q", steps.to_q), ("k", steps.to_k), ("v", steps.to_v))
            for number, (letter, to) in enumerate(maps):
                assert to is not None
                columns = slice(number * d_model + head * d_k, number * d_model + (head + 1) * d_k)
                close(to.w, w_qkv[:, columns], f"W_{letter}")
                close(to.b, b_qkv[columns], f"b_{letter}")
                x = to.x.astype(np.float64)
                close(to.out, x @ w_qkv[:, columns] + b_qkv[columns], f"x W + b = {letter}")
                assert np.array_equal(getattr(steps, letter), to.out), letter

            close(steps.dots, f64["q"] @ f64["k"].T, "q kᵀ")
            close(steps.scores, f64["dots"] / math.sqrt(d_k), "dots / √d_k")
            allowed = may_attend(kind, src, tgt, config)
            assert np.array_equal(steps.may_attend, allowed)
            assert np.array_equal(np.isneginf(steps.masked), ~allowed)
            assert np.array_equal(steps.masked[allowed], steps.scores[allowed])
            close(steps.weights, softmax(f64["masked"]), "softmax")
            assert (steps.weights[~allowed] == 0).all()
            close(steps.context, f64["weights"] @ f64["v"], "weights v")

            assert steps.output is not None
            side_by_side = np.concatenate([one.context for one in every], axis=1)
            assert np.array_equal(steps.output.concat, side_by_side)
            own = steps.output.concat[:, head * d_k : (head + 1) * d_k]
            assert np.array_equal(own, steps.context)
            close(steps.output.w, w_o, "W_O")
            close(steps.output.b, b_o, "b_O")
            close(steps.output.out, side_by_side.astype(np.float64) @ w_o + b_o, "concat W_O + b_O")

            for query in range(len(steps.q)):
                products, shares = steps.products(query), steps.shares(query)
                assert products.shape == steps.k.shape
                assert shares.shape == steps.v.shape
                close(products, np.array([f64["q"][query] * key for key in f64["k"]]), "q ⊙ k")
                close(products.sum(axis=1), f64["dots"][query], "Σ q ⊙ k")
                pairs = zip(f64["weights"][query], f64["v"], strict=True)
                close(shares, np.array([weight * value for weight, value in pairs]), "weight × v")
                close(shares.sum(axis=0), f64["context"][query], "Σ weight × v")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("padding", PADDED)
@pytest.mark.parametrize(("n_heads", "norm_first"), [(1, False), (3, True), (4, False)])
def test_every_step_follows_from_the_one_before(
    kind: AttentionKind, norm_first: bool, padding: str, n_heads: int
) -> None:
    src, tgt = PADDED[padding]
    both = torch.tensor([src, [5, 6, 7, 8]]), torch.tensor([tgt, [1, 6, 7]])
    check_every_step(small(n_heads, norm_first), *both, kind)


def test_an_attention_that_ignores_its_mask_hides_nothing() -> None:
    """Its weights must still be the softmax of the step before."""
    model = changed(small(3, False), "decoder", 0, AttentionChange(masked=False))
    trace = model(torch.tensor([[2, 3, 4, 5]]), torch.tensor([[3, 4, 0]]))
    steps = steps_of(model, trace, "decoder", 0, 1)
    assert steps.may_attend.all()
    close(steps.weights, softmax(steps.masked.astype(np.float64)), "softmax")


def test_a_given_scale_is_used() -> None:
    """The best key has a score of 100 × 0.01 = 1, and so a weight e times as large."""
    keys = torch.tensor([[10.0, 0, 0], [0, 10, 0], [0, 0, 10], [0, 0, 10]])
    values = torch.tensor([[1.0, 0, 1], [10, 0, 2], [100, 5, 0], [1000, 6, 0]])
    steps = bare_steps(torch.tensor([[0.0, 10, 0]]), keys, values, scale=0.01)
    close(steps.dots, np.array([[0, 100, 0, 0]]), "dots do not know the scale")
    close(steps.scores, np.array([[0, 1, 0, 0]]), "scores")
    close(steps.weights, np.array([[1, math.e, 1, 1]]) / (3 + math.e), "weights")


def test_rotary_positions_rotate_q_and_k_after_the_projection() -> None:
    """Each pair of numbers (a, b) is rotated: its length stays, at position 0 all of it stays."""
    config = ModelConfig(d_model=8, n_heads=2, n_encoder_layers=1, n_decoder_layers=1, d_ff=6,
                         src_vocab_size=9, tgt_vocab_size=8, positions="rotary")  # fmt: skip
    model = perturbed(Transformer(config))
    steps = steps_of(model, model(*(torch.tensor([[2, 3, 4, 5]]),) * 2), "encoder", 0, 1)
    for part, used in ((steps.to_q, steps.q), (steps.to_k, steps.k)):
        assert part is not None
        assert part.rotated is not None
        assert part.b is not None
        close(part.out, part.x.astype(float) @ part.w + part.b, "before rotating")
        np.testing.assert_array_equal(part.rotated, used)
        close(part.rotated[0], part.out[0], "position 0")
        angles = np.arange(4)[:, None] * 10_000.0 ** (-np.arange(0, 4, 2) / 4)
        before = part.out[:, 0::2] + 1j * part.out[:, 1::2]
        after = before * np.exp(1j * angles)
        close(part.rotated[:, 0::2], after.real, "even")
        close(part.rotated[:, 1::2], after.imag, "odd")
    assert steps.to_v is not None
    assert steps.to_v.rotated is None
