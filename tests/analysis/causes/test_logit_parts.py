"""A logit as a sum over parts: the parts add up, and each one is right."""

import pytest
import torch
from hypothesis import given

from explorer.analysis.causes.logit_parts import parts_of_logit
from explorer.analysis.causes.question import Question
from explorer.analysis.causes.stream_parts import Part
from explorer.intervention import Stack
from tests.analysis.causes.sentences import Asked, asked, sentence
from tests.test_variants import VARIANTS


@given(asked())
def test_the_parts_sum_to_the_logit(about: Asked) -> None:
    found = parts_of_logit(about.question())
    assert len(found.parts) == len(found.values) == len(set(found.parts)) == len(set(found.names))
    assert found.values.sum() == pytest.approx(found.logit, rel=1e-4, abs=1e-9)


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_part_of_the_model_is_there(variant: str) -> None:
    seen = sentence(variant)
    config = seen.model.config
    stack: Stack = "decoder" if config.has_decoder else "encoder"
    kinds = [kind for kind in config.attention_kinds if kind in (stack, "cross")]
    layers = config.layers_of(stack)
    found = parts_of_logit(Question.of(seen, 1, 2))
    assert set(found.parts) == {
        Part("biases"),
        Part("embedding"),
        Part("position"),
        *(Part("feed-forward", stack, n) for n in range(layers)),
        *(Part("head", k, n, h) for k in kinds for n in range(layers) for h in range(3)),
    }


def test_float32_as_in_the_app() -> None:
    for variant in VARIANTS:
        seen = sentence(variant, dtype=torch.float32)
        found = parts_of_logit(Question.of(seen, 2, 5))
        assert found.values.sum() == pytest.approx(found.logit, rel=1e-4, abs=1e-5), variant


def test_the_logit_is_that_of_the_run() -> None:
    seen = sentence()
    assert parts_of_logit(Question.of(seen, 2, 5)).logit == seen.trace.logits[0, 2, 5]
    logits = seen.trace.logits[0, 2]
    assert parts_of_logit(Question.of(seen, 2, 5, 7)).logit == logits[5] - logits[7]


def test_a_difference_is_one_logit_minus_the_other() -> None:
    seen = sentence("pre-norm")
    both = [parts_of_logit(Question.of(seen, 2, token)).values for token in (5, 7)]
    difference = parts_of_logit(Question.of(seen, 2, 5, 7)).values
    assert difference == pytest.approx(both[0] - both[1])


def test_the_names_count_from_one() -> None:
    found = parts_of_logit(Question.of(sentence(), 2, 5))
    assert found.names[:3] == ("biases", "embedding", "position")
    assert "Cross, layer 2, head 3" in found.names
    assert found.names[-1] == "Decoder, layer 2, feed-forward"


def test_a_model_without_position_vectors_has_no_bar_for_them() -> None:
    with_rotary = parts_of_logit(Question.of(sentence("rotary"), 1, 2))
    assert "position" in with_rotary.names
    assert "position" not in with_rotary.by_layer()[0]
    assert "position" in parts_of_logit(Question.of(sentence(), 1, 2)).by_layer()[0]
