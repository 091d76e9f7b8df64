"""A teacher types, and everybody in the room sees it: until when, and what it costs."""

import asyncio
import random
import re
import statistics
import time
from contextlib import ExitStack
from functools import partial
from typing import Final, NamedTuple
from urllib.parse import parse_qs

import psutil

from benchmarks import browser
from benchmarks.report import Row, Section
from benchmarks.room import arrive, sentence, without_errors
from explorer.rooms.hub import REDIS_URL
from tests.support.people import PATIENCE, Person, Run
from tests.support.redis_server import own_redis

FEW, MANY = 30, 60
REPLICAS: Final = 3
PAGE: Final = "attention"
EVERY: Final = 3.0  # seconds between two words of the teacher
WORDS: Final = 12
TURNS: Final = ("masks", "positions", "tokens", "stack")
OFTEN: Final = 0.25  # seconds between two questions for news
ARRIVAL: Final = 0.2  # seconds from one follower to the next
REST: Final = 8.0  # seconds in which nothing happens, before the first word


class Lesson(NamedTuple):
    """The waits of a lesson, in seconds from when a word, or a page turn, was due."""

    own: list[float]  # until the teacher's own page was drawn with the word
    others: list[float]  # until a follower's was
    turns: list[float]  # until a follower's next page was drawn
    idle: float  # the share of a core that the first server took while nothing happened


async def look(person: Person) -> Run | None:
    """Ask for news as a page does, four times a second; the run that follows, if there is any."""
    await asyncio.sleep(OFTEN * random.uniform(0.8, 1.2))
    run = await person.follow()
    return None if run is None else without_errors(run)


async def teach(servers: list[browser.Server], followers: int) -> Lesson:
    """Open a room, wait until everybody is in it, and type."""
    teacher = await arrive(servers[0].address, "room")
    without_errors(await teacher.press("Open a room"))
    page = " ".join(e.markdown.body for e in teacher.shown("markdown"))
    code = re.findall(r"Room (\w{4}-\w{4})", page)[0]
    without_errors(await teacher.walk(PAGE))
    due: dict[str, float] = {}  # by the sentence
    others: list[float] = []
    turns: list[float] = []

    async def follow(number: int) -> None:
        await asyncio.sleep(ARRIVAL * number)
        server = servers[number % len(servers)]
        person, _ = await Person.arrive(server.address, "", room=code)
        seen: set[str] = set()
        while len(seen) < WORDS:
            run = await look(person)
            (shown,) = parse_qs(person.query).get("src", [""])
            if run is None or shown not in due or shown in seen:
                continue
            now = time.perf_counter()
            # What was passed over was seen with what came after it.
            passed = [path for path, at in due.items() if at <= due[shown] and path not in seen]
            others.extend(now - due[path] for path in passed)
            seen.update(passed)
        for number, page in enumerate(TURNS):
            while not any(map(person.is_on, TURNS[number:])):  # one may be passed over
                await look(person)
            turns.append(time.perf_counter() - due[page])
        await person.leave()

    async def lead() -> tuple[list[float], float]:
        await asyncio.sleep(ARRIVAL * followers + 5)
        process = psutil.Process(servers[0].process.pid)
        before = sum(process.cpu_times()[:2])
        await asyncio.sleep(REST)
        idle = (sum(process.cpu_times()[:2]) - before) / REST
        dice, own = random.Random(0), []
        begin = time.perf_counter()
        for turn in range(WORDS):
            at, text = begin + EVERY * turn, sentence(dice)
            await asyncio.sleep(max(0.0, at - time.perf_counter()))
            due[text] = at
            without_errors(await teacher.set(src=text))
            while parse_qs(teacher.query).get("src") != [text]:  # somebody came: another run
                without_errors(await teacher.receive())
            own.append(time.perf_counter() - at)
        for turn, page in enumerate(TURNS, start=WORDS):
            await asyncio.sleep(max(0.0, begin + EVERY * turn - time.perf_counter()))
            due[page] = begin + EVERY * turn
            without_errors(await teacher.walk(page))
        return own, idle

    first, lasting = ARRIVAL * followers + 5 + REST, EVERY * (WORDS + len(TURNS))
    async with asyncio.timeout(first + lasting + PATIENCE):
        (own, idle), _ = await asyncio.gather(
            lead(), asyncio.gather(*map(follow, range(followers)))
        )
    await teacher.leave()
    return Lesson(own, others, turns, idle)


def lesson(followers: int, replicas: int = 1) -> Lesson:
    """A new server, or several that share a Redis, and a lesson on them."""
    with ExitStack() as stack:
        shared = {REDIS_URL: stack.enter_context(own_redis()).url} if replicas > 1 else {}
        serve = partial(browser.serve, browser.APP, environment=shared)
        servers = [stack.enter_context(serve()) for _ in range(replicas)]
        return asyncio.run(teach(servers, followers))


def measure() -> Section:
    """Rooms of 30 and 60 in one process; of 60 on three replicas."""
    few, many, spread = lesson(FEW), lesson(MANY), lesson(MANY, REPLICAS)
    places = (
        (FEW, "in one process", few, 0.9),
        (MANY, "in one process", many, 1.6),
        (MANY, f"on {REPLICAS} replicas with Redis", spread, 1.2),
    )
    rows = []
    for people, where, found, aim in places:
        rows += [
            Row(
                what=f"Key press → drawn by {people} followers {where}, p95",
                how=f"{WORDS} sentences, one every {EVERY:g} s, on {PAGE.capitalize()} with the "
                "translator; all on the same two cores",
                aim=f"≤ {aim} s",
                measured=f"**{_p95(found.others):.2f} s** (median "
                f"{statistics.median(found.others):.2f}; the teacher's own redraw, p95 "
                f"{_p95(found.own):.2f})",
            ),
            Row(
                what=f"Page turn → drawn by {people} followers {where}, p95",
                how=f"{', '.join(TURNS)}, one every {EVERY:g} s",
                aim="≤ 1.6 s",
                measured=f"**{_p95(found.turns):.2f} s** (median "
                f"{statistics.median(found.turns):.2f})",
            ),
        ]
    rows += [
        Row(
            what=f"{MANY} followers in one process while nothing happens",
            how=f"processor time of the server over {REST:g} s",
            aim="≤ 10 % of a core",
            measured=f"**{many.idle:.0%}**",
        ),
    ]
    return Section(
        title="Following: a teacher types, a room sees it",
        rows=rows,
        notes=[
            "Real WebSocket sessions without browsers, from one process on the same two cores. "
            "They ask for news as a page's script does. Each follower's page is drawn by a run of "
            "its own, and the model runs once in each process.",
            "The replicas share two cores here, and each runs the model for itself: the teacher's "
            "first, then the two others at the same time.",
        ],
    )


def _p95(waits: list[float]) -> float:
    return statistics.quantiles(waits, n=20, method="inclusive")[-1]  # the teacher's are few
