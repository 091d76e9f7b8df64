"""Attention, rollout and value zeroing from their formulas, written out word by word."""

import math
from collections.abc import Callable

import numpy as np
import pytest
import torch
from torch import Tensor

from explorer.analysis.causes.attribution import Method, attribute
from explorer.analysis.causes.question import Question, Sentence
from tests.analysis.causes.sentences import sentence

VARIANTS = ["the paper", "pre-norm", "T5", "rotary", "masked words", "a decoder alone", "ALiBi"]
Matrix = list[list[float]]


def times(one: Matrix, other: Matrix) -> Matrix:
    """The product of two matrices."""
    return [
        [
            sum(a * b for a, b in zip(row, column, strict=True))
            for column in zip(*other, strict=True)
        ]
        for row in one
    ]


def identity(length: int) -> Matrix:
    return [[float(row == column) for column in range(length)] for row in range(length)]


def mean_of_heads(weights: Tensor) -> Matrix:
    return weights[0].mean(dim=0).tolist()


def half_stays(weights: Matrix) -> Matrix:
    """0.5 W + 0.5 I."""
    return [
        [0.5 * w + 0.5 * (row == column) for column, w in enumerate(line)]
        for row, line in enumerate(weights)
    ]


def check(seen: Sentence, method: Method, source: list[float], prefix: list[float]) -> None:
    found = attribute(Question.of(seen, 2, 5), method)
    for side, expected in ((found.source, source), (found.prefix, prefix)):
        if side is not None:
            assert side == pytest.approx(np.array(expected), rel=1e-5, abs=1e-7)
            assert side.max() > 0.01


def encoder_rollout(seen: Sentence) -> Matrix:
    mixed = identity(seen.trace.memory.shape[1])
    for layer in seen.trace.encoder:
        mixed = times(half_stays(mean_of_heads(layer.attention.weights)), mixed)
    return mixed


@pytest.mark.parametrize("variant", VARIANTS)
def test_rollout(variant: str) -> None:
    seen = sentence(variant)
    memory = encoder_rollout(seen)
    if not seen.trace.decoder:
        return check(seen, "rollout", memory[2], [])
    length = seen.trace.decoder_out.shape[1]
    source: Matrix = [[0.0] * len(memory) for _ in range(length)]
    target = identity(length)
    for layer in seen.trace.decoder:
        own = half_stays(mean_of_heads(layer.attention.weights))
        source, target = times(own, source) if memory else source, times(own, target)
        if layer.cross is not None:
            looked = times(mean_of_heads(layer.cross.weights), memory)
            source = [
                [0.5 * a + 0.5 * b for a, b in zip(*rows, strict=True)]
                for rows in zip(source, looked, strict=True)
            ]
            target = [[0.5 * a for a in row] for row in target]
    return check(seen, "rollout", source[2], target[2])


@pytest.mark.parametrize("variant", VARIANTS)
def test_attention_is_the_mean_of_all_heads(variant: str) -> None:
    seen = sentence(variant)
    trace, config = seen.trace, seen.model.config
    own = "decoder" if config.has_decoder else "encoder"
    rows = {
        kind: np.mean(
            [trace.attention(kind, n).weights[0, :, 2].numpy() for n in range(2)], axis=(0, 1)
        )
        for kind in config.attention_kinds
    }
    source = rows.get("cross", rows["encoder"] if own == "encoder" else np.zeros(0))
    check(seen, "attention", list(source), list(rows.get("decoder", [])))


def norm(x: Tensor, module: torch.nn.Module, eps: float) -> Tensor:
    if isinstance(module, torch.nn.LayerNorm):
        centred = x - x.mean(-1, keepdim=True)
        return (
            centred / (centred.square().mean(-1, keepdim=True) + eps).sqrt() * module.weight
            + module.bias
        )
    return x / (x.square().mean(-1, keepdim=True) + eps).sqrt() * module.weight


def layer_by_hand(
    seen: Sentence, x: Tensor, stack: str, n: int, zeroed: tuple[str, int] | None
) -> Tensor:
    """A layer's output with the weights of the run, and one value of 0 in one attention.

    Weights do not depend on values within a layer, but for those of cross-attention, whose queries
    have passed self-attention: those are computed anew.
    """
    module, trace = getattr(seen.model, stack)[n], getattr(seen.trace, stack)[n]
    eps, d_k = seen.model.config.norm_eps, seen.model.config.d_k

    def sublayer(name: str, x: Tensor, compute: Callable[[Tensor], Tensor]) -> Tensor:
        residual = getattr(module, f"{name}_residual")
        if residual.norm_first:
            return x + compute(norm(x, residual.norm, eps))
        return norm(x + compute(x), residual.norm, eps)

    def attend(name: str, q_in: Tensor) -> Tensor:
        part, was = getattr(module, name), getattr(trace, name)
        v = was.v[0].clone()  # (heads, key, d_k)
        if zeroed is not None and zeroed[0] == name:
            v[:, zeroed[1]] = 0.0
        weights = was.weights[0]
        if name == "cross":
            w_q = part.w_qkv.weight[: len(part.w_qkv.weight) // 3]
            q = q_in @ w_q.T
            if part.w_qkv.bias is not None:
                q = q + part.w_qkv.bias[: len(w_q)]
            q = q.view(len(q_in), -1, d_k).transpose(0, 1)
            scale = 1.0 if part.scale is not None else 1 / math.sqrt(d_k)
            scores = (q @ was.k[0].mT) * scale
            weights = scores.masked_fill(~was.mask[0], -torch.inf).softmax(-1)
        joined = (weights @ v).transpose(0, 1).flatten(1)
        out = joined @ part.w_o.weight.T
        return out if part.w_o.bias is None else out + part.w_o.bias

    x = sublayer("attention", x, lambda y: attend("attention", y))
    if getattr(trace, "cross", None) is not None:
        x = sublayer("cross", x, lambda y: attend("cross", y))
    fed = module.feed_forward
    return sublayer("feed_forward", x, lambda y: fed(y[None]).out[0])


def shares_by_hand(seen: Sentence, stack: str, n: int) -> tuple[Matrix, Matrix]:
    """C of one layer: of the source's values (in cross-attention), and of the stack's own."""
    trace = getattr(seen.trace, stack)
    embedding = seen.trace.src_embedding if stack == "encoder" else seen.trace.tgt_embedding
    x = (trace[n - 1].out if n else embedding.out)[0]
    usual = layer_by_hand(seen, x, stack, n, None)
    torch.testing.assert_close(usual, trace[n].out[0])
    has_cross = getattr(trace[n], "cross", None) is not None
    names = [("cross", at) for at in range(seen.trace.memory.shape[1] if has_cross else 0)]
    names += [("attention", at) for at in range(len(x))]
    far = []
    for name in names:
        changed = layer_by_hand(seen, x, stack, n, name)
        far.append([1 - float(torch.cosine_similarity(a, b, dim=0))
                    for a, b in zip(usual, changed, strict=True)])  # fmt: skip
    rows = [list(column) for column in zip(*far, strict=True)]
    rows = [[max(0.0, cell) / sum(row) for cell in row] for row in rows]
    cut = len(names) - len(x)
    return [row[:cut] for row in rows], [row[cut:] for row in rows]


@pytest.mark.parametrize("variant", VARIANTS)
@torch.no_grad()
def test_value_zeroing(variant: str) -> None:
    seen = sentence(variant)
    memory = identity(seen.trace.memory.shape[1])
    for n in range(len(seen.trace.encoder)):
        memory = times(shares_by_hand(seen, "encoder", n)[1], memory)
    if not seen.trace.decoder:
        return check(seen, "value_zeroing", memory[2], [])
    length = seen.trace.decoder_out.shape[1]
    source: Matrix = [[0.0] * len(memory) for _ in range(length)]
    target = identity(length)
    for n in range(len(seen.trace.decoder)):
        crossed, own = shares_by_hand(seen, "decoder", n)
        target = times(own, target)
        if memory:
            looked = times(crossed, memory)
            stays = times(own, source)
            source = [
                [a + b for a, b in zip(*rows, strict=True)]
                for rows in zip(stays, looked, strict=True)
            ]
    return check(seen, "value_zeroing", source[2], target[2])
