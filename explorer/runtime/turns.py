"""When a run of a page may begin, and what is cleared away after it: this is for a full room.

Threads that all compute take the interpreter's lock from each other, and from the one thread that
speaks with every browser. One that calls torch gives the lock away a hundred times a run, and waits
for it each time until the others let go: two runs at a time take several times as long as one after
the other. So pages run one at a time, a large model's own work aside. (Who waits longest need not
be the next one, and callbacks of controls run before the turn.)

Every run leaves reference cycles. Streamlit would look through everything after each one, which
takes longer than the run when there are sixty sessions: here what is young is looked through a few
times a second, and everything now and then.
"""

import gc
import math
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Final, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

LET_GO: Final = 0.0005  # seconds after which a thread lets another have the interpreter's lock
PAUSE: Final = 0.3  # seconds between two collections
THOROUGH: Final = 10.0  # seconds between two that look through everything, in a busy room
QUIET: Final = 60.0  # seconds between two of those after the last run
RECENT: Final = 5.0  # seconds that `busy_share` looks back, roughly
FORGOTTEN: Final = 4  # so many of them: sessions that left are kept for two minutes
_turn: Final = threading.Lock()
_this_thread: Final = threading.local()
_left_something: Final = threading.Event()


class _Share:
    """The share of the time in which something was going on; what is long ago counts less."""

    def __init__(self) -> None:
        self._seconds = 0.0  # weighted by how long ago they are
        self._since = time.monotonic()

    def add(self, seconds: float) -> None:
        """So much of the time until now it was going on."""
        self._seconds = RECENT * self.now() + seconds
        self._since = time.monotonic()

    def now(self) -> float:
        """From 0 to 1."""
        ago = time.monotonic() - self._since
        return min(1.0, self._seconds / RECENT * math.exp(-ago / RECENT))


_taken: Final = _Share()


@contextmanager
def turn() -> Iterator[None]:
    """Do this when it is one's turn. (Within a turn it is.)"""
    if _has_turn():
        yield
        return
    _begin_turn()
    try:
        yield
    finally:
        _end_turn()
        _left_something.set()


@contextmanager
def others_meanwhile() -> Iterator[None]:
    """Let others have this turn, as long as this takes."""
    if not _has_turn():
        yield
        return
    _end_turn()
    try:
        yield
    finally:
        _begin_turn()


def busy_share() -> float:
    """From 0 to 1: how much of the last seconds somebody had the turn."""
    return _taken.now()


def _begin_turn() -> None:
    _turn.acquire()
    _this_thread.has_turn = True
    _this_thread.since = time.monotonic()


def _end_turn() -> None:
    _taken.add(time.monotonic() - _this_thread.since)
    _this_thread.has_turn = False
    _turn.release()


def in_turn(function: Callable[P, T]) -> Callable[P, T]:
    """The function, run when it is one's turn."""

    @wraps(function)
    def waiting(*args: P.args, **kwargs: P.kwargs) -> T:
        with turn():
            return function(*args, **kwargs)

    return waiting


def keep_house() -> None:
    """From now on, clear away what runs leave behind, and let all threads have their say."""
    sys.setswitchinterval(LET_GO)
    gc.collect()
    gc.freeze()  # never again look through all of torch
    # Most of what a run leaves is then still young when it is looked for.
    gc.set_threshold(200_000, 1000, 1000)
    threading.Thread(target=_collect, name="garbage", daemon=True).start()


def _collect() -> None:
    thorough, quiet = time.monotonic(), 0
    while True:
        if _left_something.wait(QUIET):
            quiet = 0
            time.sleep(0.05)  # until the run has ended altogether, its pictures on the way
            _left_something.clear()
            if time.monotonic() - thorough < THOROUGH:
                gc.collect(1)
                time.sleep(PAUSE)
                continue
        elif (quiet := quiet + 1) > FORGOTTEN:
            continue
        gc.collect()
        thorough = time.monotonic()
        time.sleep(PAUSE)


def _has_turn() -> bool:
    return getattr(_this_thread, "has_turn", False)
