"""The estimated cost of a training before it begins."""

import os
from dataclasses import replace
from typing import Any

import pytest

from explorer.config import TrainConfig
from explorer.runtime.memory import estimate
from explorer.tasks.tasks import COPY
from explorer.training import cost
from explorer.training.cost import required_memory, seconds_a_step
from explorer.training.recipes import config_for

TASK = replace(COPY, longest=7)
SMALL = config_for(TASK)
USUAL = TrainConfig(batch_size=16)


def test_memory_is_four_models_and_two_passes_over_the_longest_sentences() -> None:
    one = estimate(SMALL, 16, 8, 8)
    assert required_memory(SMALL, USUAL, TASK) == 4 * one.model + 2 * one.trace


@pytest.mark.parametrize(
    "more",
    [
        {"config": config_for(TASK, d_model=256)},
        {"config": config_for(TASK, n_layers=6)},
        {"training": replace(USUAL, batch_size=64)},
        {"task": replace(TASK, longest=24)},
    ],
    ids=["wider", "deeper", "more sentences", "longer ones"],
)
def test_more_takes_longer_and_needs_more(more: dict[str, Any]) -> None:
    usual: dict[str, Any] = {"config": SMALL, "training": USUAL, "task": TASK}
    assert required_memory(**usual | more) > required_memory(**usual) > 0
    assert seconds_a_step(**usual | more)[0] > seconds_a_step(**usual)[0] > 0


def test_a_busy_machine_takes_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    def seconds_under(load: float) -> tuple[float, float]:
        monkeypatch.setattr(os, "getloadavg", lambda: (load, load, load), raising=False)
        return seconds_a_step(SMALL, USUAL, TASK)

    monkeypatch.setattr(cost, "cores", lambda: 2)
    calm, crowded = seconds_under(0.0), seconds_under(8.0)
    assert crowded[0] == calm[0] < calm[1] < crowded[1]


def test_where_the_system_does_not_tell_its_load(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "getloadavg", raising=False)
    low, high = seconds_a_step(SMALL, USUAL, TASK)
    assert 0 < low < high
