"""Trainings of several people: first come, first served, and nothing is lost by a pause."""

import signal
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

import pytest

from explorer.config import TrainConfig
from explorer.tasks.tasks import COPY
from explorer.training import pool
from explorer.training.pool import Training, Trainings
from explorer.training.recipes import config_for
from explorer.training.worker import Order
from tests.support.waiting import until

pytestmark = pytest.mark.slow

SHORT = Order(
    task=COPY,
    config=config_for(COPY, d_model=8, n_heads=2, n_layers=1),
    training=TrainConfig(steps=10, warmup=5, batch_size=4),
)
LONG = replace(SHORT, training=replace(SHORT.training, steps=1_000_000))


Begin = Callable[[str, Order], Training]


@pytest.fixture
def trainings() -> Iterator[Trainings]:
    """One at a time; everybody is there, and there is memory."""
    made = Trainings(1, lambda _: True, lambda _: nullcontext(True))
    yield made
    for training in list(made._by_token.values()):
        made.drop(training)


@pytest.fixture
def begin(trainings: Trainings) -> Begin:
    """Have a person train."""

    def begun(person: str, order: Order) -> Training:
        training = trainings.new(person, order)
        trainings.start(training)
        return training

    return begun


def test_a_long_training_trains_on_alone_is_paused_for_others_and_goes_on_when_resumed(
    begin: Begin, trainings: Trainings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "TURN", 0.0)
    long = begin("one", LONG)
    until(lambda: long.step > 5)
    process, at = long.process, long.step
    until(lambda: long.step > at + 100)
    assert long.process is process
    monkeypatch.setattr(pool, "TURN", 1.0)
    short = begin("two", SHORT)
    assert trainings.position(short) == 0
    until(lambda: long.phase == "paused" and long.process is None)
    assert long.had_its_turn
    at = long.step
    monkeypatch.setattr(pool, "TURN", 1000.0)
    trainings.start(long)
    until(lambda: short.phase == "done")
    assert short.step == 10
    until(lambda: long.phase == "training" and long.step > at)
    assert len(long.losses) == long.step  # none is missing, none is there twice


@pytest.mark.all
def test_a_training_that_was_ended_goes_on_where_it_was(begin: Begin, trainings: Trainings) -> None:
    """First it is paused, then its worker is killed: it goes on from its last weights."""
    long = begin("one", LONG)
    until(lambda: long.latest > 0)
    trainings.pause(long)
    until(lambda: long.process is None)
    at = long.latest
    assert at == long.step > 0
    trainings.start(long)
    until(lambda: long.phase == "training" and long.latest > at)
    assert long.process is not None
    long.process.send_signal(signal.SIGKILL)
    until(lambda: long.phase == "failed" and long.process is None)
    assert long.why == pool.ENDED
    at = long.latest
    # The state that it was ended with first is older.
    assert trainings._resume_state(long) == trainings._kept.find((long.token, "latest"))
    long.losses.append(0.0)  # as if it had reported more after these weights
    trainings.start(long)
    until(lambda: long.phase == "training" and long.step > at)
    assert len(long.losses) == long.step


@pytest.mark.all
def test_a_paused_training_that_was_forgotten_begins_again(
    begin: Begin, trainings: Trainings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "REMEMBERED", 1)
    old = begin("one", LONG)
    until(lambda: old.latest > 0)
    trainings.pause(old)
    until(lambda: old.process is None)
    trainings.new("two", SHORT)
    assert trainings.by_token(old.token) is None
    trainings.start(old)
    assert trainings.by_token(old.token) is old
    until(lambda: old.phase == "training" and old.step > 0)
    assert old.began[1] == 0
    assert len(old.losses) == old.step


def test_the_training_of_somebody_who_has_left_is_paused(
    begin: Begin, trainings: Trainings, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = {"one", "two"}
    monkeypatch.setattr(trainings, "_is_here", here.__contains__)
    runs, waits = begin("one", LONG), begin("two", LONG)
    until(lambda: runs.step > 0)
    here.remove("two")
    until(lambda: waits.phase == "paused")
    assert runs.phase == "training"
    here.remove("one")
    until(lambda: runs.phase == "paused" and runs.process is None)
    assert runs.latest == runs.step > 0


@pytest.mark.all
def test_nobody_waits_while_a_state_is_written(
    begin: Begin, trainings: Trainings, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock: Any = trainings._lock
    held: list[bool] = []
    for name in ("_on_disk", "_weights_only"):
        work = getattr(pool, name)

        def noted(state: bytes, work: Callable[[bytes], Any] = work) -> Any:
            held.append(lock._is_owned())
            return work(state)

        monkeypatch.setattr(pool, name, noted)
    short = begin("one", SHORT)
    until(lambda: short.phase == "done")
    assert held == [False, False]
    assert trainings._states.find(short.token) is not None
