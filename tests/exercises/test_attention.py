"""Questions about attention, answered from the weight matrices."""

import numpy as np
import pytest

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


def sides(run: Run, kind: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    queries = run.src_labels if kind == "encoder" else run.tgt_labels
    return queries, run.tgt_labels if kind == "decoder" else run.src_labels


def weights(question: Question, run: Run) -> np.ndarray:
    return weights_by_hand(run, question.focus.kind, question.focus.layer)


def looks_most(question: Question, run: Run) -> Answer:
    focus = question.focus
    row = weights(question, run)[focus.head, focus.query]
    best = names(sides(run, focus.kind)[1])[int(row.argmax())]
    return question.options.index(best)


def left_over(question: Question, run: Run) -> Answer:
    focus = question.focus
    return float(1 - weights(question, run)[focus.head, focus.query].max())


def of_heads(question: Question, values: np.ndarray) -> Answer:
    return question.options.index(f"head {int(values.argmax()) + 1}")


def which_head(question: Question, run: Run) -> Answer:
    focus = question.focus
    return of_heads(question, weights(question, run)[:, focus.query, focus.key])


def with_choice(run: Run, kind: str) -> list[int]:
    labels, seen = sides(run, kind)[0], open_cells_by_hand(run, kind)
    return [q for q, word in enumerate(labels) if word != "PAD" and seen[q].sum() > 1]


def previous(question: Question, run: Run) -> Answer:
    found, seen = weights(question, run), open_cells_by_hand(run, question.focus.kind)
    rows = [q for q in with_choice(run, question.focus.kind) if q and seen[q, q - 1]]
    return of_heads(question, sum(found[:, q, q - 1] for q in rows))


def sharpest(question: Question, run: Run) -> Answer:
    found = weights(question, run)
    return of_heads(
        question, sum(found[:, q].max(axis=1) for q in with_choice(run, question.focus.kind))
    )


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
    "which_head": which_head,
    "previous_head": previous,
    "sharpest_head": sharpest,
    "twice_the_heads": twice,
    "scores_shape": shape,
    "cross_sides": cross_sides,
}


@pytest.mark.parametrize("name", PLAIN)
@pytest.mark.parametrize("kind", kinds_about("attention"))
def test_the_answer_follows_from_the_matrices(kind: str, name: str) -> None:
    check(kind, name, BY_HAND[kind])


@pytest.mark.parametrize("kind", ["looks_most", "which_head", "sharpest_head"])
def test_the_bars_are_the_weights_of_the_options(kind: str) -> None:
    for question in asked(kind, "translator"):
        assert question.bars is not None
        assert question.bars.labels == question.options
        assert question.options[int(np.argmax(question.bars.values))] == option(question)


def test_a_decoders_row_says_what_it_writes() -> None:
    texts = [q.text for q in asked("looks_most", "decoder alone")]
    assert any("which helps to write" in text for text in texts)


def test_twice_the_heads_is_not_asked_where_they_do_not_fit() -> None:
    assert run_of("other parts").request.config.d_kv == 5
    assert not asked("twice_the_heads", "other parts")
