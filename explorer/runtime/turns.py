"""Page runs take turns, and garbage is collected in the background: for a room full of people.

Computing threads compete for the interpreter's lock, with each other and with the one thread that
talks to all browsers. A run that calls torch releases the lock a hundred times, and waits each time
to get it back: two runs at once take several times as long as two in a row. So pages run one at a
time, except for the computation of a large model. (Turns are not first come, first served, and
callbacks of controls run before the turn.)

Every run leaves reference cycles. Streamlit would run a full collection after each run, which takes
longer than the run when there are sixty sessions. Here young objects are collected a few times a
second, and all objects now and then.
"""

import gc
import logging
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

LET_GO: Final = 0.0005  # seconds after which a thread yields the interpreter's lock
PAUSE: Final = 0.3  # seconds between two collections
THOROUGH: Final = 10.0  # seconds between full collections while pages run
QUIET: Final = 60.0  # seconds between full collections after the last run
RECENT: Final = 5.0  # seconds that `busy_share` covers, roughly
FORGOTTEN: Final = 4  # quiet collections, then none: closed sessions are kept for two minutes
_LOG: Final = logging.getLogger(__name__)
_turn: Final = threading.Lock()
_this_thread: Final = threading.local()
_left_something: Final = threading.Event()


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


_taken: Final = _Share()


@contextmanager
def turn() -> Iterator[None]:
    """Wait for a turn and hold it; within a turn, go on at once."""
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
    """Give up the turn while the block runs."""
    if not _has_turn():
        yield
        return
    _end_turn()
    try:
        yield
    finally:
        _begin_turn()


def busy_share() -> float:
    """The share of the last seconds in which somebody had the turn, from 0 to 1."""
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
    """Make the function wait for a turn."""

    @wraps(function)
    def waiting(*args: P.args, **kwargs: P.kwargs) -> T:
        with turn():
            return function(*args, **kwargs)

    return waiting


def keep_house(tidy: Callable[[], None]) -> None:
    """Start collecting garbage in the background, and switch between threads more often.

    `tidy` is called after each collection.
    """
    sys.setswitchinterval(LET_GO)
    gc.collect()
    gc.freeze()  # later collections skip all of torch
    # With this, most garbage of a run is still young when it is collected.
    gc.set_threshold(200_000, 1000, 1000)
    threading.Thread(target=_collect, args=(tidy,), name="garbage", daemon=True).start()


def _collect(tidy: Callable[[], None]) -> None:
    thorough, quiet = time.monotonic(), 0
    while True:
        if _left_something.wait(QUIET):
            quiet = 0
            time.sleep(0.05)  # until the run is completely over and its pictures are sent
            _left_something.clear()
            if time.monotonic() - thorough < THOROUGH:
                gc.collect(1)
                _carefully(tidy)
                time.sleep(PAUSE)
                continue
        elif (quiet := quiet + 1) > FORGOTTEN:
            continue
        gc.collect()
        _carefully(tidy)
        thorough = time.monotonic()
        time.sleep(PAUSE)


def _carefully(tidy: Callable[[], None]) -> None:
    try:
        tidy()
    except Exception:  # garbage is collected all the same
        _LOG.exception("Memory could not be tidied.")


def _has_turn() -> bool:
    return getattr(_this_thread, "has_turn", False)
