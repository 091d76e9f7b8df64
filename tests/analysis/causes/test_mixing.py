"""Attention and rollout from their formulas, written out word by word."""

import numpy as np
import pytest
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
