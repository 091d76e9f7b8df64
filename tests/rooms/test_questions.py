"""Every kind of question is written and read unchanged; answers are checked and counted."""

import csv
import io
import json
import math
from dataclasses import replace
from typing import Any

import pytest

from explorer.exercises.facts import KINDS
from explorer.exercises.question import Answer, Grid, Question
from explorer.export.tables import DecimalSign
from explorer.rooms import questions
from explorer.rooms.questions import (
    as_csv,
    from_json,
    read_answer,
    tally,
    to_json,
    write_answer,
    write_asked,
)
from explorer.rooms.room import MAX_STATE
from explorer.rooms.store import MAX_NOTE
from explorer.ui.controls.sentences import LINK_CHARACTERS
from tests.exercises.runs import MODELS, asked

CELLS = Question(
    text="Which cells?", hint="", explanation="",
    right=frozenset({(0, 0), (1, 1)}), grid=Grid(rows=("a", "b"), columns=("x", "y")),
)  # fmt: skip
CHOICE = Question(
    text="Which word?", hint="", explanation="", right=1,
    options=("=1+1", "cat", "dog"),
)  # fmt: skip
NUMBER = Question(text="How much?", hint="", explanation="", right=0.5, tolerance=0.05)


def read_in_room(question: Question) -> Question:
    """A question without the parts that no room shows."""
    shown = ("text", "explanation", "right", "options", "tolerance", "grid", "kind")
    return Question(hint="", **{name: getattr(question, name) for name in shown})


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_question_comes_back_from_json(kind: str) -> None:
    # Not every sentence has a clear answer to every kind.
    question = next(found for name in MODELS for found in asked(kind, name)).worded()
    sent = json.dumps(to_json(question))
    assert len(sent) + LINK_CHARACTERS < MAX_STATE  # a room's state has an address, too
    assert from_json(json.loads(sent)) == read_in_room(question)
    right = write_answer(question, question.right)
    assert right is not None
    assert read_answer(question, right) == question.right


@pytest.mark.parametrize("question", [CELLS, CHOICE, NUMBER])
@pytest.mark.parametrize("note", [b"x", b"null", b'"cat"', b"[[1]]", b"1e400"])
def test_a_note_that_is_no_answer_is_none(question: Question, note: bytes) -> None:
    assert read_answer(question, note) is None


def test_a_question_has_the_language_of_its_reader() -> None:
    german = replace(CHOICE, text="Was?", options=("=1+1", "Katze", "Hund"))
    sent = json.loads(json.dumps(to_json(CHOICE, {"de": german})))
    assert from_json(sent, "de") == german
    assert from_json(sent, "ko") == from_json(sent) == CHOICE
    assert set(sent["in_others"]["de"]) == {"text", "options"}  # and nothing that is the same


def test_fields_of_another_version_are_left_out() -> None:
    more: dict[str, Any] = {"hint": "", "bars": None, "mask": None, "axes": [], "topic": "masks"}
    assert from_json({**to_json(CHOICE), **more, "of_the_future": 1}) == CHOICE


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        (CELLS, frozenset({(0, 0), (2, 0)})), (CELLS, frozenset({(0, -1)})), (CHOICE, 3),
        (CHOICE, -1), (NUMBER, math.nan), (NUMBER, -math.inf), (NUMBER, 1e300),
    ],
)  # fmt: skip
def test_what_cannot_be_an_answer_is_not_written(question: Question, answer: Answer) -> None:
    assert write_answer(question, answer) is None


def test_the_largest_mask_fits_into_a_note() -> None:
    words = tuple(str(n) for n in range(128))
    question = replace(CELLS, grid=Grid(rows=words, columns=words))
    every = frozenset((row, column) for row in range(128) for column in range(128))
    data = write_answer(question, every)
    assert data is not None
    assert len(data) <= MAX_NOTE
    assert read_answer(question, data) == every


def test_cells_are_counted_one_by_one() -> None:
    found = tally(CELLS, [frozenset({(0, 0), (1, 1)}), frozenset({(0, 0)}), frozenset()])
    assert (found.people, found.right) == (3, 1)
    assert found.cells == {(0, 0): 2, (1, 1): 1}


def test_options_stand_in_their_order() -> None:
    found = tally(CHOICE, [1, 1, 2])
    assert found.bars == (("=1+1", 0, False), ("cat", 2, True), ("dog", 1, False))
    assert found.right == 2


def test_numbers_stand_by_size_and_are_right_within_the_tolerance() -> None:
    found = tally(NUMBER, [0.7, 0.52, 10.0, -1.0, 0.52, 10.0, 10.0])
    assert [(float(text.replace("−", "-")), count, right) for text, count, right in found.bars] == [
        (-1.0, 1, False), (0.52, 2, True), (0.7, 1, False), (10.0, 3, False)
    ]  # fmt: skip
    assert found.right == 2


def test_many_different_answers_end_in_one_bar() -> None:
    many = questions.MAX_BARS + 5
    found = tally(NUMBER, [float(number) for number in range(many)])
    assert len(found.bars) == questions.MAX_BARS + 1
    assert sum(count for _, count, _ in found.bars) == many


def test_the_right_answer_is_shown_even_if_nobody_gave_it() -> None:
    wrong = tally(NUMBER, [3.0])
    assert questions.with_right(NUMBER, wrong.bars) == (("0.500", 0, True), ("3.000", 1, False))
    near = tally(NUMBER, [0.52])
    assert questions.with_right(NUMBER, near.bars) == near.bars


def test_the_file_has_a_row_for_each_seat_and_question_and_no_formula() -> None:
    lesson = [(CHOICE, {"b": b"0", "a": b"1"}), (NUMBER, {"b": b"0.52"}), (CELLS, {})]
    kept_lesson = []
    for question, answers in lesson:
        kept = write_asked(to_json(replace(question, text="Frage"), {"en": question}), "=SUM(A1)")
        kept_lesson.append((kept, answers))
    signs: list[DecimalSign] = [".", ","]
    for decimal in signs:
        file = io.StringIO(as_csv(kept_lesson, decimal).decode("utf-8-sig"))
        header, *rows = csv.reader(file, delimiter=";" if decimal == "," else ",")
        assert tuple(header) == questions.HEADER
        number, half = (text.replace(".", decimal) for text in ("0.520", "0.5"))
        assert [[row[0], *row[5:]] for row in rows] == [
            ["1", half, "1", "cat", "yes"], ["1", half, "2", "'=1+1", "no"],
            ["2", "1", "1", "", ""], ["2", "1", "2", number, "yes"],
            ["3", "", "1", "", ""], ["3", "", "2", "", ""],
        ]  # fmt: skip
        assert [row[1] for row in rows[::2]] == [one.text for one, _ in lesson]
        assert {row[3] for row in rows} == {"'=SUM(A1)"}
