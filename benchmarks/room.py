"""A room of people who type at once into one server process, against an empty app.

Everybody has a session of their own and replaces a word every two seconds. Their WebSockets are
real, their browsers are not: what is measured is the server.
"""

import asyncio
import random
import statistics
import time
from pathlib import Path
from typing import Final, NamedTuple

from benchmarks import browser
from benchmarks.people import Person, Run
from benchmarks.report import Row, Section

ROOMS: Final = (30, 60)
PAGES: Final = ("masks", "positions", "attention")
EVERY: Final = 2.0  # seconds between two words of one person
SECONDS: Final = 24
TRAINING: Final = 4
WORDS: Final = ("the", "a", "cat", "dog", "bird", "street", "old", "red", "tired", "sees", "likes")


class Load(NamedTuple):
    """What a room met with."""

    arrivals: list[float]  # seconds until the first page was there
    runs: list[float]  # seconds from a word to its pictures
    failed: list[str]

    @property
    def p95(self) -> float:
        """Seconds that one run in twenty exceeds."""
        return statistics.quantiles(self.runs, n=20)[-1]


def sentence(dice: random.Random) -> str:
    """Eight words."""
    return " ".join(dice.choices(WORDS, k=8))


async def fill(address: str, people: int, pages: tuple[str, ...], training: int = 0) -> Load:
    """Let so many people in, one after the other, and have them type for `SECONDS`."""
    load = Load([], [], [])
    # A person types from the moment when all are there.
    everybody = asyncio.Barrier(people + training)

    async def visit(number: int) -> None:
        dice = random.Random(number)
        await asyncio.sleep(0.15 * number)
        try:
            settings = {"src": sentence(dice), "pairs": 1} if pages[0] else {}
            start = time.perf_counter()
            person, first = await Person.arrive(address, pages[number % len(pages)], **settings)
            load.arrivals.append(time.perf_counter() - start)
            note(first)
            await everybody.wait()
            begin = time.perf_counter() + EVERY * dice.random()
            for turn in range(int(SECONDS / EVERY)):
                # When a run took longer than two seconds, the next word is late, not left out.
                await asyncio.sleep(max(0.0, begin + EVERY * turn - time.perf_counter()))
                run = await person.set(src=sentence(dice))
                note(run)
                load.runs.append(run.seconds)
            await person.leave()
        except (OSError, LookupError, TimeoutError) as error:
            load.failed.append(f"{type(error).__name__}: {error}")

    async def train(number: int) -> None:
        await asyncio.sleep(0.15 * number)
        person, first = await Person.arrive(address, "training", steps=20_000, train_seed=number)
        note(first)
        await person.press("Train")
        await everybody.wait()
        end = time.perf_counter() + SECONDS + EVERY
        while time.perf_counter() < end:
            for fragment, interval in list(person.refreshing.items()):
                await asyncio.sleep(interval)
                note(await person.refresh(fragment))
        await person.leave()

    def note(run: Run) -> None:
        load.failed.extend(run.errors)

    await asyncio.gather(
        *(visit(number) for number in range(people)),
        *(train(number) for number in range(people, people + training)),
    )
    return load


def serve_and_fill(script: Path, people: int, training: int = 0) -> Load:
    """A fresh server, and a room full of people."""
    with browser.serve(script) as server:
        pages = PAGES if script == browser.APP else ("",)
        return asyncio.run(fill(server.address, people, pages, training))


def measure() -> Section:
    """Each room at the app and at the empty app, and once with four who train."""
    rows = []
    for people in ROOMS:
        empty, app = (serve_and_fill(s, people) for s in (browser.EMPTY_APP, browser.APP))
        rows += [
            Row(
                what=f"{people} people: p95 of the app / of an empty app",
                how=f"each types a word every {EVERY:g} s for {SECONDS} s, a third of them each on "
                f"{', '.join(PAGES)}; one server process",
                aim="≤ 2" if people == 30 else "≤ 4",
                measured=f"**{app.p95 / empty.p95:.1f}** ({_ms(app)} / {_ms(empty)})",
            ),
            Row(
                what=f"{people} people: failed sessions",
                how="an error on the page, or a connection that broke",
                aim="0",
                measured=f"**{len(app.failed)}** of {people}, {len(app.runs)} runs",
            ),
        ]
        if people == ROOMS[0]:
            trained = serve_and_fill(browser.APP, people, TRAINING)
            rows.append(
                Row(
                    what=f"{TRAINING} more of them train: p95 of the others / without training",
                    how="as many train at once as the cores bear, the others wait in line; all "
                    "four watch their page",
                    aim="≤ 2",
                    measured=f"**{trained.p95 / app.p95:.1f}** ({_ms(trained)} / {_ms(app)}; "
                    f"{len(trained.failed)} failed)",
                )
            )
    return Section(
        title="Room: many people at once",
        rows=rows,
        notes=[
            "Real WebSocket sessions from one process on the same two cores; time from sending a "
            "key press to the last message of its run. Median and 95th percentile of all runs.",
        ],
    )


def _ms(load: Load) -> str:
    return f"p95 {1000 * load.p95:.0f} ms, median {1000 * statistics.median(load.runs):.0f}"
