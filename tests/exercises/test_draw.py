"""Sets of questions: the same for everybody, and each of them fair."""

import re
from typing import Any

import numpy as np
import pytest

from explorer.exercises.draw import KINDS, ask, draw, work_out_again
from explorer.exercises.question import (
    LEVELS,
    SET_SIZE,
    TOPICS,
    Level,
    Question,
    Topic,
    grade,
    in_words,
)
from tests.exercises.runs import MODELS, asked, run_of

# Words with an underscore that the field writes so.
FIELD = {"d_model", "d_k", "d_ff", "W_O"}


def texts(question: Question) -> list[str]:
    """Everything that a person may read."""
    grid, bars = question.grid, question.bars
    return [
        question.title,
        question.text,
        question.hint,
        question.explanation,
        *question.options,
        *question.axes,
        *((*grid.rows, *grid.columns) if grid else ()),
        *((bars.name, *bars.labels) if bars else ()),
    ]


def wrong_answers(question: Question) -> list[Any]:
    right: Any = question.right
    if question.form == "cells":
        every = {(r, c) for r in range(len(question.grid.rows)) for c in range(40)}
        return [frozenset(), right | {min(every - right)}, right - {min(right)}]
    if question.form == "choice":
        return [at for at in range(len(question.options)) if at != right]
    if question.form == "shape":
        return [right[:-1], (*right, 1), tuple(size + 1 for size in right)]
    return [right + question.tolerance + 1, right - question.tolerance - 1]


def test_there_are_kinds_enough_for_every_topic() -> None:
    assert len(KINDS) >= 25
    for topic in TOPICS:
        assert sum(kind.topic == topic for kind in KINDS.values()) >= 5


@pytest.mark.parametrize("kind", KINDS)
def test_every_question_is_fair(kind: str) -> None:
    questions = [question for name in MODELS for question in asked(kind, name)]
    assert questions
    for question in questions:
        assert (question.kind, question.topic) == (kind, KINDS[kind].topic)
        assert grade(question, question.right).is_right
        for wrong in wrong_answers(question):
            assert not grade(question, wrong).is_right, (question.text, wrong)
        if question.form == "choice":
            assert len(set(question.options)) == len(question.options) >= 2
            assert 0 <= question.right < len(question.options)
            assert question.options.count(in_words(question, question.right)) == 1
        if isinstance(question.right, tuple):
            assert len(question.axes) == len(question.right)
        if question.bars is not None:
            assert len(question.bars.labels) == len(question.bars.values)
            assert np.isfinite(question.bars.values).all()
        assert question.title
        for text in texts(question):
            inside = set(re.findall(r"\w+_\w+", text)) - FIELD
            assert not inside, text
            assert not re.search(r"\bNone\b|\bnan\b|tensor\(|array\(|frozenset|  |\.\.", text), text


@pytest.mark.parametrize("name", MODELS)
def test_the_same_seed_asks_the_same(name: str) -> None:
    run = run_of(name)
    assert draw(7, SET_SIZE, run) == draw(7, SET_SIZE, run)
    assert [q.text for q in draw(7, SET_SIZE, run)] != [q.text for q in draw(8, SET_SIZE, run)]


@pytest.mark.parametrize(
    ("name", "topic"),
    [
        *((name, None) for name in MODELS),
        *((name, topic) for name in ("translator", "encoder alone") for topic in TOPICS),
    ],
)
def test_a_set_is_of_its_topic_and_nothing_is_asked_twice(name: str, topic: Topic | None) -> None:
    for seed in (0, 1):
        drawn = draw(seed, SET_SIZE, run_of(name), topic)
        assert len({question.text for question in drawn}) == len(drawn) <= SET_SIZE
        if topic is not None:
            assert {question.topic for question in drawn} <= {topic}
        elif "alone" not in name:
            assert len(drawn) == SET_SIZE
            assert {question.topic for question in drawn} == set(TOPICS)


@pytest.mark.parametrize("topic", [None, "decoding"])
def test_the_same_run_gives_the_same_question_again(topic: Topic | None) -> None:
    run = run_of("translator")
    drawn = draw(7, SET_SIZE, run, topic)
    for at, question in enumerate(drawn):
        found = work_out_again(drawn, at, 7, run)
        assert found is not None
        assert (found.kind, found.text) == (question.kind, question.text)


def test_one_topic_asks_each_of_its_kinds_before_one_comes_back() -> None:
    drawn = draw(3, SET_SIZE, run_of("translator"), "masks")
    assert len(drawn) == SET_SIZE
    assert len({question.kind for question in drawn}) >= SET_SIZE - 1


@pytest.mark.parametrize("name", ["reverse", "decoder alone"])
@pytest.mark.parametrize("level", LEVELS)
def test_a_set_is_of_its_level(name: str, level: Level) -> None:
    for seed in (0, 1):
        drawn = draw(seed, SET_SIZE, run_of(name), level=level)
        assert {KINDS[question.kind].level for question in drawn} == {level}
        again = work_out_again(drawn, 0, seed, run_of("translator"))
        assert again is not None
        assert KINDS[again.kind].level == level


def test_the_tours_level_fills_a_set_from_all_topics() -> None:
    drawn = draw(0, SET_SIZE, run_of("translator"), level="tour")
    assert len(drawn) == SET_SIZE
    assert {question.topic for question in drawn} == set(TOPICS)


@pytest.mark.parametrize("name", MODELS)
def test_no_question_can_be_answered_by_guessing(name: str) -> None:
    """The right option leads all others by a quarter of itself, wherever numbers decide."""
    for kind in ("looks_most", "contributes_most", "next_word", "least_sure", "more_alike"):
        for question in asked(kind, name):
            assert question.bars is not None
            values = sorted(question.bars.values)
            assert values[-1] - values[-2] > 0.1 * values[-1], (kind, values)


@pytest.mark.parametrize("name", MODELS)
def test_the_first_level_needs_nothing_that_the_tour_has_not_shown(name: str) -> None:
    beyond = "LayerNorm|√|ln |max\\(0|shape|parameters|\\bsin\\b|\\bcos\\b|percent"
    for kind, about in KINDS.items():
        if about.level != "tour" or kind == "without_scaling":  # stop 4 shows ÷ √d_k
            continue
        for question in asked(kind, name):
            assert not re.search(beyond, question.text), question.text


def test_a_model_is_not_asked_about_what_it_lacks() -> None:
    assert not draw(0, SET_SIZE, run_of("encoder alone"), "decoding")
    kinds = {q.kind for seed in range(5) for q in draw(seed, 10, run_of("encoder alone"))}
    assert not kinds & {"target_row", "cross_row", "cross_sides", "open_cells"}
    kinds = {q.kind for seed in range(5) for q in draw(seed, 10, run_of("decoder alone"))}
    assert not kinds & {"encoder_row", "cross_row", "cross_sides", "source_mask_shape"}


def test_a_question_depends_on_the_sentence() -> None:
    one, other = (
        ask("target_row", run_of(name), np.random.default_rng(0))
        for name in ("untrained", "reverse")
    )
    assert one is not None
    assert other is not None
    assert one.grid != other.grid
