"""Sets of questions: the same for everybody, and each of them fair."""

import re
from typing import Any

import numpy as np
import pytest

from explorer.exercises.draw import (
    NEAREST,
    SET_SIZE,
    ask,
    ask_in_set,
    kinds_in_turn,
    size_of_set,
)
from explorer.exercises.facts import KINDS
from explorer.exercises.question import TOPICS, Question, Topic, grade, in_words
from tests.exercises.runs import MODELS, asked, run_of

# Words with an underscore that the field writes so.
FIELD = {"d_model", "d_k", "W_O"}


def texts(question: Question) -> list[str]:
    """Everything that a person may read."""
    grid = question.grid
    return [
        question.title,
        question.text,
        question.hint,
        question.explanation,
        question.measure,
        *question.options,
        *((*grid.rows, *grid.columns) if grid else ()),
    ]


def wrong_answers(question: Question) -> list[Any]:
    right: Any = question.right
    if question.grid is not None:
        every = {(r, c) for r in range(len(question.grid.rows)) for c in range(40)}
        return [frozenset(), right | {min(every - right)}, right - {min(right)}]
    if question.form == "choice":
        return [at for at in range(len(question.options)) if at != right]
    return [right + question.tolerance + 1, right - question.tolerance - 1]


@pytest.mark.parametrize("kind", KINDS)
def test_every_question_is_fair(kind: str) -> None:
    questions = [one.worded() for name in MODELS for one in asked(kind, name)]
    assert questions
    for question in questions:
        assert (question.kind, question.topic) == (kind, KINDS[kind].topic)
        assert grade(question, question.right).is_right
        for wrong in wrong_answers(question):
            assert not grade(question, wrong).is_right, (question.text, wrong)
        if question.form == "choice":
            assert len(set(question.options)) == len(question.options) >= 2
            assert question.options.count(in_words(question, question.right)) == 1
        if question.bars:
            assert len(question.bars) == len(question.options)
            assert np.isfinite(question.bars).all()
            values = sorted(question.bars)  # the right one leads, wherever numbers decide
            assert values[-1] - values[-2] > 0.1 * values[-1], (kind, values)
            assert question.bars.index(values[-1]) == question.right
        assert all(texts(question)[:4])
        for text in texts(question):
            inside = set(re.findall(r"\w+_\w+", text)) - FIELD
            assert not inside, text
            assert not re.search(r"\bNone\b|\bnan\b|tensor\(|array\(|[{}]|  |\.\.", text), text


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_kind_and_draw_ask_the_same(kind: str) -> None:
    run = run_of("translator")
    assert ask(kind, run, 7) == ask(kind, run, 7) is not None


@pytest.mark.parametrize("topic", [None, *TOPICS])
def test_a_set_asks_no_kind_twice(topic: Topic | None) -> None:
    size = size_of_set(topic)
    assert size == (10 if topic is None else sum(k.topic == topic for k in KINDS.values()))
    for seed in range(4):
        kinds = kinds_in_turn(seed, topic)[:size]
        assert len(set(kinds)) == size
        assert {KINDS[kind].topic for kind in kinds} == (set(TOPICS) if topic is None else {topic})
    assert kinds_in_turn(0, topic) == kinds_in_turn(0, topic)
    assert len({tuple(kinds_in_turn(seed, topic)) for seed in range(9)}) > 1


@pytest.mark.parametrize("name", MODELS)
def test_every_place_of_a_set_asks_something(name: str) -> None:
    run = run_of(name)
    drawn = [ask_in_set(run, 3, number) for number in range(1, SET_SIZE + 1)]
    assert [one.draw for one in drawn if one] == list(range(30, 40))
    again = ask_in_set(run, 3, 2)
    assert again == drawn[1]


def test_a_set_asks_the_kind_that_is_given_if_it_can() -> None:
    translator, alone = run_of("translator"), run_of("encoder alone")
    for number in (1, 5):
        one = ask_in_set(translator, 0, number, None, "score")
        assert one is not None
        assert (one.kind, one.draw) == ("score", number - 1)
    other = ask_in_set(alone, 0, 1, None, "passes")
    assert other is not None
    assert other.kind != "passes"


def test_a_model_is_not_asked_about_what_it_lacks() -> None:
    assert ask_in_set(run_of("encoder alone"), 0, 1, "decoding") is None
    for kind in ("target_row", "cross_row", "cross_sides", "one_more_pad"):
        assert not asked(kind, "encoder alone")
    for kind in ("cross_row", "cross_sides", "without_positions"):
        assert not asked(kind, "decoder alone")


def test_a_new_kind_leaves_the_order_of_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    before = {topic: kinds_in_turn(3, topic) for topic in TOPICS}
    monkeypatch.setitem(KINDS, "new", KINDS["score"])
    for topic, kinds in before.items():
        assert [kind for kind in kinds_in_turn(3, topic) if kind != "new"] == kinds


def test_kinds_that_are_gone_lead_to_kinds_that_stay() -> None:
    assert len(NEAREST) == 26
    assert not NEAREST.keys() & KINDS.keys()
    assert set(NEAREST.values()) <= KINDS.keys()
