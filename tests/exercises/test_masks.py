"""Questions about masks, answered from the ids alone."""

import re

import numpy as np
import pytest

from explorer.exercises.masks import REASONS
from explorer.exercises.question import Answer, Question
from explorer.runtime.engine import Run
from tests.exercises.runs import MODELS, asked, check, kinds_about, run_of


def numbers(question: Question) -> list[int]:
    return [int(found) for found in re.findall(r"\d+", question.text)]


def one_row(question: Question, run: Run) -> Answer:
    kind, query = question.focus.kind, question.focus.query
    return frozenset(
        (0, k) for k, label in enumerate(question.grid.columns)
        if "PAD" not in label and (kind != "decoder" or k <= query)
    )  # fmt: skip


def read(question: Question) -> tuple[str, ...]:
    """The decoder's tokens, with the PAD that the question adds."""
    assert question.mask is not None
    return question.mask.keys


def cells_of(labels: tuple[str, ...]) -> np.ndarray:
    return np.array(
        [[key != "PAD" and k <= q for k, key in enumerate(labels)] for q in range(len(labels))]
    )


def block(question: Question, run: Run) -> Answer:
    first, last = numbers(question)
    cells = cells_of(read(question))[first : last + 1, first : last + 1]
    return frozenset(
        (r, c) for r, row in enumerate(cells.tolist()) for c, seen in enumerate(row) if seen
    )


def reason(question: Question, run: Run) -> Answer:
    query, key = (int(n) for n in re.findall(r"\(position (\d+)\)", question.text))
    is_pad = read(question)[key] == "PAD"
    return [
        "It is not hidden.",
        "The key is in the future.",
        "The key is PAD.",
        "Both: the key is in the future, and it is PAD.",
    ].index(REASONS[(key > query) + 2 * is_pad])


def one_more(question: Question, run: Run) -> Answer:
    ids = [*run.batch.tgt_in[run.row].tolist(), run.batch.pad_id]
    return sum(
        ids[k] != run.batch.pad_id for q in range(len(ids)) for k in range(len(ids)) if k <= q
    )


def source_shape(question: Question, run: Run) -> Answer:
    return len(run.batch.src), 1, 1, len(run.src_labels)


def target_shape(question: Question, run: Run) -> Answer:
    return len(run.batch.src), 1, len(run.tgt_labels), len(run.tgt_labels)


BY_HAND = {
    "target_row": one_row,
    "encoder_row": one_row,
    "cross_row": one_row,
    "target_block": block,
    "open_cells": lambda question, run: int(cells_of(read(question)).sum()),
    "reason": reason,
    "source_mask_shape": source_shape,
    "target_mask_shape": target_shape,
    "one_more_pad": one_more,
}


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("kind", kinds_about("masks"))
def test_the_answer_follows_from_the_ids(kind: str, name: str) -> None:
    check(kind, name, BY_HAND[kind])


@pytest.mark.parametrize("name", MODELS)
def test_a_reason_is_given_once(name: str) -> None:
    for question in asked("reason", name):
        query, key = (int(n) for n in re.findall(r"\(position (\d+)\)", question.text))
        assert question.explanation.count("PAD") == 1
        is_pad = read(question)[key] == "PAD"
        assert ("the key is PAD" in question.explanation) == is_pad
        assert ("is after the query" in question.explanation) == (key > query)


def test_pad_is_among_what_is_asked() -> None:
    assert "PAD" in run_of("untrained").src_labels
    assert "PAD" in run_of("padded on the left").tgt_labels


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize(
    "kind", ["target_row", "encoder_row", "cross_row", "target_block", "reason", "open_cells"]
)
def test_every_question_about_a_mask_has_a_sentence_with_pad(kind: str, name: str) -> None:
    for question in asked(kind, name):
        labels = question.grid.columns if question.mask is None else read(question)
        assert any("PAD" in label for label in labels)
