"""Gradients: complete, and right where the right answer is known."""

from dataclasses import replace
from typing import Any, get_args

import numpy as np
import pytest
import torch
from hypothesis import given

from explorer.analysis.causes.attribution import Method, attribute
from explorer.analysis.causes.gradients import (
    MAX_STEPS,
    MIN_DIFFERENCE,
    TOLERANCE,
    IntegratedGradients,
    input_x_gradient,
    integrated_gradients,
    x_slopes,
)
from explorer.analysis.causes.question import Question
from explorer.intervention import Intervention
from explorer.transformer import Transformer
from tests.analysis.causes.sentences import Asked, asked, read, sentence
from tests.support.marks import rest
from tests.test_variants import BASE, VARIANTS
from tests.tiny_model import few


def nothing_embedded(question: Question) -> float:
    """F where every embedding is 0, positions in their places."""
    seen, config = question.sentence, question.sentence.model.config
    src, tgt = seen.trace.src_embedding.embedded, seen.trace.tgt_embedding.embedded
    given = Intervention(
        src_embedded=torch.zeros_like(src) if config.has_encoder else None,
        tgt_embedded=torch.zeros_like(tgt) if config.has_decoder else None,
    )
    with torch.inference_mode():
        trace = seen.model(
            seen.src if config.has_encoder else None,
            seen.tgt if config.has_decoder else None,
            given=given,
        )
        outcome = trace.logits if config.n_logits else trace.memory
        return float(question.measured(outcome[0, question.position]))


@few
@given(asked())
def test_integrated_gradients_are_complete_or_report_their_error(about: Asked) -> None:
    question = about.question()
    found = integrated_gradients(question)
    assert found.error == pytest.approx(gap(question, found), rel=1e-3, abs=1e-6)
    assert found.error <= TOLERANCE or found.steps >= MAX_STEPS


TELLING = ("the paper", "norm of the embedding", "an encoder alone", "masked words", "T5")


@pytest.mark.slow
@pytest.mark.parametrize(
    "variant", [*TELLING, *rest(*(name for name in VARIANTS if name not in TELLING))]
)
def test_every_method_has_an_answer(variant: str) -> None:
    question = Question.of(sentence(variant, dtype=torch.float32), 2, 5)
    for method in get_args(Method):
        found = attribute(question, method)
        assert found.is_answer, method
        assert np.isfinite(found.numbers).all(), method
    assert gap(question, integrated_gradients(question)) <= TOLERANCE + 1e-4


DEEP: dict[str, Any] = {"n_encoder_layers": 6, "n_decoder_layers": 6, "d_model": 24, "d_ff": 32}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("variant", "more"),
    [
        ("ALiBi", {}),
        ("T5", {"activation": "gelu"}),
        *rest(
            ("rotary", {}),
            ("no positions", {}),
            ("T5's bias", {"bias": False, "logits_bias": False}),
            ("RMSNorm", {"positions": "alibi", "bias": False, "logits_bias": False}),
        ),
    ],
)
def test_a_stream_of_0_at_embeddings_of_0(variant: str, more: dict[str, Any]) -> None:
    """Each norm multiplies by up to 1/√ε near 0: after 30 norms, no float32 is small enough.

    F is measured in double precision at both ends.
    """
    config = replace(BASE, **VARIANTS[variant] | DEEP | more)
    question = Question.of(read(Transformer(config, seed=1)), 2, 5)
    found = integrated_gradients(question)
    exact = Question.of(read(Transformer(config, seed=1).double()), 2, 5)
    assert gap(exact, found) <= TOLERANCE + 1e-4


@pytest.mark.slow
def test_no_answer_is_said_to_be_none() -> None:
    """With ε = 10⁻³⁰, 30 norms multiply by more than the largest number of double precision."""
    config = replace(BASE, **DEEP, positions="alibi", norm_eps=1e-30)
    found = attribute(Question.of(read(Transformer(config)), 2, 5), "integrated_gradients")
    assert not found.is_answer


def gap(question: Question, found: IntegratedGradients) -> float:
    """The relative error of the sum, which should be the difference."""
    difference = question.answer - nothing_embedded(question)
    missing = abs(float(found.src.sum() + found.tgt.sum()) - difference)
    return missing / max(abs(difference), MIN_DIFFERENCE)


def test_a_smaller_error_takes_more_steps() -> None:
    question = Question.of(sentence(), 2, 5)
    rough, fine = (integrated_gradients(question, tolerance) for tolerance in (0.2, 0.001))
    assert rough.steps < fine.steps
    assert fine.error <= 0.001


@pytest.mark.parametrize("variant", ["the paper", "T5", "masked words", "a decoder alone"])
def test_the_slope_equals_that_of_small_steps(variant: str) -> None:
    """∂F(αx)/∂α at α = 1, by differences, is the sum of input × gradient over all tokens."""
    question = Question.of(sentence(variant), 2, 5)
    step = 1e-6
    (more, less), _ = x_slopes(question, np.array([1 + step, 1 - step]))
    found = sum(float(side.sum()) for side in input_x_gradient(question))
    assert found == pytest.approx(float(more - less) / (2 * step), rel=1e-5, abs=1e-7)
    assert abs(found) > 1e-4


def test_no_gradient_stays_in_the_model() -> None:
    seen = sentence()
    integrated_gradients(Question.of(seen, 2, 5))
    assert all(weight.grad is None for weight in seen.model.parameters())
    assert not torch.is_inference_mode_enabled()
