"""The cost for Redis of one click by the teacher, by the number of followers. No pages are drawn.

The script runs that follow are measured elsewhere (see `following`).
"""

import statistics
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Final, NamedTuple, cast

import redis

from benchmarks.report import Row, Section
from explorer.rooms.hub import Hub
from explorer.rooms.member import Member
from explorer.rooms.members import Windows
from explorer.rooms.redis_store import LISTEN, RedisStore
from explorer.rooms.redraws import Why
from explorer.rooms.room import Room
from tests.support.redis_server import own_redis

HALLS: Final = ((60, 1), (60, 3), (250, 7), (500, 14))  # people, and the replicas that they are on
CLICKS: Final = 50  # at once: what replicas report of themselves each second hardly counts
LOOK: Final = 0.0005  # seconds between two looks whether all replicas know


class Traffic(NamedTuple):
    """The commands that Redis has run, and its bytes, since its start."""

    commands: float
    received: float  # bytes
    sent: float

    def since(self, before: "Traffic") -> "Traffic":
        """The difference."""
        return Traffic(*(now - then for now, then in zip(self, before, strict=True)))


class NoWindows(Windows):
    """Nothing is drawn."""

    def is_connected(self, session: str) -> bool:
        return True

    def request_run(self, session: str, part: str, page: str) -> Why | None:
        return None

    def is_drawing(self, session: str) -> bool:
        return False

    def pass_on(self, source: str, to: str, part: str) -> Why | None:
        return Why.SCREEN

    def watch(self, session: str) -> None:
        return

    def unwatch(self, session: str) -> None:
        return


class Hall:
    """A room on several replicas: all of them in this process, Redis in its own."""

    def __init__(self, url: str, people: int, replicas: int) -> None:
        self._hubs = [Hub(RedisStore(url), NoWindows()) for _ in range(replicas)]
        code, secret = self._hubs[0].open("attention", {}, "teacher")
        self._teacher = Member("teacher", code, secret=secret, seat="teacher")
        self._hubs[0].enter(self._teacher)
        self._people = [Member(f"person {number}", code) for number in range(people)]
        for number, person in enumerate(self._people):
            self._hubs[number % replicas].enter(person)
        time.sleep(1 + 2 * LISTEN)

    def click(self, number: int) -> float:
        """The teacher's page changes; the seconds until the last replica knows."""
        begun = time.perf_counter()
        changed = self._hubs[0].change(
            self._teacher,
            lambda room: room.next(params={"src": f"{number} animals were too tired to cross"}),
        )
        while any(room.version != changed.version for room in self._rooms()):
            time.sleep(LOOK)
        return time.perf_counter() - begun

    def _rooms(self) -> list[Room]:
        one_of_each = zip(self._hubs, self._people, strict=False)
        return [room for hub, person in one_of_each if (room := hub.room(person))]


def cost_of_a_click(people: int, replicas: int) -> tuple[Traffic, float]:
    """The traffic of one click, and the median of the seconds until the last replica has it."""
    with own_redis() as store, redis.Redis(port=store.port) as asked:

        def traffic() -> Traffic:
            stats = cast("dict[str, float]", asked.info("stats"))
            return Traffic(
                stats["total_commands_processed"],
                stats["total_net_input_bytes"],
                stats["total_net_output_bytes"],
            )

        hall = Hall(store.url, people, replicas)
        before = traffic()
        waits = [hall.click(number) for number in range(CLICKS)]
        spent = traffic().since(before)
        return Traffic(*(total / CLICKS for total in spent)), statistics.median(waits)


def measure() -> Section:
    """Halls of 60 to 500 people."""
    rows = []
    for people, replicas in HALLS:
        # In a process of its own: the threads that listen for a room end with it.
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
            cost, seconds = process.submit(cost_of_a_click, people, replicas).result()
        rows.append(
            Row(
                what=f"{people} followers on {replicas} replica{'s' * (replicas > 1)}: what one "
                "click of the teacher's costs Redis",
                how=f"mean of {CLICKS} clicks",
                aim="linear",
                measured=f"**{cost.sent / 1000:.1f} kB out**, {cost.received / 1000:.1f} kB in, "
                f"{cost.commands:.1f} commands; the last replica knew after "
                f"{1000 * seconds:.1f} ms",
            )
        )
    return Section(
        title="Halls: what Redis does for one click",
        rows=rows,
        notes=[
            "A real Redis; the rooms of all replicas in one other process, without pages. A click "
            "is one script of four commands, and one message to each replica: who follows costs "
            "nothing, only the replicas do.",
        ],
    )
