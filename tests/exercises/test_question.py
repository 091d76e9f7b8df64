"""Grading an answer, and reading a typed one."""

import pytest

from explorer.exercises.question import Grid, Question, Result, grade, in_words

CELLS = Question(
    text="?",
    hint="",
    explanation="",
    right=frozenset({(0, 0), (0, 1)}),
    grid=Grid(rows=("it",), columns=("the", "animal", "PAD")),
)
NUMBER = Question(text="?", hint="", explanation="", right=2.0, tolerance=0.1)
CHOICE = Question(text="?", hint="", explanation="", right=1, options=("a", "b", "c"))


@pytest.mark.parametrize(
    ("given", "right"), [(2.0, True), (2.1, True), (1.9, True), (2.11, False), (-2.0, False)]
)
def test_a_number_may_be_a_little_off(given: float, right: bool) -> None:
    assert grade(NUMBER, given).is_right == right


def test_answers_in_words() -> None:
    assert in_words(CELLS, frozenset({(0, 1), (0, 0)})) == "the, animal"
    assert in_words(CELLS, frozenset()) == "no cell"
    assert in_words(CHOICE, 2) == "c"


def test_a_result_says_how_much_was_right() -> None:
    given = [
        (CELLS, frozenset({(0, 1), (0, 2)}), "1 right, 1 missed, 1 too much"),
        (CELLS, CELLS.right, "right"),
        (CHOICE, 2, "not right"),
    ]
    for question, answer, verdict in given:
        assert Result(question=question, answer=answer).verdict == verdict
