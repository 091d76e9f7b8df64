"""A room of people who all type on one server process, against an empty app.

Everybody has their own session and replaces a word every two seconds. Their WebSockets are real,
but there are no browsers: only the server is measured.
"""

import asyncio
import random
import statistics
import time
from pathlib import Path
from typing import Any, Final, NamedTuple

from benchmarks import browser
from benchmarks.report import Row, Section
from tests.support.people import Person, Run

ROOMS: Final = (30, 60)
PAGES: Final = ("masks", "positions", "attention")
EVERY: Final = 2.0  # seconds between two words of one person
SECONDS: Final = 16
ARRIVAL: Final = 0.15  # seconds from one person to the next
TRAINING: Final = 4
WORDS: Final = ("the", "a", "cat", "dog", "bird", "street", "old", "red", "tired", "sees", "likes")


class Load(NamedTuple):
    """The waits and failures of a room."""

    waits: list[float]  # seconds from the due time of a word to its pictures
    failed: list[str]  # the reasons; at most one per person

    @property
    def p95(self) -> float:
        """The seconds exceeded by one wait in twenty."""
        return statistics.quantiles(self.waits, n=20)[-1]


def sentence(dice: random.Random) -> str:
    """Eight words."""
    return " ".join(dice.choices(WORDS, k=8))


def without_errors(run: Run) -> Run:
    """The run, unless it put an error on the page."""
    if run.errors:
        raise RuntimeError(run.errors[0])
    return run


async def arrive(address: str, page: str, **settings: Any) -> Person:
    """A new person, once their page is there."""
    person, first = await Person.arrive(address, page, **settings)
    without_errors(first)
    return person


async def train(address: str, number: int, begin: float, seconds: float) -> None:
    """A person who trains a model and watches."""
    await asyncio.sleep(ARRIVAL * number)
    person = await arrive(address, "training", steps=20_000, train_seed=number)
    without_errors(await person.press("Train"))
    while time.perf_counter() < begin + seconds:
        await asyncio.sleep(min(person.refreshing.values(), default=0.2))
        for fragment in list(person.refreshing):
            without_errors(await person.refresh(fragment))
    await person.leave()


async def fill(address: str, people: int, pages: tuple[str, ...], training: int = 0) -> Load:
    """Let people in one after the other; when all are there, they type for `SECONDS`."""
    waits: list[float] = []
    begin = time.perf_counter() + ARRIVAL * (people + training) + 5

    async def visit(number: int) -> None:
        dice = random.Random(number)
        await asyncio.sleep(ARRIVAL * number)
        settings = {"src": sentence(dice), "pairs": 1} if pages[0] else {}
        person = await arrive(address, pages[number % len(pages)], **settings)
        first = begin + EVERY * dice.random()
        for turn in range(int(SECONDS / EVERY)):
            due = first + EVERY * turn
            # If the last run took longer, the word is late, which also counts as waiting.
            await asyncio.sleep(max(0.0, due - time.perf_counter()))
            without_errors(await person.set(src=sentence(dice)))
            waits.append(time.perf_counter() - due)
        await person.leave()

    ends = await asyncio.gather(
        *(visit(number) for number in range(people)),
        *(train(address, people + n, begin, SECONDS + EVERY) for n in range(training)),
        return_exceptions=True,
    )
    return Load(waits, [f"{type(end).__name__}: {end}" for end in ends if end is not None])


def serve_and_fill(script: Path, *options: str, people: int, training: int = 0) -> Load:
    """A new server and a room full of people."""
    with browser.serve(script, *options) as server:
        pages = PAGES if script == browser.APP else ("",)
        return asyncio.run(fill(server.address, people, pages, training))


def measure() -> Section:
    """Each room with the app and with the empty app, and once with four people who train."""
    rows = []
    for people in ROOMS:
        empty = serve_and_fill(browser.EMPTY_APP, *browser.USUAL, people=people)
        bare = serve_and_fill(browser.EMPTY_APP, *browser.AS_THE_APP, people=people)
        app = serve_and_fill(browser.APP, people=people)
        rows += [
            Row(
                what=f"{people} people: p95 of the app / of an empty app",
                how=f"each types a word every {EVERY:g} s for {SECONDS} s, a third of them on each "
                f"of {', '.join(PAGES)}; one server process",
                aim="≤ 2" if people == ROOMS[0] else "≤ 4",
                measured=f"**{app.p95 / empty.p95:.1f}** ({_ms(app)} / {_ms(empty)}); / an empty "
                f"app with the explorer's settings: {app.p95 / bare.p95:.1f} ({_ms(bare)})",
            ),
            Row(
                what=f"{people} people: how many saw an error",
                how="an error on the page, or a broken connection",
                aim="0",
                measured=f"**{len(app.failed)}** of {people}, {len(app.waits)} words"
                + (f"; first: {app.failed[0]}" if app.failed else ""),
            ),
        ]
        if people == ROOMS[0]:
            trained = serve_and_fill(browser.APP, people=people, training=TRAINING)
            rows.append(
                Row(
                    what=f"{TRAINING} more people train: p95 of the others / without training",
                    how="as many train at once as the cores allow, the others wait in line; all "
                    "four watch their page",
                    aim="≤ 1.3",
                    measured=f"**{trained.p95 / app.p95:.1f}** ({_ms(trained)} / {_ms(app)}; "
                    f"{len(trained.failed)} saw an error)",
                )
            )
    return Section(
        title="Room: many people at once",
        rows=rows,
        notes=[
            "Real WebSocket sessions from one process on the same two cores. The time is from when "
            "a key press was due to the last message of its run; a person who is still waiting "
            "presses late, which counts. The empty app has Streamlit's usual settings, but no file "
            "watcher; with the explorer's settings, so without a collection after every run, it "
            "does next to nothing. A key press redraws the fields and the page, but not the "
            "elements around them: about 15 ms of one core, nearly all of it under the "
            "interpreter's lock. 60 people ask for 30 such runs a second, about half of what one "
            "process can do: 90 people wait for 0.2 s (p95), 120 for 2 s. Replicas help "
            "(docs/deployment.md).",
            "One training runs at a time on two cores, in a process of its own; what its page "
            "draws, and what does not fit on the second core, costs one key press in twenty about "
            "20 ms. In other runs of this benchmark the ratio was 0.8 to 1.4.",
        ],
    )


def _ms(load: Load) -> str:
    return f"p95 {1000 * load.p95:.0f} ms, median {1000 * statistics.median(load.waits):.0f}"
