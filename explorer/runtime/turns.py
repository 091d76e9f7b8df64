"""Page runs take turns: for a room full of people.

Computing threads compete for the interpreter's lock, with each other and with the one thread that
talks to all browsers. A run that calls torch releases the lock a hundred times, and waits each time
to get it back: two runs at once take several times as long as two in a row. So pages run one at a
time, except for the computation of a large model.

Whoever came first goes first. But those who follow in a room wait for the one who leads, also in
the middle of a run, and long work gives way between its steps: then it goes behind those who have
worked less. What is paused must not hold a lock that others wait for within their turn: `ByteCache`
lets its values be waited for outside of it.
"""

import math
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import wraps
from typing import Final, ParamSpec, TypeVar

from explorer.runtime.garbage import left_something

P = ParamSpec("P")
T = TypeVar("T")

RECENT: Final = 5.0  # seconds that `busy_share` covers, roughly
SHORT: Final = 0.25  # seconds: shorter runs are not paused, since equal ones would all end late
SLICE: Final = 0.05  # seconds that one may go on while others wait
LONG: Final = 1.0  # seconds that a long run waits behind those who came later, at most
_this_thread: Final = threading.local()


class _Share:
    """The share of time spent busy; older time counts less."""

    def __init__(self) -> None:
        self._seconds = 0.0  # weighted by age
        self._since = time.monotonic()

    def add(self, seconds: float) -> None:
        """Count the last `seconds` as busy."""
        self._seconds = RECENT * self.now() + seconds
        self._since = time.monotonic()

    def now(self) -> float:
        """The share, from 0 to 1."""
        ago = time.monotonic() - self._since
        return min(1.0, self._seconds / RECENT * math.exp(-ago / RECENT))


@dataclass(eq=False, slots=True)
class _Run:
    """A run that has the turn or waits for it."""

    room: str = ""  # in which somebody leads, or follows
    leads: bool = False
    taken: float = 0.0  # seconds that it has had the turn
    since: float = 0.0  # when it began to wait, or its turn began
    called: threading.Event = field(default_factory=threading.Event)


class Turns:
    """One turn, for one run at a time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: _Run | None = None
        self._waiting: list[_Run] = []

    def begin(self, run: _Run) -> None:
        """Wait for the turn."""
        with self._lock:
            run.since = time.monotonic()
            if self._running is not None:
                run.called.clear()
                self._waiting.append(run)
            else:
                self._running = run
                return
        run.called.wait()

    def end(self, run: _Run, *, pauses: bool = False) -> None:
        """Pass the turn on to the next; a run that only `pauses` will wait for it again at once."""
        with self._lock:
            now = time.monotonic()
            run.taken += now - run.since
            self._running = self._next(run if pauses else None)
            if self._running is not None:
                self._waiting.remove(self._running)
                self._running.since = now
                self._running.called.set()

    def should_give_way(self, run: _Run, *, to_all: bool) -> bool:
        """Whether a run should let others go first: `to_all` at once, else after a while.

        Who leads does not give way to followers; they do to the one who leads, at once.
        """
        waiting = self._others(run)
        follows = run.room and not run.leads
        if follows and any(one.leads and one.room == run.room for one in waiting):
            return True
        held = time.monotonic() - run.since
        return bool(waiting) and (to_all or (held >= SLICE and run.taken + held >= SHORT))

    def _others(self, run: _Run | None) -> list[_Run]:
        """Those who wait, without the followers of this run."""
        if run is None or not (run.leads and run.room):
            return self._waiting
        return [one for one in self._waiting if one.leads or one.room != run.room]

    def _next(self, paused: _Run | None) -> _Run | None:
        first = min(
            self._others(paused), key=lambda run: run.since + min(run.taken, LONG), default=None
        )
        if first is None or not first.room:
            return first
        # Whoever follows waits for the one who leads: all will show the same.
        leaders = (run for run in self._waiting if run.leads and run.room == first.room)
        return next(leaders, first)


_taken: Final = _Share()
_turns: Final = Turns()


@dataclass(slots=True)
class _Asked:
    """Callbacks that only the pages can give."""

    room: Callable[[], tuple[str, bool]] = lambda: ("", False)
    go_on: Callable[[], None] = lambda: None


_asked: Final = _Asked()


def ask(*, room: Callable[[], tuple[str, bool]], go_on: Callable[[], None]) -> None:
    """Ask `room` in which room a run is, and whether it leads there.

    `go_on` is called after a pause: it raises what ends the run.
    """
    _asked.room, _asked.go_on = room, go_on


@contextmanager
def turn() -> Iterator[None]:
    """Wait for a turn and hold it; within a turn, go on at once."""
    if _has_turn():
        yield
        return
    _this_thread.run = _Run(*_asked.room())
    _begin_turn()
    try:
        yield
    finally:
        _end_turn()
        left_something.set()


@contextmanager
def release_turn() -> Iterator[None]:
    """Give up the turn while the block runs."""
    if not _has_turn():
        yield
        return
    _end_turn()
    try:
        yield
    finally:
        _begin_turn()


def give_way(*, to_all: bool = False) -> None:
    """Between two steps of long work: let others go first, but no followers before who leads them.

    `to_all` does so at once, not only in long work: where nobody waits for the work, or to hear
    what they want. Call it where nothing is locked, and where the work may end: if the run has been
    replaced meanwhile, it does.
    """
    if _has_turn() and _turns.should_give_way(_this_thread.run, to_all=to_all):
        _end_turn(pauses=True)
        _begin_turn()
        _asked.go_on()


def giving_way(steps: Iterable[T], *, to_all: bool = False) -> Iterator[T]:
    """The steps, with others let in between; `to_all` is for work that nobody waits for."""
    for step in steps:
        yield step
        give_way(to_all=to_all)


def busy_share() -> float:
    """The share of the last seconds in which somebody had the turn, from 0 to 1."""
    return _taken.now()


def _begin_turn() -> None:
    _turns.begin(_this_thread.run)
    _this_thread.has_turn = True


def _end_turn(*, pauses: bool = False) -> None:
    run: _Run = _this_thread.run
    _taken.add(time.monotonic() - run.since)
    _this_thread.has_turn = False
    _turns.end(run, pauses=pauses)


def in_turn(function: Callable[P, T]) -> Callable[P, T]:
    """Make the function wait for a turn."""

    @wraps(function)
    def waiting(*args: P.args, **kwargs: P.kwargs) -> T:
        with turn():
            return function(*args, **kwargs)

    return waiting


def _has_turn() -> bool:
    return getattr(_this_thread, "has_turn", False)
