"""Somebody types while six others have the model search for long answers."""

import asyncio
import random
import statistics
import time
from typing import Final

from benchmarks import browser
from benchmarks.report import Row, Section
from benchmarks.room import arrive, sentence, without_errors

SEARCHERS: Final = 6
WORDS: Final = 110
PRESSES: Final = 15
EVERY: Final = 1.0  # seconds between two words of the person who types
WARM_UP: Final = 3


async def waits(address: str, searchers: int) -> list[float]:
    """The seconds of each of the typist's words, while as many others have answers searched for."""
    over = asyncio.Event()

    async def search(number: int) -> None:
        dice = random.Random(number)
        settings = {"method": "beam", "width": 8, "weights": "translator", "pairs": 1}
        person = await arrive(address, "decoding", src=sentence(dice), **settings)
        while not over.is_set():
            words = " ".join(sentence(dice) for _ in range(WORDS // 8 + 1)).split()[:WORDS]
            without_errors(await person.set(src=" ".join(words)))
        await person.leave()

    others = [asyncio.create_task(search(number)) for number in range(searchers)]
    typist = await arrive(address, "attention", weights="translator", pairs=1, src="a b")
    dice, found = random.Random(99), []
    await asyncio.sleep(3 * bool(searchers))
    for _ in range(WARM_UP + PRESSES):
        begun = time.perf_counter()
        without_errors(await asyncio.wait_for(typist.set(src=sentence(dice)), 60))
        found.append(time.perf_counter() - begun)
        await asyncio.sleep(max(0.0, EVERY - found[-1]))
    await typist.leave()
    over.set()
    for other in others:
        other.cancel()
    await asyncio.gather(*others, return_exceptions=True)
    return found[WARM_UP:]


def measure() -> Section:
    """The typist alone, then beside the others."""
    with browser.serve(browser.APP) as server:
        alone = asyncio.run(waits(server.address, 0))
        beside = asyncio.run(waits(server.address, SEARCHERS))
    ratio = statistics.median(beside) / statistics.median(alone)
    return Section(
        title="Beams: one person types, six have long answers searched for",
        rows=[
            Row(
                what="a key press beside six searches / alone",
                how=f"the translator; width 8, {WORDS} words, one answer after another; "
                f"{PRESSES} words typed on Attention, one a second",
                aim="≤ 2",
                measured=f"**{ratio:.1f}** (median {_ms(beside)} / {_ms(alone)})",
            ),
            Row(
                what="the longest of these key presses",
                how="from the key press to the last message of its run",
                aim="≤ 1 s",
                measured=f"**{max(beside):.2f} s**",
            ),
        ],
    )


def _ms(seconds: list[float]) -> str:
    return f"{1000 * statistics.median(seconds):.0f} ms"
