"""One visitor takes what they can; another one types, and the waits of that one are measured.

Everything is sent by the protocol that a browser uses, to one process on this machine.
"""

import asyncio
import multiprocessing
import statistics
import time
from collections.abc import Callable, Coroutine
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import suppress
from typing import Any, Final
from urllib.error import URLError
from urllib.request import Request, urlopen

import psutil
from websockets.exceptions import ConnectionClosed

from benchmarks import browser
from benchmarks.report import Row, Section
from tests.faults.guest import Guest
from tests.support.people import Person
from tests.support.wire import WidgetState

PRESSES: Final = 30
EVERY: Final = 1.0  # seconds between two words of the neighbour
MIB: Final = 2**20
LONG: Final = " ".join(["the old dog sees a bird"] * 18)  # 108 words
Attack = Callable[[str], Coroutine[Any, Any, None]]


async def paste(address: str, length: int, word: str) -> None:
    """A text of so many characters, in the sentence's field."""
    person, _ = await Person.arrive(address, "attention", pairs=1, src="a cat")
    with suppress(ConnectionClosed, TimeoutError):
        await person.set(src=word * (length // len(word)))
    with suppress(ConnectionClosed):
        await person.leave()


async def beams(address: str) -> None:
    """Six people ask for the widest beam over a long sentence, again and again."""

    async def ask(number: int) -> None:
        settings: dict[str, Any] = {"pairs": 1, "method": "beam", "width": 8}
        person, _ = await Person.arrive(address, "decoding", src=f"{number} {LONG}", **settings)
        for turn in range(2):
            await person.set(src=f"{number} {turn} {time.time_ns()} {LONG}")
        await person.leave()

    await asyncio.gather(*map(ask, range(6)))


async def heads(address: str) -> None:
    """Measure which heads the translator needs, over as many sentences as are allowed."""
    person = await Guest.come(address, "why", "ask=heads&src=The+dog+sleeps.")
    await person.put(many=True)
    lines = [f"{number} birds sing in the old garden." for number in range(200)]
    await person.put(why_sentences="\n".join(lines))
    await person.press("Measure 200 sentences")
    while person.refreshing:
        await asyncio.sleep(0.5)
        for part in list(person.refreshing):
            await person.refresh(part)
    await person.leave()


async def upload(address: str) -> None:
    """Six files of 250 MB, on a page without a field for one."""
    person, _ = await Person.arrive(address, "attention", pairs=1, src="a cat")
    for _ in range(6):
        request = Request(f"{address}/files", bytes(250 * MIB), {"x-box": "zq"}, method="PUT")
        with suppress(URLError, OSError):
            await asyncio.to_thread(urlopen, request, timeout=30)
    await person.leave()


async def messages(address: str) -> None:
    """24 connections, each with one message of 23 MB: a value for a widget that is not there."""

    async def send() -> None:
        person, _ = await Person.arrive(address, "attention", pairs=1, src="a cat")
        with suppress(ConnectionClosed, TimeoutError):
            await person.run(WidgetState(id="zq", string_value="a" * (23 * MIB)))
        with suppress(ConnectionClosed):
            await person.leave()

    await asyncio.gather(*(send() for _ in range(24)))


ATTACKS: Final[dict[str, tuple[str, Attack]]] = {
    "pastes 1 MB": (
        "“a a a …” in the sentence's field",
        lambda address: paste(address, MIB, "a "),
    ),
    "sends 12 MB as a text": (
        "the same, as long as a message may be",
        lambda address: paste(address, 12 * MIB, "a "),
    ),
    "types one word of 5 MB": ("no space in it", lambda address: paste(address, 5 * MIB, "a")),
    "searches (six people)": ("beams of width 8 over 110 words, twice each", beams),
    "measures 80 heads": ("switches each off over 200 sentences, on Why?", heads),
    "sends six files of 250 MB": ("where no field waits for one", upload),
    "sends 24 messages of 23 MB": ("one for each connection", messages),
}

AIMS: Final = {
    "measures 80 heads": "p95 ≤ 1.3 × alone",
}


async def typing(address: str, others: Executor, name: str = "") -> list[float]:
    """The waits of somebody who types a word every second; another process attacks all the time."""
    person, _ = await Person.arrive(address, "attention", pairs=1, src="the cat")
    await person.set(src="the dog")
    loop = asyncio.get_running_loop()
    doing: asyncio.Future[None] | None = None
    waits: list[float] = []
    begin = time.perf_counter()
    while len(waits) < PRESSES or (doing is not None and not doing.done()):
        if name and (doing is None or doing.done()):
            doing = loop.run_in_executor(others, _do, name, address)
        due = begin + EVERY * len(waits)
        await asyncio.sleep(max(0.0, due - time.perf_counter()))
        await person.set(src=f"the dog sees {len(waits)} birds")
        waits.append(time.perf_counter() - due)
    if doing is not None:
        await doing
    await person.leave()
    return waits


def measure() -> Section:
    """The neighbour alone, then beside each attack; the memory that the process keeps of it."""
    rows = []
    fresh = multiprocessing.get_context("spawn")
    for name, (how, _) in ATTACKS.items():
        with ProcessPoolExecutor(1, fresh) as others, browser.serve(browser.APP) as app:
            alone = asyncio.run(typing(app.address, others))
            before = _held(app)
            others.submit(_do, name, app.address).result()
            once = _held(app)
            waits = asyncio.run(typing(app.address, others, name))
            again = _held(app)
        median, usual = statistics.median(waits), statistics.median(alone)
        slow, usually = (statistics.quantiles(times, n=20)[-1] for times in (waits, alone))
        rows.append(
            Row(
                what=f"Somebody {name}: another's wait",
                how=f"{how}; the other types a word every {EVERY:g} s on Attention",
                aim=AIMS.get(name, "median ≤ 2 × alone, worst ≤ 1 s, + 100 MB at most"),
                measured=f"**{median / usual:.1f}** × alone ({1000 * median:.0f} / "
                f"{1000 * usual:.0f} ms), p95 **{slow / usually:.1f}** × ({1000 * slow:.0f} / "
                f"{1000 * usually:.0f} ms), worst **{max(waits):.2f} s** ({max(alone):.2f} s "
                f"alone), {once - before:+.0f} MB, {again - once:+.0f} MB when it is repeated",
            )
        )
    return Section(
        title="Shares: what one visitor can cost another",
        rows=rows,
        notes=[
            "A wait is from when a key press was due to the last message of its run; who still "
            "waits presses late, which counts. The attack is repeated for as long. Memory: what "
            "the process holds more when the first attack is over, and after the others. Results "
            "are kept for whoever asks again, within a bound: those of long searches fill it, and "
            "what comes then takes their place. What is refused, and with which limits, is said in "
            "docs/security.md; tests/faults tries it.",
        ],
    )


def _do(name: str, address: str) -> None:
    _, attack = ATTACKS[name]
    asyncio.run(attack(address))


def _held(app: browser.Server) -> float:
    return psutil.Process(app.process.pid).memory_info().rss / MIB
