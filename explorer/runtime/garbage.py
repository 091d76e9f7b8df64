"""Garbage is collected in the background: for a room full of people.

Every run leaves reference cycles. Streamlit would run a full collection after each run, which takes
longer than the run when there are sixty sessions. Here young objects are collected a few times a
second, and all objects now and then.
"""

import gc
import logging
import sys
import threading
import time
from collections.abc import Callable
from typing import Final

LET_GO: Final = 0.0005  # seconds after which a thread yields the interpreter's lock
PAUSE: Final = 0.3  # seconds between two collections
THOROUGH: Final = 10.0  # seconds between full collections while pages run
QUIET: Final = 60.0  # seconds between full collections after the last run
FORGOTTEN: Final = 4  # quiet collections, then none: closed sessions are kept for two minutes
_LOG: Final = logging.getLogger(__name__)
left_something: Final = threading.Event()  # set after each run


def start_garbage_collector(tidy: Callable[[], None]) -> None:
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
        if left_something.wait(QUIET):
            quiet = 0
            time.sleep(0.05)  # until the run is completely over and its pictures are sent
            left_something.clear()
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
