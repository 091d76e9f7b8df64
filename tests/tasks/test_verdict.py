"""Verdicts: right, wrong, or beyond what was learnt."""

from dataclasses import replace

import pytest

from explorer.tasks.tasks import GERMAN, NUMBERS, QUOTES, REVERSE
from explorer.tasks.verdict import judge


def words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


def test_right_and_wrong() -> None:
    source = words("a b c")
    right = judge(REVERSE, source, words("c b a"), ended=True)
    assert (right.kind, right.right) == ("right", words("c b a"))
    wrong = judge(REVERSE, source, words("c b b"), ended=True)
    assert (wrong.kind, wrong.right) == ("wrong", words("c b a"))
    assert judge(REVERSE, source, words("c b a a"), ended=False).kind == "cut off"
    # Without an end it is not the right answer, whatever it says.
    assert judge(REVERSE, source, words("c b a"), ended=False).kind == "cut off"


@pytest.mark.parametrize(
    ("source", "answer"),
    [
        ("der Ritter kann die Hexe nicht finden", "the knight does not find the witch"),
        ("die Katze", "the cat"),
    ],
)
def test_sentences_beyond_the_grammar_are_outside(source: str, answer: str) -> None:
    verdict = judge(GERMAN, words(source), words(answer), ended=True)
    assert (verdict.kind, verdict.right) == ("outside", None)
    assert verdict.why == "it never learnt such sentences"


def test_words_that_are_no_numbers() -> None:
    source = tuple(NUMBERS.split("hunderteins"))
    assert judge(NUMBERS, source, words("one hundred"), ended=True).kind == "outside"


def test_a_word_without_an_id_is_outside_even_where_the_answer_happens_to_be_right() -> None:
    verdict = judge(REVERSE, ("a",), ("a",), ended=True, unknown=("a",))
    assert verdict.kind == "outside"
    assert "“a”" in verdict.why


def test_a_sentence_longer_than_those_learnt_is_outside() -> None:
    task = replace(REVERSE, longest=3)
    source = words("a b c d")
    outside = judge(task, source, words("d c b b"), ended=True)
    assert (outside.kind, outside.right) == ("outside", words("d c b a"))
    assert "up to 3 words, and this source has 4" in outside.why
    assert judge(task, source, words("d c b a"), ended=True).kind == "right"


def test_other_sentences_than_those_learnt_by_heart() -> None:
    assert judge(QUOTES, words("may the"), words("be"), ended=True).why.endswith("by heart")
    pair = QUOTES.given[0]
    assert judge(QUOTES, pair.source, pair.target, ended=True).kind == "right"
