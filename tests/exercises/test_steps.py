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


def q_k_v(question: Question, run: Run) -> tuple[np.ndarray, ...]:
    focus: Any = question.focus
    trace = run.trace.attention(focus.kind, focus.layer)
    return tuple(x[0, focus.head].double().numpy() for x in (trace.q, trace.k, trace.v))


def scores_of_query(question: Question, run: Run, *, divided: bool = True) -> np.ndarray:
    """The scores of a query, hidden keys included."""
    q, k, _ = q_k_v(question, run)
    divides = divided and run.request.config.scale_scores
    return k @ q[question.focus.query] / (math.sqrt(q.shape[1]) if divides else 1.0)


def weights(scores: np.ndarray, is_open: np.ndarray) -> np.ndarray:
    exponentials = np.where(is_open, np.exp(scores - scores[is_open].max()), 0.0)
    return exponentials / exponentials.sum()


def open_to_query(question: Question, run: Run) -> np.ndarray:
    return open_cells_by_hand(run, question.focus.kind)[question.focus.query]


def score(question: Question, run: Run) -> Answer:
    by_hand = float(scores_of_query(question, run)[question.focus.key])
    assert isinstance(question.right, float)
    assert abs(by_hand - question.right) < 0.006  # the text gives two decimals of q·k
    return question.right


def softmax_of_two(question: Question, run: Run) -> Answer:
    first, second = (
        float(shown.replace("−", "-"))
        for shown in re.findall(r"of (−?\d+\.\d+) with", question.text)
    )
    assert abs(scores_of_query(question, run)[question.focus.key] - first) < 0.006
    by_hand = 1 / (1 + math.exp(second - first))
    assert isinstance(question.right, float)
    assert abs(by_hand - question.right) < 0.003  # the text gives two decimals
    return question.right


def without_scaling(question: Question, run: Run) -> Answer:
    w = weights(scores_of_query(question, run, divided=False), open_to_query(question, run))
    option = f"{w[question.focus.key]:.2f}, sharper"
    return question.options.index(option)


def contributes_most(question: Question, run: Run) -> Answer:
    _, _, v = q_k_v(question, run)
    w = weights(scores_of_query(question, run), open_to_query(question, run))
    best = int(np.argmax(w * np.linalg.norm(v, axis=1)))
    return question.options.index(names(sides(run, question.focus.kind)[1])[best])


def hidden_weight(question: Question, run: Run) -> Answer:
    assert not open_to_query(question, run)[question.focus.key]
    return 0.0


BY_HAND = {
    "score": score,
    "softmax_of_two": softmax_of_two,
    "without_scaling": without_scaling,
    "contributes_most": contributes_most,
    "hidden_weight": hidden_weight,
    "share_of_value": lambda question, run: next(
        at for at, option in enumerate(question.options) if option.startswith("The value v of")
    ),
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


@pytest.mark.parametrize("kind", ["score", "without_scaling"])
def test_a_model_that_does_not_divide_is_not_asked_about_it(kind: str) -> None:
    assert not asked(kind, "other parts")
