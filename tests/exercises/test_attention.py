"""Questions about attention, answered from the weight matrices."""

import re
from typing import Any

import numpy as np
import pytest

from explorer.exercises.draw import ask
from explorer.exercises.facts import Asked
from explorer.exercises.question import Answer
from explorer.exercises.sources import names
from explorer.runtime.engine import Run
from tests.exercises.runs import (
    MODELS,
    asked,
    check,
    kinds_about,
    open_cells_by_hand,
    run_of,
    sides,
    weights_by_hand,
)

PLAIN = [name for name in MODELS if name != "other parts"]  # no rotary, and q·k ÷ √d_k


def looks_most(one: Asked, run: Run) -> Answer:
    look: Any = one.facts.look
    heads = weights_by_hand(run, look["attention"], look["layer"] - 1)
    best = int(heads[look["head"] - 1, look["query"]].argmax())
    return one.worded().options.index(names(sides(run, look["attention"])[1])[best])


JOBS = {
    "it looks at the word itself": lambda at, n: at,
    "it looks at the token before": lambda at, n: at - 1,
    "it looks at the token after": lambda at, n: at + 1,
    "it looks at the first token": lambda at, n: 0,
    "it looks at the last token": lambda at, n: n - 1,
}


def job(one: Asked, run: Run) -> Answer:
    """The only job that fits the queries and keys in the question."""
    labels = [label for label in sides(run, one.facts.look["attention"])[0] if label != "PAD"]
    called = names(labels)
    pairs = re.findall(r"“([^”]+)” looks at “([^”]+)” with", one.worded().text)
    assert len(pairs) == 3
    looks = [(called.index(query), called.index(key)) for query, key in pairs]
    fits = [
        name for name, of in JOBS.items()
        if all(key == of(query, len(labels)) for query, key in looks)
    ]  # fmt: skip
    assert len(fits) == 1
    return one.worded().options.index(fits[0])


def shape(one: Asked, run: Run) -> Answer:
    queries, keys = sides(run, one.facts.look["attention"])
    right = (1, run.request.config.n_heads, len(queries), len(keys))
    return one.worded().options.index(str(right))


def cross_sides(one: Asked, run: Run) -> Answer:
    right = "Queries from the decoder; keys and values from the encoder."
    return one.worded().options.index(right)


BY_HAND = {
    "looks_most": looks_most,
    "job_of_head": job,
    "scores_shape": shape,
    "cross_sides": cross_sides,
}


@pytest.mark.parametrize("name", PLAIN)
@pytest.mark.parametrize("kind", kinds_about("attention"))
def test_the_answer_follows_from_the_matrices(kind: str, name: str) -> None:
    check(kind, name, BY_HAND[kind])


@pytest.mark.parametrize("name", PLAIN)
def test_the_scores_and_the_mask_in_the_question_give_the_largest_weight(name: str) -> None:
    for one in asked("looks_most", name):
        look: Any = one.facts.look
        question = one.worded()
        pairs = re.findall(r"“([^”]+)” (−?\d+\.\d+)", question.text.partition("mask:")[2])
        labels = names(sides(run_of(name), look["attention"])[1])
        seen = open_cells_by_hand(run_of(name), look["attention"])[look["query"]]
        scores = {key: float(score.replace("−", "-")) for key, score in pairs}
        assert tuple(scores) == question.options
        open_keys = [key for key in scores if seen[labels.index(key)]]
        best = max(open_keys, key=lambda key: scores[key])
        assert question.options.index(best) == one.facts.right == int(np.argmax(question.bars))


def test_a_head_that_was_taught_is_said_to_do_its_job_elsewhere_too() -> None:
    """The heads of self-attention in docs/translator.md; numbers of layers and heads from 1."""
    taught = {("encoder", 1, 1), ("encoder", 1, 4)} | {
        ("decoder", layer, head) for layer, head in ((1, 1), (1, 2), (2, 8), (3, 5))
    }
    told = set()
    for one in filter(None, (ask("job_of_head", run_of("translator"), n) for n in range(40))):
        look: Any = one.facts.look
        is_taught = (look["attention"], look["layer"], look["head"]) in taught
        assert ("was taught where to look" in one.worded().explanation) == is_taught
        assert ("may do something else" in one.worded().explanation) != is_taught
        told.add(is_taught)
    assert told == {True, False}
