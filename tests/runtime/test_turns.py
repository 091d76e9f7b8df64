"""One run at a time, the others wait; what they leave behind is cleared away."""

import gc
import math
import sys
import threading
import time
import weakref
from concurrent.futures import ThreadPoolExecutor

import pytest

from explorer.runtime import turns
from explorer.runtime.turns import busy_share, in_turn, keep_house, others_meanwhile, turn

SLOW = 2


class Crowd:
    """Counts who is inside at once."""

    def __init__(self) -> None:
        self.inside = self.most = 0
        self.lock = threading.Lock()

    def __enter__(self) -> None:
        with self.lock:
            self.inside += 1
            self.most = max(self.most, self.inside)

    def __exit__(self, *_: object) -> None:
        with self.lock:
            self.inside -= 1


def test_one_runs_at_a_time_and_all_of_them_run() -> None:
    crowd = Crowd()

    @in_turn
    def run(number: int) -> int:
        with crowd, turn():  # a turn within a turn waits for nobody
            threading.Event().wait(0.005)
        return number

    with ThreadPoolExecutor(12) as people:
        assert list(people.map(run, range(40))) == list(range(40))
    assert crowd.most == 1


def test_a_run_that_fails_gives_its_turn_back() -> None:
    for _ in range(2):
        with pytest.raises(ValueError, match="broken"), turn():
            raise ValueError("broken")
    with ThreadPoolExecutor(1) as other:
        assert other.submit(in_turn(lambda: "ran")).result(timeout=5) == "ran"


def test_others_go_on_while_something_slow_is_waited_for() -> None:
    slow_ones, go_on = threading.Barrier(SLOW + 1), threading.Event()
    crowd = Crowd()

    @in_turn
    def slowly() -> None:
        with others_meanwhile():
            slow_ones.wait(10)
            assert go_on.wait(10)
        with crowd:
            threading.Event().wait(0.01)

    @in_turn
    def quickly() -> str:
        with crowd:
            return "ran"

    with ThreadPoolExecutor(SLOW + 3) as people:
        slow = [people.submit(slowly) for _ in range(SLOW)]
        slow_ones.wait(10)
        try:
            assert [people.submit(quickly).result(timeout=5) for _ in range(3)] == ["ran"] * 3
        finally:
            go_on.set()
        for one in slow:
            one.result(timeout=10)
    assert crowd.most == 1


class Clock:
    """Time that passes only when told to."""

    def __init__(self) -> None:
        self.now = 1000.0

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        """For the thread that collects garbage, if an earlier test has started it."""
        time.sleep(seconds)


def test_how_busy_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock()
    monkeypatch.setattr(turns, "time", clock)
    monkeypatch.setattr(turns, "_taken", turns._Share())
    assert busy_share() == 0
    for _ in range(100):  # half of the time; a quarter is left to others meanwhile
        with turn():
            clock.now += 0.2
            with others_meanwhile():
                clock.now += 0.1
        clock.now += 0.1
    assert busy_share() == pytest.approx(0.5, abs=0.03)
    clock.now += turns.RECENT
    assert busy_share() == pytest.approx(0.5 / math.e, abs=0.03)
    clock.now += 100
    assert busy_share() == pytest.approx(0, abs=0.01)
    with turn():
        clock.now += 100
    assert busy_share() == 1


def test_cycles_that_a_run_leaves_are_cleared_away_soon() -> None:
    class Node:
        def __init__(self) -> None:
            self.me = self

    thresholds, interval = gc.get_threshold(), sys.getswitchinterval()
    try:
        gone, tidied_after = threading.Event(), threading.Event()
        keep_house(lambda: tidied_after.set() if gone.is_set() else None)

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
