"""The words about which a question can be asked, and those about which it cannot."""

from typing import Any

import pytest
import torch

from explorer.analysis.causes.question import Question, Sentence
from explorer.exploration import explore
from explorer.intervention import Intervention
from tests.analysis.causes.sentences import sentence


@pytest.fixture(scope="module")
def reverse() -> Sentence:
    seen = explore(["one two three", "one two"], model="reverse")
    return seen.pair(2)._read()


def test_the_token_is_the_next_of_the_target(reverse: Sentence) -> None:
    batch = reverse.batch
    assert [batch.tgt_names([Question.of(reverse, at).token])[0] for at in (0, 1, 2)] == [
        "two", "one", "EOS",
    ]  # fmt: skip


def test_without_a_target_it_is_the_likeliest() -> None:
    seen = sentence("masked words")
    logits = seen.trace.logits[0, 2].clone()
    logits[:2] = -torch.inf  # PAD and BOS are no words
    assert Question.of(seen, 2).token == int(logits.argmax())


def test_the_measure(reverse: Sentence) -> None:
    logits = reverse.trace.logits[0, 1].double()
    one = Question.of(reverse, 1)
    assert one.answer == pytest.approx(float(logits.log_softmax(0)[one.token]), abs=1e-6)
    rival = Question.of(reverse, 1, "one", "three")
    assert rival.token == one.token
    difference = float(logits[rival.token] - logits[rival.rival or 0])
    assert rival.answer == pytest.approx(difference, rel=1e-5)


def test_an_encoder_that_writes_nothing_is_asked_for_a_dimension() -> None:
    seen = sentence("an encoder alone")
    assert Question.of(seen, 1, 7).answer == float(seen.trace.memory[0, 1, 7])
    with pytest.raises(ValueError, match=r"writes no words: token must be a dimension .* 0 to 11"):
        Question.of(seen, 1)


@pytest.mark.parametrize("at", range(4))
def test_without_a_change_the_answer_is_the_same(at: int) -> None:
    """The rest of the target, which the decoder does not see, is not read."""
    for variant in ("the paper", "T5", "a decoder alone", "masked words", "rotary"):
        question = Question.of(sentence(variant), at, 3)
        with torch.inference_mode():
            found = question.ask(Intervention(), 2, encoded=question.encoded())
        assert found.tolist() == pytest.approx([question.answer] * 2), variant


def test_pad_is_no_word() -> None:
    seen = explore(["one two three", "one"], model="reverse").pair(2)
    message = "position must be that of a word, got 3, where PAD stands; words are at 0, 1, 2"
    with pytest.raises(ValueError, match=message):
        seen.attribute(3)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ((4,), "position must lie in 0 … 3, got 4"),
        ((-1,), "position must lie in 0 … 3, got -1"),
        ((1, 64), "token must be an id of the vocabulary, 0 to 63, got 64"),
        ((1, "one", -1), "rival must be an id of the vocabulary, 0 to .* got -1"),
        ((1, "one", "<b>"), "rival must be one piece of the vocabulary, got '<b>'"),
        ((1, "one", ""), "rival must be one piece of the vocabulary, got ''"),
        ((1, "one", "one"), "rival must be another word than the token"),
    ],
)
def test_impossible_questions_are_refused(reverse: Sentence, asked: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Question.of(reverse, *asked)
