"""Questions about the steps of one attention, worked out with its q, k and v."""

import math
import re
from typing import Any

import numpy as np
import pytest

from explorer.exercises.question import Answer, Question
from explorer.exercises.reading import names
from explorer.runtime.engine import Run
from tests.exercises.runs import MODELS, asked, check, kinds_about, open_cells_by_hand
from tests.exercises.test_attention import sides


def heads(question: Question, run: Run) -> tuple[np.ndarray, ...]:
    focus: Any = question.focus
    trace = run.trace.attention(focus.kind, focus.layer)
    return tuple(x[0, focus.head].double().numpy() for x in (trace.q, trace.k, trace.v))


def row(question: Question, run: Run, *, divided: bool = True) -> np.ndarray:
    """The scores of a query, hidden keys included."""
    q, k, _ = heads(question, run)
    divides = divided and run.request.config.scale_scores
    return k @ q[question.focus.query] / (math.sqrt(q.shape[1]) if divides else 1.0)


def weights(scores: np.ndarray, seen: np.ndarray) -> np.ndarray:
    grown = np.where(seen, np.exp(scores - scores[seen].max()), 0.0)
    return grown / grown.sum()


def seen(question: Question, run: Run) -> np.ndarray:
    return open_cells_by_hand(run, question.focus.kind)[question.focus.query]


def score(question: Question, run: Run) -> Answer:
    by_hand = float(row(question, run)[question.focus.key])
    assert isinstance(question.right, float)
    assert abs(by_hand - question.right) < 0.006  # the text gives two decimals of q·k
    return question.right


def two(question: Question, run: Run) -> Answer:
    first, second = (
        float(found.replace("−", "-"))
        for found in re.findall(r"of (−?\d+\.\d+) with", question.text)
    )
    assert abs(row(question, run)[question.focus.key] - first) < 0.006
    by_hand = 1 / (1 + math.exp(second - first))
    assert isinstance(question.right, float)
    assert abs(by_hand - question.right) < 0.003  # the text gives two decimals
    return question.right


def unscaled(question: Question, run: Run) -> Answer:
    found = weights(row(question, run, divided=False), seen(question, run))
    said = f"{found[question.focus.key]:.2f}, sharper"
    return question.options.index(said)


def contributes(question: Question, run: Run) -> Answer:
    _, _, v = heads(question, run)
    found = weights(row(question, run), seen(question, run))
    best = int(np.argmax([np.linalg.norm(w * part) for w, part in zip(found, v, strict=True)]))
    return question.options.index(names(sides(run, question.focus.kind)[1])[best])


def hidden(question: Question, run: Run) -> Answer:
    assert not seen(question, run)[question.focus.key]
    return 0.0


def divisor(question: Question, run: Run) -> Answer:
    config = run.request.config
    return math.sqrt(config.d_model / config.n_heads)


def concat(question: Question, run: Run) -> Answer:
    config = run.request.config
    width = config.d_model if config.d_kv is None else config.n_heads * config.d_kv
    return len(sides(run, question.focus.kind)[0]), width


BY_HAND = {
    "score": score,
    "softmax_of_two": two,
    "without_scaling": unscaled,
    "contributes_most": contributes,
    "hidden_weight": hidden,
    "share_of_value": lambda question, run: next(
        at for at, option in enumerate(question.options) if option.startswith("The value v of")
    ),
    "divisor": divisor,
    "concat_width": concat,
}


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("kind", kinds_about("steps"))
def test_the_answer_follows_from_q_k_and_v(kind: str, name: str) -> None:
    check(kind, name, BY_HAND[kind])


def test_the_numbers_in_the_text_lead_to_the_score() -> None:
    for question in asked("score", "translator"):
        dot = float(re.search(r"q·k = (−?\d+\.\d+)", question.text)[1].replace("−", "-"))
        d_k = int(re.search(r"d_k = (\d+)", question.text)[1])
        assert abs(dot / math.sqrt(d_k) - question.right) < question.tolerance


@pytest.mark.parametrize("kind", ["score", "without_scaling", "divisor"])
def test_a_model_that_does_not_divide_is_not_asked_about_it(kind: str) -> None:
    assert not asked(kind, "other parts")
