"""Questions about positions, answered with the paper's formula."""

import math
import re

import numpy as np
import pytest

from explorer.exercises.facts import Asked
from explorer.exercises.question import Answer
from explorer.runtime.engine import Run
from tests.exercises.runs import MODELS, asked, check, kinds_about


def encoding(position: int, d_model: int) -> np.ndarray:
    angles = [position / 10000 ** (i // 2 * 2 / d_model) for i in range(d_model)]
    return np.array([math.cos(a) if i % 2 else math.sin(a) for i, a in enumerate(angles)])


def longer(one: Asked, run: Run) -> Answer:
    text, d_model = one.worded().text, run.request.config.d_model
    at = int(re.findall(r"position (\d+)", text)[0])
    table, ids = "src_embedding.token.weight", run.batch.src
    if not run.request.config.has_encoder:
        table, ids = "tgt_embedding.token.weight", run.batch.tgt_in
    word = run.loaded.model.state_dict()[table][ids[run.row, at]].double().numpy()
    told = float(re.findall(r"length (\d+\.\d+)", text)[0])
    assert abs(np.linalg.norm(word) - told) < 0.001
    longest = math.sqrt(d_model) * np.linalg.norm(word)
    return int(np.linalg.norm(encoding(at, d_model)) > longest)


def turned(one: Asked, run: Run) -> Answer:
    return one.worded().options.index("The same vectors, in reverse order.")


BY_HAND = {"longer_part": longer, "without_positions": turned}


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("kind", kinds_about("positions"))
def test_the_answer_follows_from_the_formula(kind: str, name: str) -> None:
    check(kind, name, BY_HAND[kind])


def test_with_rotary_positions_nothing_is_asked_about_a_sum() -> None:
    assert not asked("longer_part", "other parts")
