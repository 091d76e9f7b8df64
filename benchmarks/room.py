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
ADJECTIVES: Final = ("old", "red", "tired", "young", "small", "black")
NOUNS: Final = ("cat", "dog", "bird", "child", "woman", "horse")
VERBS: Final = ("sees", "likes", "follows", "knows")
WORDS: Final = (
    ("the", "a"), ADJECTIVES, NOUNS, VERBS, ("the", "a"), ADJECTIVES, NOUNS, ("today", "here"),
)  # fmt: skip
MODELS: Final = {"translator": "the translator", "untrained": "untrained weights"}


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
    return " ".join(dice.choice(words) for words in WORDS)


def retyped(dice: random.Random, text: str) -> str:
    """The sentence with another word in one place."""
    words = text.split()
    place = dice.randrange(len(words))
    words[place] = dice.choice([word for word in WORDS[place] if word != words[place]])
    return " ".join(words)


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
        for part in list(person.refreshing):
            without_errors(await person.refresh(part))
    await person.leave()


async def fill(address: str, people: int, weights: str | None, training: int = 0) -> Load:
    """Let people in one after the other; when all are there, they type for `SECONDS`.

    Without `weights`, it is the empty app.
    """
    waits: list[float] = []
    begin = time.perf_counter() + ARRIVAL * (people + training) + 5

    async def visit(number: int) -> None:
        dice = random.Random(number)
        await asyncio.sleep(ARRIVAL * number)
        text = sentence(dice)
        settings = {"src": text, "v": 2, "weights": weights} if weights else {}
        person = await arrive(address, PAGES[number % len(PAGES)] if weights else "", **settings)
        first = begin + EVERY * dice.random()
        for turn in range(int(SECONDS / EVERY)):
            due = first + EVERY * turn
            # If the last run took longer, the word is late, which also counts as waiting.
            await asyncio.sleep(max(0.0, due - time.perf_counter()))
            text = retyped(dice, text)
            without_errors(await person.set(src=text))
            waits.append(time.perf_counter() - due)
        await person.leave()

    ends = await asyncio.gather(
        *(visit(number) for number in range(people)),
        *(train(address, people + n, begin, SECONDS + EVERY) for n in range(training)),
        return_exceptions=True,
    )
    return Load(waits, [f"{type(end).__name__}: {end}" for end in ends if end is not None])


def serve_and_fill(
    script: Path, *options: str, people: int, weights: str | None = None, training: int = 0
) -> Load:
    """A new server and a room full of people."""
    with browser.serve(script, *options) as server:
        return asyncio.run(fill(server.address, people, weights, training))


def measure() -> Section:
    """Each room with the app and with the empty app, and once with four people who train."""
    rows = []
    for people in ROOMS:
        empty = serve_and_fill(browser.EMPTY_APP, *browser.USUAL, people=people)
        bare = serve_and_fill(browser.EMPTY_APP, *browser.AS_THE_APP, people=people)
        apps = {
            weights: serve_and_fill(browser.APP, people=people, weights=weights)
            for weights in MODELS
        }
        rows += [
            Row(
                what=f"{people} people with {MODELS[weights]}: key press → last message, p95",
                how=f"each changes a word every {EVERY:g} s for {SECONDS} s, a third of them on "
                f"each of {', '.join(PAGES)}; one server process",
                aim="≤ 0.3 s",
                measured=f"**{app.p95:.2f} s** (median {statistics.median(app.waits):.2f}); an "
                f"empty app: {_ms(empty)}; with the explorer's settings: {_ms(bare)}",
            )
            for weights, app in apps.items()
        ]
        failed = [reason for app in apps.values() for reason in app.failed]
        words = sum(len(app.waits) for app in apps.values())
        rows.append(
            Row(
                what=f"{people} people: how many saw an error",
                how="an error on the page, or a broken connection; with either model",
                aim="0",
                measured=f"**{len(failed)}**, {words} words"
                + (f"; first: {failed[0]}" if failed else ""),
            )
        )
        if people == ROOMS[0]:
            first, app = next(iter(apps.items()))
            trained = serve_and_fill(browser.APP, people=people, weights=first, training=TRAINING)
            rows.append(
                Row(
                    what=f"{TRAINING} more people train: p95 of the others / without training",
                    how="the others with the translator; as many train at once as the cores allow, "
                    "the others wait in line; all four watch their page",
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
            "does next to nothing. A key press redraws everything: 15 to 20 ms of one core, nearly "
            "all of it under the interpreter's lock. The translator's answer and trace add about "
            "15 ms where many ask at the same time, since their answers are written together, and "
            "25 ms where few do; Positions asks it for four answers a word: two orders, with "
            "positions and without. 60 people ask for 30 such runs a second: more than one process "
            "does with the translator, and three quarters of what it does with untrained weights. "
            "Replicas help (docs/deployment.md).",
            "One training runs at a time on two cores, in a process of its own. Where thirty "
            "people keep one core busy, it and what its page draws make others wait twice as long.",
        ],
    )


def _ms(load: Load) -> str:
    return f"p95 {1000 * load.p95:.0f} ms, median {1000 * statistics.median(load.waits):.0f}"
