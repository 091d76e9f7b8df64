"""A small host: one server process limited to 690 MB and half a core, and ten people.

Control groups set the limits, as for a container. If they cannot be created (not Linux, not root),
this benchmark says so instead of measuring something else.
"""

import asyncio
import random
import time
from contextlib import ExitStack
from typing import Final

import psutil

from benchmarks import browser
from benchmarks.browser import MODEL
from benchmarks.container import SMALLEST, container
from benchmarks.report import Row, Section
from benchmarks.room import EVERY, arrive, sentence, train, without_errors

CORES: Final = 0.5
SECONDS: Final = 30
PAGES: Final = ("", "tokens", "masks", "positions", "attention", "steps", "decoding")
ARRIVING: Final = 15.0  # seconds


async def fill(address: str, runs: list[float]) -> list[str]:
    """Eight people type, each on one page; one has a model of the paper's size; one trains.

    Returns the failures.
    """
    begin = time.perf_counter() + ARRIVING

    async def visit(number: int, page: str, **settings: object) -> None:
        dice = random.Random(number)
        await asyncio.sleep(0.3 * number)
        person = await arrive(address, page, pairs=1, src="a b c", **settings)
        await asyncio.sleep(begin - time.perf_counter())
        while time.perf_counter() < begin + SECONDS:
            await asyncio.sleep(EVERY)
            runs.append(without_errors(await person.set(src=sentence(dice))).seconds)
        await person.leave()

    people = [
        *(visit(number, page) for number, page in enumerate(PAGES)),
        visit(len(PAGES), "attention", **MODEL),
        train(address, 0, begin, SECONDS),
    ]
    ends = await asyncio.gather(*people, return_exceptions=True)
    return [f"{type(end).__name__}: {end}" for end in ends if end is not None]


def measure() -> Section:
    """Ten people on a small host."""
    runs: list[float] = []
    errors: list[str] = []
    title = f"Small: one process limited to {SMALLEST / 1e6:.0f} MB and {CORES:g} of a core"
    with ExitStack() as stack:
        try:
            enter = stack.enter_context(container(SMALLEST, CORES))
        except OSError as error:
            return Section(title=title, rows=[], notes=[f"Not measured here: {error}"])

        server = stack.enter_context(browser.serve(browser.APP, before=enter))
        errors += asyncio.run(fill(server.address, runs))
        alive = server.process.poll() is None
        memory = psutil.Process(server.process.pid).memory_info().rss / 2**20 if alive else 0.0
    return Section(
        title=title,
        rows=[
            Row(
                what="Ten people: how many saw an error",
                how=f"one each on {len(PAGES)} pages, one with d_model 512 6+6, one training "
                f"(in a limited process, too); a word every {EVERY:g} s for {SECONDS} s",
                aim="0, and still alive",
                measured=f"**{len(errors)}** of ten people, {len(runs)} runs, "
                f"{'alive' if alive else 'dead'}, {memory:.0f} MB at the end"
                + (f"; first: {errors[0]}" if errors else ""),
            ),
        ],
    )
