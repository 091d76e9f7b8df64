"""Questions about attention, answered from the weight matrices."""

import re
from typing import Any

import numpy as np
import pytest

from explorer.exercises.draw import ask
from explorer.exercises.question import Answer, Question
from explorer.exercises.reading import names
from explorer.runtime.engine import Run
from tests.exercises.runs import (
    MODELS,
    asked,
    check,
    kinds_about,
    open_cells_by_hand,
    option,
    run_of,
    weights_by_hand,
)

PLAIN = [name for name in MODELS if name != "other parts"]  # no rotary, and q·k ÷ √d_k


def sides(run: Run, kind: str | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
    queries = run.src_labels if kind == "encoder" else run.tgt_labels
    return queries, run.tgt_labels if kind == "decoder" else run.src_labels


def weights(question: Question, run: Run) -> np.ndarray:
    focus: Any = question.focus
    return weights_by_hand(run, focus.kind, focus.layer)


def looks_most(question: Question, run: Run) -> Answer:
    focus = question.focus
    row = weights(question, run)[focus.head, focus.query]
    best = names(sides(run, focus.kind)[1])[int(row.argmax())]
    return question.options.index(best)


def left_over(question: Question, run: Run) -> Answer:
    focus = question.focus
    return float(1 - weights(question, run)[focus.head, focus.query].max())


JOBS = {
    "it looks at the word itself": lambda at, n: at,
    "it looks at the token before": lambda at, n: at - 1,
    "it looks at the token after": lambda at, n: at + 1,
    "it looks at the first token": lambda at, n: 0,
    "it looks at the last token": lambda at, n: n - 1,
}


def job(question: Question, run: Run) -> Answer:
    """The only job that fits the queries and keys in the question."""
    labels = sides(run, question.focus.kind)[0]
    n, called = len([label for label in labels if label != "PAD"]), names(labels)
    pairs = re.findall(r"“([^”]+)” looks at “([^”]+)” with", question.text)
    assert len(pairs) == 3
    looks = [(called.index(query), called.index(key)) for query, key in pairs]
    start = labels.index(next(label for label in labels if label != "PAD"))
    fits = [
        name for name, of in JOBS.items()
        if all(key - start == of(query - start, n) for query, key in looks)
    ]  # fmt: skip
    assert len(fits) == 1
    return question.options.index(fits[0])


def test_a_head_that_was_taught_is_said_to_do_its_job_elsewhere_too() -> None:
    """The heads of self-attention in docs/translator.md; numbers of layers and heads from 1."""
    taught = {("encoder", 1, 1), ("encoder", 1, 4)} | {
        ("decoder", layer, head) for layer, head in ((1, 1), (1, 2), (2, 8), (3, 5))
    }
    drawn = [
        ask("job_of_head", run_of("translator"), np.random.default_rng(seed)) for seed in range(40)
    ]
    told = set()
    for question in filter(None, drawn):
        focus: Any = question.focus
        is_taught = (focus.kind, focus.layer + 1, focus.head + 1) in taught
        assert ("was taught where to look" in question.explanation) == is_taught
        assert ("may do something else" in question.explanation) != is_taught
        told.add(is_taught)
    assert told == {True, False}


def twice(question: Question, run: Run) -> Answer:
    return run.request.config.d_model // (2 * run.request.config.n_heads)


def shape(question: Question, run: Run) -> Answer:
    queries, keys = sides(run, question.focus.kind)
    return 1, run.request.config.n_heads, len(queries), len(keys)


def cross_sides(question: Question, run: Run) -> Answer:
    return question.options.index("Queries from the decoder; keys and values from the encoder.")


BY_HAND = {
    "looks_most": looks_most,
    "left_over": left_over,
    "job_of_head": job,
    "twice_the_heads": twice,
    "scores_shape": shape,
    "cross_sides": cross_sides,
}


@pytest.mark.parametrize("name", PLAIN)
@pytest.mark.parametrize("kind", kinds_about("attention"))
def test_the_answer_follows_from_the_matrices(kind: str, name: str) -> None:
    check(kind, name, BY_HAND[kind])


@pytest.mark.parametrize("kind", ["looks_most"])
def test_the_bars_are_the_weights_of_the_options(kind: str) -> None:
    for question in asked(kind, "translator"):
        assert question.bars is not None
        assert question.bars.labels == question.options
        assert question.options[int(np.argmax(question.bars.values))] == option(question)


@pytest.mark.parametrize("name", PLAIN)
def test_the_scores_and_the_mask_in_the_question_give_the_largest_weight(name: str) -> None:
    for question in asked("looks_most", name):
        pairs = re.findall(r"“([^”]+)” (−?\d+\.\d+)", question.text.partition("mask:")[2])
        labels = names(sides(run_of(name), question.focus.kind)[1])
        seen = open_cells_by_hand(run_of(name), question.focus.kind)[question.focus.query]
        scores = {key: float(score.replace("−", "-")) for key, score in pairs}
        assert tuple(scores) == question.options
        open_keys = [key for key in scores if seen[labels.index(key)]]
        assert option(question) == max(open_keys, key=lambda key: scores[key])


def test_twice_the_heads_is_not_asked_where_they_do_not_fit() -> None:
    assert run_of("other parts").request.config.d_kv == 5
    assert not asked("twice_the_heads", "other parts")
