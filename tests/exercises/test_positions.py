"""Questions about positions, answered with the paper's formula."""

import math
import re

import numpy as np
import pytest

from explorer.exercises.question import Answer, Question
from explorer.runtime.engine import Run
from tests.exercises.runs import MODELS, asked, check, kinds_about, option


def wave(position: int, dimension: int, d_model: int) -> float:
    angle = position / 10000 ** (dimension // 2 * 2 / d_model)
    return math.cos(angle) if dimension % 2 else math.sin(angle)


def encoding(position: int, d_model: int) -> np.ndarray:
    return np.array([wave(position, dimension, d_model) for dimension in range(d_model)])


def numbers(text: str) -> list[int]:
    return [int(found) for found in re.findall(r"\d+", text)]


def nearest_encoding(question: Question, run: Run) -> Answer:
    (at,) = numbers(question.text)
    wanted = encoding(at, run.request.config.d_model)[:4]
    shown = [[float(x.replace("−", "-")) for x in o.split(", ")] for o in question.options]
    distances = [np.abs(np.array(row) - wanted).max() for row in shown]
    assert min(distances) < 0.006
    return int(np.argmin(distances))


def slowest(question: Question, run: Run) -> Answer:
    d_model = run.request.config.d_model
    lengths = [10000 ** (numbers(o)[0] / d_model) for o in question.options]
    return int(np.argmax(lengths))


def alike(question: Question, run: Run) -> Answer:
    d_model, at = run.request.config.d_model, numbers(question.text)[-1]
    return int(
        np.argmax(
            [encoding(numbers(o)[0], d_model) @ encoding(at, d_model) for o in question.options]
        )
    )


def squared(question: Question, run: Run) -> Answer:
    return run.request.config.d_model / 2


def longer(question: Question, run: Run) -> Answer:
    at = numbers(question.text)[-1]
    d_model = run.request.config.d_model
    model, ids = run.loaded.model, run.batch.src
    table = "src_embedding.token.weight"
    if not run.request.config.has_encoder:
        table, ids = "tgt_embedding.token.weight", run.batch.tgt_in
    word = model.state_dict()[table][ids[run.row, at]].double().numpy() * math.sqrt(d_model)
    length = float(re.search(r"length (\d+\.\d+)", question.text)[1])
    assert abs(np.linalg.norm(word) / math.sqrt(d_model) - length) < 0.001
    return int(np.linalg.norm(encoding(at, d_model)) > np.linalg.norm(word))


BY_HAND = {
    "which_encoding": nearest_encoding,
    "slowest": slowest,
    "more_alike": alike,
    "squared_length": squared,
    "longer_part": longer,
    "other_place": lambda question, run: question.options.index(
        "What is added for the position, and nothing else."
    ),
    "without_positions": lambda question, run: question.options.index(
        "The same vectors, in reverse order."
    ),
}


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("kind", kinds_about("positions"))
def test_the_answer_follows_from_the_formula(kind: str, name: str) -> None:
    check(kind, name, BY_HAND[kind])


def test_the_wrong_encodings_are_those_of_the_positions_that_are_named() -> None:
    for question in asked("which_encoding", "untrained"):
        wrong = numbers(question.explanation.rpartition("positions")[2])
        shown = [o for o in question.options if o != option(question)]
        for at, text in zip(wrong, shown, strict=True):
            row = [float(x.replace("−", "-")) for x in text.split(", ")]
            np.testing.assert_allclose(row, encoding(at, 32)[:4], atol=0.006)


def test_with_rotary_positions_nothing_is_asked_about_waves() -> None:
    for kind in ("which_encoding", "squared_length"):
        assert not asked(kind, "other parts")
