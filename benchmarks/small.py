"""A small host: one server process held to 690 MB and half a core, and ten people.

It is held by control groups, as a container is; where these cannot be made (not Linux, not root),
this benchmark says so instead of measuring something else.
"""

import asyncio
import os
import random
import statistics
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

import psutil

from benchmarks import browser
from benchmarks.browser import MODEL
from benchmarks.people import Person
from benchmarks.report import Row, Section
from benchmarks.room import EVERY, sentence

MEMORY: Final = 690_000_000  # bytes: the least that Streamlit Community Cloud gives
CORES: Final = 0.5
SECONDS: Final = 30
PAGES: Final = ("", "tokens", "masks", "positions", "attention", "heads", "steps", "decoding")
GROUPS: Final = Path("/sys/fs/cgroup")


@contextmanager
def held() -> Iterator[list[Path]]:
    """Control groups with these limits, for as long as the block runs."""
    name = f"explorer-{os.getpid()}"
    if (GROUPS / "cgroup.controllers").exists():  # version 2: one tree
        limits = {GROUPS / name: {"memory.max": MEMORY, "cpu.max": f"{int(CORES * 1e5)} 100000"}}
    else:
        limits = {
            GROUPS / "memory" / name: {"memory.limit_in_bytes": MEMORY},
            GROUPS / "cpu" / name: {"cpu.cfs_quota_us": int(CORES * 1e5)},
        }
    try:
        for group, values in limits.items():
            group.mkdir()
            for limit, value in values.items():
                (group / limit).write_text(str(value))
        yield list(limits)
    finally:
        for group in limits:
            for _ in range(50):  # until its last process is gone
                with suppress(OSError):
                    group.rmdir()
                    break
                time.sleep(0.1)


async def fill(address: str, runs: list[float], errors: list[str]) -> None:
    """Eight who type, each on a page; one with a model of the paper's size; one who trains."""
    everybody = asyncio.Barrier(len(PAGES) + 2)

    async def visit(number: int, page: str, **settings: object) -> None:
        dice = random.Random(number)
        await asyncio.sleep(0.3 * number)
        person, first = await Person.arrive(address, page, pairs=1, src="a b c", **settings)
        errors.extend(first.errors)
        await everybody.wait()
        end = time.perf_counter() + SECONDS
        while time.perf_counter() < end:
            await asyncio.sleep(EVERY)
            run = await person.set(src=sentence(dice))
            errors.extend(run.errors)
            runs.append(run.seconds)
        await person.leave()

    async def train() -> None:
        person, first = await Person.arrive(address, "training", steps=20_000)
        errors.extend(first.errors)
        await everybody.wait()
        errors.extend((await person.press("Train")).errors)
        end = time.perf_counter() + SECONDS
        while time.perf_counter() < end:
            for fragment, interval in list(person.refreshing.items()):
                await asyncio.sleep(interval)
                errors.extend((await person.refresh(fragment)).errors)
        await person.leave()

    await asyncio.gather(
        *(visit(number, page) for number, page in enumerate(PAGES)),
        visit(len(PAGES), "attention", **MODEL),
        train(),
    )


def measure() -> Section:
    """Ten people in a small host."""
    runs: list[float] = []
    errors: list[str] = []
    title = f"Small: one process held to {MEMORY / 1e6:.0f} MB and {CORES:g} of a core"
    try:
        with held() as groups:

            def enter() -> None:
                for group in groups:
                    (group / "cgroup.procs").write_text(str(os.getpid()))

            start = time.perf_counter()
            with browser.serve(browser.APP, before=enter) as server:
                started = time.perf_counter() - start
                asyncio.run(fill(server.address, runs, errors))
                alive = server.process.poll() is None
                memory = psutil.Process(server.process.pid).memory_info().rss / 2**20
    except PermissionError as error:
        return Section(title=title, rows=[], notes=[f"Not measured: {error}"])
    return Section(
        title=title,
        rows=[
            Row(
                what="Ten people: failed runs",
                how=f"one each on {len(PAGES)} pages, one with d_model 512 6+6, one training "
                f"(its process is held, too); a word every {EVERY:g} s for {SECONDS} s",
                aim="0, and it lives",
                measured=f"**{len(errors)}** of {len(runs)}, "
                f"{'alive' if alive else 'dead'}, {memory:.0f} MB at the end"
                + (f"; first: {errors[0]}" if errors else ""),
            ),
            Row(
                what="Time of a run",
                how="from a key press to its last message; all pages but training",
                aim="–",
                measured=f"median **{statistics.median(runs):.2f} s**, "
                f"p95 {statistics.quantiles(runs, n=20)[-1]:.2f} s",
            ),
            Row(
                what="Start of the server",
                how="until it answers",
                aim="–",
                measured=f"**{started:.1f} s**",
            ),
        ],
    )
