"""Waiting for what another thread, process or browser does."""

import time
from collections.abc import Callable
from typing import Final

PATIENCE: Final = 180.0  # seconds: a worker imports torch, perhaps on a busy machine


def until(condition: Callable[[], object], what: str = "it is true") -> None:
    """Wait until a condition is true."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, f"not yet: {what}"
        time.sleep(0.01)
