"""One run at a time, the others wait; what they leave behind is cleared away."""

import math
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest

from explorer.runtime import turns
from explorer.runtime.cache import ByteCache
from explorer.runtime.turns import (
    busy_share,
    give_way,
    in_turn,
    release_turn,
    turn,
)

SLOW = 2


class Crowd:
    """Counts how many are inside at the same time."""

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
        assert other.submit(in_turn(lambda: "ran")).result(timeout=60) == "ran"


def test_others_go_on_while_something_slow_is_waited_for() -> None:
    slow_ones, go_on = threading.Barrier(SLOW + 1), threading.Event()
    crowd = Crowd()

    @in_turn
    def slowly() -> None:
        with release_turn():
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
            assert [people.submit(quickly).result(timeout=60) for _ in range(3)] == ["ran"] * 3
        finally:
            go_on.set()
        for one in slow:
            one.result(timeout=60)
    assert crowd.most == 1


def steps(turns_taken: list[str], name: str, count: int) -> None:
    """Work of so many steps in one turn, each as long as a slice."""
    for _ in range(count):
        turns_taken.append(name)
        threading.Event().wait(1.1 * turns.SLICE)
        give_way()


ROOMS = defaultdict(
    lambda: ("", False),
    {"leads": ("first", True), "follows": ("first", False), "leads another": ("other", True)},
)


@pytest.fixture
def persons(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits yet; a thread's name says who leads a room, and who follows."""
    monkeypatch.setattr(turns, "_turns", turns.Turns())
    monkeypatch.setattr(turns._asked, "room", lambda: ROOMS[threading.current_thread().name])


def begun(name: str, work: Callable[[], object]) -> threading.Thread:
    thread = threading.Thread(target=in_turn(work), name=name)
    thread.start()
    return thread


def begin_waiting(name: str, order: list[str]) -> None:
    """Start a thread that waits for its turn, during another one's."""
    before = len(turns._turns._waiting)
    begun(name, lambda: order.append(name))
    while len(turns._turns._waiting) == before:
        threading.Event().wait(0.001)


@pytest.mark.usefixtures("persons")
def test_long_work_gives_way_to_whoever_comes() -> None:
    order: list[str] = []

    def work() -> None:
        steps(order, "long", 6)  # it is no longer short
        begin_waiting("short", order)
        steps(order, "long", 3)

    begun("long", work).join(20)
    assert order == [*["long"] * 7, "short", *["long"] * 2]


@pytest.mark.usefixtures("persons")
def test_work_that_nobody_waits_for_lets_everybody_in_after_each_step() -> None:
    order: list[str] = []

    def pieces() -> Iterator[None]:
        for number in range(3):
            order.append("long")
            if number == 0:
                begin_waiting("short", order)
            yield

    begun("long", lambda: [*turns.giving_way(pieces(), to_all=True)]).join(10)
    assert order == ["long", "short", "long", "long"]


@pytest.mark.usefixtures("persons")
def test_long_work_goes_behind_those_who_came_after_it() -> None:
    order: list[str] = []
    came: list[int] = []

    def work(name: str) -> None:
        steps(order, name, 7)  # none of them is short any more
        if not came:
            came.append(len(order))
            begin_waiting("new", order)
        steps(order, name, 7)

    long = [begun(f"long {n}", partial(work, f"long {n}")) for n in range(3)]
    for one in long:
        one.join(20)
    assert order.index("new") == came[0] + 1  # not after all who have been waiting before
    firsts = [order.index(f"long {n}") for n in range(3)]
    assert max(firsts) < 14  # nobody of them ran to the end before the others began


@pytest.mark.usefixtures("persons")
def test_whoever_follows_waits_for_the_one_who_leads_and_for_nobody_else() -> None:
    order: list[str] = []

    def work() -> None:
        for name in ("follows", "alone", "leads another", "leads"):
            begin_waiting(name, order)

    begun("somebody", work).join(20)
    while len(order) < 4:
        threading.Event().wait(0.001)
    assert order == ["leads", "follows", "alone", "leads another"]


@pytest.mark.usefixtures("persons")
def test_who_leads_does_not_give_way_to_followers_and_they_do_at_once() -> None:
    order: list[str] = []

    def pieces(name: str, *come: str) -> Iterator[None]:
        for waits in (*come, ""):
            order.append(name)
            if waits:
                begin_waiting(waits, order)
            yield

    leading = pieces("leads", "follows", "alone")
    begun("leads", lambda: [*turns.giving_way(leading, to_all=True)]).join(10)
    while len(order) < 5:
        threading.Event().wait(0.001)
    assert order == ["leads", "leads", "alone", "leads", "follows"]
    order.clear()
    begun("follows", lambda: [*turns.giving_way(pieces("follows", "leads"))]).join(10)
    assert order == ["follows", "leads", "follows"]


@pytest.mark.usefixtures("persons")
def test_long_work_goes_on_though_others_come_all_the_time() -> None:
    order: list[str] = []
    over = threading.Event()
    heavy = begun("heavy", lambda: steps(order, "heavy", 7))

    def come_and_go(number: int) -> None:
        while not over.is_set():
            in_turn(lambda: over.wait(0.01))()

    light = [threading.Thread(target=come_and_go, args=[n], name=f"light {n}") for n in range(4)]
    for one in light:
        one.start()
    heavy.join(20)
    over.set()
    for one in light:
        one.join(10)
    assert order == ["heavy"] * 7


@pytest.mark.usefixtures("persons")
def test_a_value_made_by_another_run_is_awaited_outside_of_the_turn() -> None:
    """The first is paused while it makes it; if the second kept the turn, both would stop."""
    cache: ByteCache[str] = ByteCache(100)
    order: list[str] = []
    found: list[str] = []

    def make() -> str:
        steps(order, "making", 20)
        return "made"

    threads = [
        begun(name, lambda: found.append(cache.get("key", 1, make))) for name in ("one", "two")
    ]
    for thread in threads:
        thread.join(20)
    assert found == ["made", "made"]
    assert order == ["making"] * 20


@pytest.mark.usefixtures("persons")
def test_a_run_that_was_replaced_while_it_paused_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    class ReplacedError(Exception):
        pass

    def go_on() -> None:
        raise ReplacedError

    monkeypatch.setattr(turns._asked, "go_on", go_on)
    order: list[str] = []
    ended: list[str] = []

    def work() -> None:
        try:
            steps(order, "old", 6)  # it is no longer short
            begin_waiting("new", order)
            steps(order, "old", 3)
        except ReplacedError:
            ended.append("old")

    begun("one", work).join(20)
    assert ended == ["old"]
    begun("two", lambda: order.append("last")).join(10)
    assert order == [*["old"] * 7, "new", "last"]


class Clock:
    """Time that passes only when told to."""

    def __init__(self) -> None:
        self.now = 1000.0

    def monotonic(self) -> float:
        return self.now


def test_the_busy_share(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock()
    monkeypatch.setattr(turns, "time", clock)
    monkeypatch.setattr(turns, "_taken", turns._Share())
    monkeypatch.setattr(turns, "_turns", turns.Turns())
    assert busy_share() == 0
    for _ in range(100):  # half of the time; a quarter is left to others meanwhile
        with turn():
            clock.now += 0.2
            with release_turn():
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
