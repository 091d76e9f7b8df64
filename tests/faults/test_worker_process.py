"""The worker as a process of its own: it carries out an order, and ends when it should."""

import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from explorer.tasks.tasks import NUMBERS
from explorer.training import worker
from explorer.training.recipes import config_for
from explorer.training.worker import receive, send, state_of, trainer_for
from tests.training.test_worker import ORDER, all_of, of, same, tensors

pytestmark = pytest.mark.all

ROOT = Path(__file__).parents[2]


@pytest.fixture
def process() -> Iterator["subprocess.Popen[bytes]"]:
    with subprocess.Popen(
        [sys.executable, "-m", worker.__name__],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as started:
        guard = threading.Timer(60, started.kill)  # or a worker that never ends would hold us up
        guard.start()
        yield started
        guard.cancel()
        started.kill()


ENDLESS = replace(ORDER, training=replace(ORDER.training, steps=10**6))


def test_an_order_is_carried_out(process: "subprocess.Popen[bytes]") -> None:
    assert process.stdin is not None
    assert process.stdout is not None
    order = replace(
        ORDER, task=NUMBERS, config=config_for(NUMBERS, d_model=8, n_heads=2, n_layers=1)
    )
    send(process.stdin, order.message() | {"done": 0})
    messages = list(all_of(process.stdout))
    assert {m["event"] for m, _ in messages} == {"accuracy", "weights", "progress", "ended"}
    assert sum(len(m["losses"]) for m, _ in of("progress", messages)) == 12
    trained = trainer_for(order, b"", 0)
    for _ in trained.steps():
        pass
    last, state = messages[-1]
    assert (last["event"], last["step"]) == ("ended", 12)
    assert same(tensors(state), tensors(state_of(trained)))
    assert process.wait() == 0


def test_told_to_stop_it_does(process: "subprocess.Popen[bytes]") -> None:
    assert process.stdin is not None
    assert process.stdout is not None
    send(process.stdin, ENDLESS.message() | {"done": 0})
    for message, _ in all_of(process.stdout):
        if message["event"] == "progress":
            break
    send(process.stdin, {"stop": True})
    *_, (last, state) = all_of(process.stdout)
    assert last["event"] == "ended"
    assert 0 < last["step"] < 10**6
    assert "exp_avg/to_logits.bias" in tensors(state)
    assert process.wait() == 0


def test_it_ends_when_nobody_is_there_any_more(process: "subprocess.Popen[bytes]") -> None:
    assert process.stdin is not None
    assert process.stdout is not None
    send(process.stdin, ENDLESS.message() | {"done": 0})
    assert receive(process.stdout) is not None  # it trains
    process.stdin.close()
    assert process.wait() == 0
