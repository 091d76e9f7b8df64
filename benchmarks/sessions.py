"""Memory of one server process after many sessions have come and gone.

The process has as much memory as the smallest host: it keeps more where it may.
"""

import asyncio
import random
import statistics
from typing import Final

import psutil

from benchmarks import browser
from benchmarks.container import SMALLEST, container
from benchmarks.report import Row, Section
from benchmarks.room import sentence
from tests.support.people import Person

SESSIONS: Final = 400
RUNS: Final = 10  # of each session: the first one, and nine words
AT_ONCE: Final = 8
PAGES: Final = (
    "",
    "tokens",
    "masks",
    "positions",
    "attention",
    "steps",
    "stack",
    "decoding",
)


async def come_and_go(address: str, process: psutil.Process) -> list[float]:
    """All sessions, a few at a time; the process's memory in MB after each."""
    sizes: list[float] = []
    numbers = iter(range(SESSIONS))

    async def visitors() -> None:
        for number in numbers:
            dice = random.Random(number)
            page = PAGES[number % len(PAGES)]
            person, run = await Person.arrive(address, page, pairs=1, src=sentence(dice))
            errors = run.errors
            for _ in range(RUNS - 1):
                errors += (await person.set(src=sentence(dice))).errors
            if errors:
                raise RuntimeError(f"{page}: {errors[0]}")
            await person.leave()
            sizes.append(process.memory_info().rss / 2**20)

    await asyncio.gather(*(visitors() for _ in range(AT_ONCE)))
    return sizes


def measure() -> Section:
    """Many people, each on one page, each typing a few words."""
    with container(SMALLEST) as enter, browser.serve(browser.APP, before=enter) as app:
        sizes = asyncio.run(come_and_go(app.address, psutil.Process(app.process.pid)))
    half = len(sizes) // 2
    quarter = half // 2
    early, late = (
        statistics.median(sizes[half : half + quarter]),
        statistics.median(sizes[-quarter:]),
    )
    return Section(
        title="Sessions: memory after many people",
        rows=[
            Row(
                what=f"Resident memory after {SESSIONS} sessions and {SESSIONS * RUNS:,} runs",
                how=f"one process limited to {SMALLEST / 1e6:.0f} MB; {AT_ONCE} at a time over all "
                "pages, default model; each leaves when done",
                aim="≤ 500 MB",
                measured=f"**{sizes[-1]:.0f} MB**, at most {max(sizes):.0f}",
            ),
            Row(
                what="Growth over the second half",
                how="median of its last half minus that of its first",
                aim="≤ 10 MB",
                measured=f"**{late - early:+.0f} MB** ({early:.0f} → {late:.0f})",
            ),
        ],
    )
