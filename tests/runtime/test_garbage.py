"""What runs leave behind is cleared away."""

import gc
import sys
import threading
import weakref

from explorer.runtime.garbage import start_garbage_collector
from explorer.runtime.turns import in_turn


def test_cycles_that_a_run_leaves_are_cleared_away_soon() -> None:
    class Node:
        def __init__(self) -> None:
            self.me = self

    thresholds, interval = gc.get_threshold(), sys.getswitchinterval()
    try:
        gone, tidied_after = threading.Event(), threading.Event()
        start_garbage_collector(lambda: tidied_after.set() if gone.is_set() else None)

        @in_turn
        def run() -> None:
            weakref.finalize(Node(), gone.set)

        run()
        assert gone.wait(10)
        assert tidied_after.wait(10)
    finally:
        gc.set_threshold(*thresholds)
        sys.setswitchinterval(interval)
        gc.unfreeze()
