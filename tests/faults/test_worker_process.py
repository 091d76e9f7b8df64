"""The worker as a process of its own: it carries out an order, and ends when it should."""

import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from explorer.training import worker
from explorer.training.worker import receive, send
from tests.training.test_worker import ORDER

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


def test_it_ends_when_nobody_is_there_any_more(process: "subprocess.Popen[bytes]") -> None:
    assert process.stdin is not None
    assert process.stdout is not None
    send(process.stdin, ENDLESS.message() | {"done": 0})
    assert receive(process.stdout) is not None  # it trains
    process.stdin.close()
    assert process.wait() == 0
