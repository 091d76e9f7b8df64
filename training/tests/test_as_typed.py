"""English as people type it."""

import random

import pytest

from training.as_typed import as_typed, mistyped

SENTENCE = "I don't know what you mean, but Priya is my friend."


def many(sentence: str, count: int = 800) -> list[str]:
    dice = random.Random(1)
    return [as_typed(sentence, dice) for _ in range(count)]


@pytest.mark.parametrize(
    "wanted",
    [
        "I don't know what you mean, but Priya is my friend",
        "I DON'T KNOW WHAT YOU MEAN, BUT PRIYA IS MY FRIEND.",
        "i dont know what you mean, but priya is my friend",
        "i dont know what u mean, but priya is my friend",
    ],
)
def test_common_ways_of_typing_occur(wanted: str) -> None:
    assert wanted in many(SENTENCE)


def test_most_words_stay() -> None:
    for typed in many(SENTENCE):
        assert len(typed.split()) == len(SENTENCE.split())


def test_an_empty_sentence_stays_empty() -> None:
    assert all(many("!", 100))
    assert all(many("a", 100))


def test_one_slip_of_a_finger() -> None:
    dice = random.Random(2)
    seen = set()
    for _ in range(300):
        typed = mistyped("my friend Sabine reads", dice)
        first, *rest = zip(typed.split(), ["my", "friend", "Sabine", "reads"], strict=True)
        wrong = [(now, was) for now, was in (first, *rest) if now != was]
        assert len(wrong) <= 1  # none, if two equal letters were exchanged
        for now, was in wrong:
            assert was in ("friend", "reads")  # not the name, nor what is short
            assert now[0] == was[0]
            assert abs(len(now) - len(was)) <= 1
            seen.add(len(now) - len(was))
    assert seen == {-1, 0, 1}


def test_a_sentence_of_short_words_has_no_slips() -> None:
    assert mistyped("It is he", random.Random(1)) == "It is he"
