"""The worker as a process of its own. That it carries out an order: tests/training."""

import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from explorer.training import worker
from explorer.training.worker import receive, send
from tests.training.test_worker import ORDER

pytestmark = pytest.mark.all

ROOT = Path(__file__).parents[2]
ENDLESS = replace(ORDER, training=replace(ORDER.training, steps=10**6))


def test_it_ends_when_nobody_is_there_any_more() -> None:
    command = [sys.executable, "-m", worker.__name__]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe) as process:
        guard = threading.Timer(60, process.kill)  # or a worker that never ends would hold us up
        guard.start()
        assert process.stdin is not None
        assert process.stdout is not None
        send(process.stdin, ENDLESS.message() | {"done": 0})
        assert receive(process.stdout) is not None  # it trains
        process.stdin.close()
        assert process.wait() == 0
        guard.cancel()
