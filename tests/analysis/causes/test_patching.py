"""Activations from another run: all of them make the other run, none of them this one."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given

from explorer.analysis.causes.patching import (
    patch,
    patch_stream,
    restored_by_heads,
    restored_by_positions,
)
from explorer.analysis.causes.question import Question, Sentence
from explorer.intervention import Given, GivenAttention, Intervention, Stack
from explorer.names import AttentionKind
from explorer.transformer import TransformerTrace
from tests.analysis.causes.sentences import (
    OTHER_SOURCE,
    OTHER_TARGET,
    Asked,
    asked,
    read,
    sentence,
)
from tests.test_variants import VARIANTS, outcome
from tests.tiny_model import few


def both(variant: str = "the paper", **more: Any) -> tuple[Sentence, Sentence]:
    """Two sentences of the same length, read by one model."""
    seen = sentence(variant, **more)
    return seen, read(seen.model, (OTHER_SOURCE, OTHER_TARGET))


def every(values: torch.Tensor) -> Given:
    return Given(torch.ones(1, 1, 1, dtype=torch.bool), values)


def same(one: TransformerTrace, other: TransformerTrace) -> bool:
    return torch.equal(outcome(one), outcome(other))


@pytest.mark.parametrize("variant", VARIANTS)
def test_patching_everything_gives_the_other_run_bit_for_bit(variant: str) -> None:
    """Every head of every layer, and the streams that they write into."""
    seen, other = both(variant)
    config = seen.model.config
    places: list[tuple[AttentionKind, int]] = [
        (kind, n) for kind in config.attention_kinds for n in range(config.layers_of(kind))
    ]
    stream: dict[Any, Given] = {}
    embeddings: dict[Stack, Any] = {
        "encoder": other.trace.src_embedding,
        "decoder": other.trace.tgt_embedding,
    }
    for stack, made in embeddings.items():
        if config.layers_of(stack):
            stream[stack, 0] = every(made.out)
    heads = {
        place: GivenAttention(
            context=Given(
                torch.ones(1, 1, 1, 1, dtype=torch.bool), other.trace.attention(*place).context
            )
        )
        for place in places
    }
    assert not same(seen.trace, other.trace)
    for attentions in ({}, heads):
        patched = seen.run(Intervention(stream=stream, attentions=attentions))
        assert same(patched, other.trace)


@few
@given(asked())
def test_patching_nothing_or_from_itself_gives_this_run(about: Asked) -> None:
    seen = about.sentence()
    for kind in seen.model.config.attention_kinds:
        assert same(patch(seen, seen, kind, 0, 1), seen.trace)
        assert same(patch(seen, seen, kind, 1, None), seen.trace)
        assert same(patch(seen, seen, kind, 1, 0, []), seen.trace)
    stack: Stack = "encoder" if seen.model.config.has_encoder else "decoder"
    assert same(patch_stream(seen, seen, stack, 1), seen.trace)


@pytest.mark.parametrize("kind", ["encoder", "decoder", "cross"])
def test_a_head_is_taken_over_and_nothing_else(kind: AttentionKind) -> None:
    seen, other = both()
    was, its = (one.trace.attention(kind, 1).context[0] for one in (seen, other))
    trace = patch(seen, other, kind, 1, 2, [1, 3])
    now = trace.attention(kind, 1).context[0]
    expected = was.clone()
    expected[2, [1, 3]] = its[2, [1, 3]]
    assert torch.equal(now, expected)
    assert not torch.equal(was[2, [1, 3]], its[2, [1, 3]])
    assert not same(trace, seen.trace)
    whole = patch(seen, other, kind, 1, None).attention(kind, 1).context[0]
    assert torch.equal(whole, its)


def test_the_stream_is_taken_over() -> None:
    seen, other = both()
    trace = patch_stream(seen, other, "decoder", 2, [1])  # what the last layer leaves
    assert torch.equal(trace.logits[0, 0], seen.trace.logits[0, 0])
    torch.testing.assert_close(trace.logits[0, 1], other.trace.logits[0, 1])
    assert torch.equal(patch_stream(seen, other, "encoder", 0).memory, other.trace.memory)


@pytest.mark.parametrize("variant", ["the paper", "T5", "a decoder alone", "masked words"])
def test_the_share_that_each_head_restores(variant: str) -> None:
    """The same as patching it and asking again; without what the decoder reads later."""
    seen, other = both(variant)
    question = Question.of(seen, 2, 5, 7)
    whole = question.answered(other) - question.answer
    layers = list(restored_by_heads(question, other))
    kinds = seen.model.config.attention_kinds
    assert [(kind, layer) for kind, layer, _ in layers] == [
        (kind, n) for kind in kinds for n in range(2)
    ]
    for kind, layer, shares in layers:
        for head in range(3):
            trace = patch(seen, other, kind, layer, head)
            expected = (float(question.measured(outcome(trace)[0, 2])) - question.answer) / whole
            assert shares[head] == pytest.approx(expected, abs=1e-9)
    assert max(np.abs(shares).max() for *_, shares in layers) > 1e-3


@pytest.mark.parametrize("variant", ["the paper", "T5", "a decoder alone", "masked words"])
def test_the_share_that_each_position_restores(variant: str) -> None:
    seen, other = both(variant)
    question = Question.of(seen, 2, 5, 7)
    whole = question.answered(other) - question.answer
    for kind, layer, shares in restored_by_positions(question, other):
        for at, share in enumerate(shares):
            if kind == "cross":
                trace = patch(seen, other, "cross", layer, None, [at])
            else:
                trace = patch_stream(seen, other, kind, layer, [at])
            expected = (float(question.measured(outcome(trace)[0, 2])) - question.answer) / whole
            assert share == pytest.approx(expected, abs=1e-9), (kind, layer, at)
        last = "encoder" if variant == "masked words" else "decoder"
        if (kind, layer) == (last, 2):  # its own position is all that counts
            assert shares == pytest.approx(np.eye(len(shares))[2], abs=1e-9)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (("cross", 0, 3), r"head must lie in 0 … 2, got 3"),
        (("cross", 2, 0), r"layer must lie in 0 … 1"),
        (("cross", 0, 0, [4]), r"positions must lie in 0 … 3, got 4"),
        (("cross", 0, 0, [-1]), r"positions must lie in 0 … 3, got -1"),
    ],
)
def test_missing_heads_and_positions_are_refused(wrong: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        patch(*both(), *wrong)


def test_sentences_that_do_not_fit() -> None:
    seen, _ = both()
    longer = read(seen.model, ("4 5 6 7 8 9", "1 3 4 5"))
    with pytest.raises(ValueError, match=r"as many tokens here, got 5 and 6; choose another word"):
        patch(seen, longer, "encoder", 0, 0)
    trace = patch(seen, longer, "encoder", 0, 0, [4])
    its = longer.trace.attention("encoder", 0).context[0, 0]
    assert torch.equal(trace.attention("encoder", 0).context[0, 0, 4], its[4])
    with pytest.raises(ValueError, match="by the same model, got two models"):
        patch(seen, sentence(seed=1), "encoder", 0, 0)
    question = Question.of(seen, 2, 5)
    for restored in (restored_by_heads, restored_by_positions):
        found: Callable[..., Any] = restored
        with pytest.raises(ValueError, match="must differ in what is in question"):
            next(found(question, read(seen.model)))
        with pytest.raises(ValueError, match="as many tokens here"):
            next(found(question, longer))
