"""The pace of a training in a container with a share of the cores: the pages come first.

On whole cores, `nice` lets the pages go first. But a container that has used its share stops as a
whole, pages and all, and a training would use all that there is. So it works less while its
container is held up, and more again while it is not: additive increase and multiplicative decrease,
as a sender finds its speed on the internet (Chiu and Jain 1989).
"""

import time
from collections.abc import Callable
from typing import Final

from explorer.runtime.limits import cores, held_up

EVERY: Final = 0.5  # seconds between two looks at the container
HELD_UP: Final = 0.25  # of the time of each core: even alone, steps of a training are bursts
LESS: Final = 0.7  # of the share before, while it is held up
MORE: Final = 0.05  # is added to the share while it is not
LEAST: Final = 0.1  # share
NAP: Final = 0.05  # seconds until it notices that it may not rest any longer


class Pace:
    """How much of its time a training works: `share`, from `LEAST` to 1."""

    def __init__(self) -> None:
        self.share = 1.0
        self._looked, self._held_up = time.monotonic(), held_up()
        self._begin()

    def rest(self, may_rest: Callable[[], bool]) -> None:
        """After a piece of work: rest as long as the pace demands, while it may."""
        self._look()
        # Processor time: less than the clock's if it was held up, more if it has several threads.
        worked = min(time.process_time() - self._worked, time.monotonic() - self._began)
        until = self._began + worked / self.share
        while (left := until - time.monotonic()) > 0 and may_rest():
            time.sleep(min(NAP, left))
        self._begin()

    def _begin(self) -> None:
        self._began, self._worked = time.monotonic(), time.process_time()

    def _look(self) -> None:
        now = time.monotonic()
        if now - self._looked < EVERY:
            return
        was, self._held_up = self._held_up, held_up()
        if self._held_up - was > HELD_UP * cores() * (now - self._looked):
            self.share = max(LEAST, LESS * self.share)
        else:
            self.share = min(1.0, self.share + MORE)
        self._looked = now
