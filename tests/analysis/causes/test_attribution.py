"""Attribution to words: shapes, meanings, and occlusion against sentences without a word."""

from collections.abc import Callable
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.analysis.causes.attribution import Method, attribute, deletion
from explorer.analysis.causes.question import Question
from explorer.transformer import Transformer
from tests.analysis.causes.sentences import Asked, asked, read, sentence
from tests.tiny_model import few

METHODS: tuple[Method, ...] = get_args(Method)


@few
@given(asked(), st.sampled_from(METHODS))
def test_every_method_works_on_every_variant(about: Asked, method: Method) -> None:
    question = about.question()
    trace, config = question.sentence.trace, question.sentence.model.config
    found = attribute(question, method)
    for side, there, length in (
        (found.source, config.has_encoder, trace.memory.shape[1]),
        (found.prefix, config.has_decoder, trace.decoder_out.shape[1]),
    ):
        assert (side is not None) == there
        if side is not None:
            assert side.shape == (length,)
            assert np.isfinite(side).all()
    if found.prefix is not None:
        assert not found.prefix[question.position + 1 :].any()
    if found.source is not None:
        assert not found.source[~trace.src_mask[0, 0, 0].numpy()].any()
    if method in ("value_zeroing", "rollout") and trace.src_mask.any():
        assert found.numbers.sum() == pytest.approx(1.0)
        assert (found.numbers >= 0).all()


def without_positions() -> Transformer:
    """Without positions, hiding a word is the same as leaving it out."""
    return sentence("no positions", seed=5).model


@pytest.mark.parametrize("rival", [None, 7])
@pytest.mark.parametrize("position", [0, 1, 3])
def test_occlusion_is_the_sentence_without_the_word(position: int, rival: int | None) -> None:
    model = without_positions()
    source, target = ["4", "5", "6", "7"], ["1", "3", "4", "5"]

    def answer(source: list[str], target: list[str]) -> float:
        return question_of(source, target).answer

    def question_of(source: list[str], target: list[str]) -> Question:
        seen = read(model, (" ".join(source), " ".join(target)))
        return Question.of(seen, target.index(str([1, 3, 4, 5][position])), 6, rival)

    found = attribute(question_of(source, target), "occlusion")
    whole = answer(source, target)
    expected = [whole - answer(source[:at] + source[at + 1 :], target) for at in range(4)]
    assert found.source == pytest.approx(np.array(expected))
    assert max(map(abs, expected)) > 1e-3
    expected = [whole - answer(source, target[:at] + target[at + 1 :]) for at in range(position)]
    assert found.prefix == pytest.approx(np.array(expected + [0.0] * (4 - position)))


def test_a_word_that_nobody_attends_to_has_no_effect() -> None:
    """Values of 0 in all cross-attentions: the source does not matter at all."""
    model = sentence().model
    for layer in model.decoder:
        layer.cross.w_qkv.weight.data[24:] = 0.0
        layer.cross.w_qkv.bias.data[24:] = 0.0
    question = Question.of(read(model), 2, 5)
    for method in ("occlusion", "input_x_gradient", "value_zeroing"):
        found: Any = attribute(question, method)
        assert found.source == pytest.approx(np.zeros(5), abs=1e-12), method
        assert np.abs(found.prefix).max() > 1e-3
    weights = attribute(question, "attention")
    assert weights.source.sum() == pytest.approx(1.0)  # and yet it is looked at


def test_an_encoder_alone_has_numbers_for_its_own_positions() -> None:
    question = Question.of(sentence("masked words"), 2, 5)
    found = attribute(question)
    assert found.prefix is None
    assert np.abs(found.source[:4]).min() > 0  # it does not keep seeing itself


def test_the_deletion_curve() -> None:
    question = Question.of(sentence(), 2, 5)
    occluded = attribute(question)
    order = np.argsort(-occluded.numbers).tolist()
    curve = deletion(question, order)
    assert curve.shape == (len(order) + 1,)
    assert curve[0] == question.answer
    assert curve[1] == pytest.approx(question.answer - occluded.numbers.max())
    assert curve[-1] == pytest.approx(deletion(question, sorted(order))[-1])
    assert deletion(question, []).tolist() == [question.answer]


def test_a_target_position_keeps_seeing_itself() -> None:
    """So to hide the word that is being read changes nothing; the source has five positions."""
    question = Question.of(sentence(), 2, 5)
    assert deletion(question, [5 + 2])[1] == pytest.approx(question.answer, abs=1e-12)
    assert abs(deletion(question, [5 + 1])[1] - question.answer) > 1e-4


def test_impossible_questions_are_refused(
    unchecked: Callable[[Callable[..., Any]], Callable[..., Any]],
) -> None:
    question = Question.of(sentence(), 2, 5)
    with pytest.raises(ValueError, match=r"method must be one of occlusion, .* got 'magic'"):
        unchecked(attribute)(question, "magic")
    with pytest.raises(ValueError, match=r"the positions of an order must lie in 0 … 8, got 9"):
        deletion(question, [0, 9])
