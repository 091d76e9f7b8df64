"""Questions about the steps of one attention, worked out with its q, k and v."""

import math
from typing import Any

import numpy as np
import pytest

from explorer.exercises.draw import ask
from explorer.exercises.facts import Asked
from explorer.exercises.question import Answer
from explorer.runtime.engine import Run
from tests.exercises.runs import (
    MODELS,
    asked,
    check,
    kinds_about,
    numbers_in,
    open_cells_by_hand,
    run_of,
)


def dots(one: Asked, run: Run) -> np.ndarray:
    """q·k of the query with every key, hidden keys included."""
    look: Any = one.facts.look
    trace = run.trace.attention(look["attention"], look["layer"] - 1)
    q, k = (x[0, look["head"] - 1].double().numpy() for x in (trace.q, trace.k))
    return k @ q[look["query"]]


def score(one: Asked, run: Run) -> Answer:
    """From the numbers in the text; q·k is that of the trace."""
    look: Any = one.facts.look
    (dot,) = numbers_in(one.worded().text)
    assert abs(dots(one, run)[look["key"]] - dot) < 0.006
    return dot / math.sqrt(run.request.config.d_k)


def softmax_of_two(one: Asked, run: Run) -> Answer:
    look: Any = one.facts.look
    first, second = numbers_in(one.worded().text)
    divided = math.sqrt(run.request.config.d_k) if run.request.config.scale_scores else 1.0
    assert abs(dots(one, run)[look["key"]] / divided - first) < 0.006
    return math.exp(first) / (math.exp(first) + math.exp(second))


def without_scaling(one: Asked, run: Run) -> Answer:
    look: Any = one.facts.look
    seen = open_cells_by_hand(run, look["attention"])[look["query"]]
    grown = np.where(seen, np.exp(dots(one, run) - dots(one, run)[seen].max()), 0.0)
    return one.worded().options.index(f"{grown[look['key']] / grown.sum():.2f}, sharper")


def hidden_weight(one: Asked, run: Run) -> Answer:
    look: Any = one.facts.look
    assert not open_cells_by_hand(run, look["attention"])[look["query"], look["key"]]
    return 0.0


def share_of_value(one: Asked, run: Run) -> Answer:
    options = one.worded().options
    return next(at for at, option in enumerate(options) if option.startswith("The value v of"))


BY_HAND = {
    "score": score,
    "softmax_of_two": softmax_of_two,
    "without_scaling": without_scaling,
    "hidden_weight": hidden_weight,
    "share_of_value": share_of_value,
}


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("kind", kinds_about("steps"))
def test_the_answer_follows_from_q_and_k(kind: str, name: str) -> None:
    check(kind, name, BY_HAND[kind])


@pytest.mark.parametrize("kind", ["score", "without_scaling"])
def test_a_model_that_does_not_divide_is_not_asked_about_it(kind: str) -> None:
    assert not asked(kind, "other parts")


def test_a_row_that_gets_clearly_sharper_is_searched_until_one_is_found() -> None:
    assert all(ask("without_scaling", run_of("translator"), draw) for draw in range(30))
