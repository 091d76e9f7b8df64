"""Questions about masks, answered from the labels and ids alone."""

import re

import pytest

from explorer.exercises.facts import Asked
from explorer.exercises.question import Answer
from explorer.names import PAD
from explorer.runtime.engine import Run
from tests.exercises.runs import MODELS, asked, check, kinds_about, run_of


def one_row(one: Asked, run: Run) -> Answer:
    look, grid = one.facts.look, one.facts.grid
    assert grid is not None
    return frozenset(
        (0, k) for k, label in enumerate(grid.columns)
        if PAD not in label and (look["attention"] != "decoder" or k <= look["query"])
    )  # fmt: skip


def reason(one: Asked, run: Run) -> Answer:
    query, key = (int(n) for n in re.findall(r"\(position (\d+)\)", one.worded().text))
    assert one.facts.mask is not None
    is_pad = one.facts.mask.labels[key] == PAD
    return one.worded().options.index(
        [
            "It is not hidden.",
            "The key is in the future.",
            "The key is PAD.",
            "Both: the key is in the future, and it is PAD.",
        ][(key > query) + 2 * is_pad]
    )


def one_more(one: Asked, run: Run) -> Answer:
    assert one.facts.mask is not None
    labels = (*one.facts.mask.labels, PAD)
    return sum(labels[k] != PAD for q in range(len(labels)) for k in range(q + 1))


BY_HAND = {
    "target_row": one_row,
    "cross_row": one_row,
    "reason": reason,
    "one_more_pad": one_more,
}


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("kind", kinds_about("masks"))
def test_the_answer_follows_from_the_labels(kind: str, name: str) -> None:
    check(kind, name, BY_HAND[kind])


@pytest.mark.parametrize("name", MODELS)
def test_a_reason_says_what_hides_the_cell(name: str) -> None:
    for one in asked("reason", name):
        why = one.worded().explanation
        query, key = (int(n) for n in re.findall(r"\(position (\d+)\)", one.worded().text))
        assert one.facts.mask is not None
        assert why.startswith(f"Position {key} is ")
        assert ("the key is PAD" in why) == (one.facts.mask.labels[key] == PAD)
        assert ("is after the query" in why) == (key > query)


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("kind", kinds_about("masks"))
def test_every_question_about_a_mask_has_a_sentence_with_pad(kind: str, name: str) -> None:
    for one in asked(kind, name):
        labels = one.facts.grid.columns if one.facts.grid else one.facts.mask.labels
        assert any(PAD in label for label in labels)
        shown = run_of(name).src_labels if kind == "cross_row" else run_of(name).tgt_labels
        assert ("Think of a longer sentence" in one.worded().text) == (PAD not in shown)
