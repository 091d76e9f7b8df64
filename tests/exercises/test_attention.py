"""Questions about attention, answered from the weight matrices."""

import re
from typing import Any

import numpy as np
import pytest

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


def shape(one: Asked, run: Run) -> Answer:
    queries, keys = sides(run, one.facts.look["attention"])
    right = (1, run.request.config.n_heads, len(queries), len(keys))
    return one.worded().options.index(str(right))


def cross_sides(one: Asked, run: Run) -> Answer:
    right = "Queries from the decoder; keys and values from the encoder."
    return one.worded().options.index(right)


BY_HAND = {
    "looks_most": looks_most,
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
