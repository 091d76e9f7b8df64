"""Work and errors of one session do not affect the others in the same process."""

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import AsyncExitStack
from typing import Any, Final

import pytest
from websockets.exceptions import ConnectionClosed

from explorer.choices.pages import PAGES
from tests.faults.conftest import own_errors
from tests.faults.guest import Guest, visiting
from tests.support.async_tests import run_async
from tests.support.marks import rest
from tests.support.servers import Server
from tests.support.wire import BackMsg, ClientState

OTHERS: Final = ("tokens", "attention", "training")  # these name the words that they read
Nuisance = Callable[[str], Coroutine[Any, Any, None]]


async def too_large(address: str) -> None:
    """A model that has no room, asked for on page after page."""
    query = "d_model=1024&heads=32&enc=6&dec=6&d_ff=8192&weights=untrained"
    async with visiting(address, "attention", query) as guest:
        for page in ("stack", "lab", "decoding", "training", "attention"):
            await guest.walk(page)
        assert guest.says("This model and its trace need about")


async def large(address: str) -> None:
    """Models that take their time and most of the memory, one after the other."""
    query = "d_model=512&heads=8&enc=5&dec=5&weights=untrained"
    async with visiting(address, "attention", query) as guest:
        await guest.put(more_of_model=True)  # where the seed is
        for seed in range(3):
            await guest.put(seed=str(seed))
        assert guest.has("heads_view")


async def endless_text(address: str) -> None:
    """As much in every field as a message may hold, typed and typed again."""
    async with visiting(address, "tokens", "weights=untrained") as guest:
        for number in range(4):
            await guest.put(src=f"{number} a" * 10_000, tgt="👩‍🔬" * 3_000 + str(number))
        assert guest.says("The model reads the first 128 of")


async def garbage(address: str) -> None:
    """Bytes that are no message, long ones, a text; the server hangs up on each."""
    for content in (b"\xff\xff\xff\xff\xff", b"zq" * 100_000, b"\x5a\xff\x01{"):
        guest = await Guest.come(address, "masks")
        await guest.send(content)
        with pytest.raises(ConnectionClosed):
            await guest.run()


async def vanishing(address: str) -> None:
    """Asks for a page, and is gone before it is there, again and again."""
    for page in PAGES:
        guest = await Guest.come(address, page)
        state = ClientState(query_string="src=gone", page_name=page)
        for _ in range(3):
            await guest.send(BackMsg(rerun_script=state).SerializeToString())
        await asyncio.sleep(0.02)
        guest.drop_connection()


async def deaf(address: str) -> None:
    """Types on and on, and never reads what comes back."""
    async with visiting(address, "masks", "pairs=1") as guest:
        guest.stop_reading()
        for number in range(60):
            guest.change("src", "never read " * 8 + str(number))
            await guest.send(guest.request())
            await asyncio.sleep(0.03)
        guest.drop_connection()


async def type_words(guest: Guest, words: list[str]) -> None:
    """Type, one word after another; each is drawn, and none takes longer than one's patience."""
    for word in words:
        run = await guest.put(src=f"{word} is here")
        assert run.errors == []
        assert guest.field("src") == f"{word} is here"
        assert word in shown_words(guest)
        await asyncio.sleep(0.05)


def shown_words(guest: Guest) -> str:
    """The text alternatives of a page's pictures."""
    return " ".join(picture["alt"] for picture in guest.pictures)


@pytest.mark.parametrize(
    "nuisance",
    [
        *(garbage, deaf),
        *rest(too_large, large, endless_text, vanishing),
    ],
)
def test_the_others_go_on(small_machine: Server, nuisance: Nuisance) -> None:
    small, logged = small_machine, small_machine.log.stat().st_size

    async def room() -> None:
        query = "weights=untrained&pairs=1"
        async with AsyncExitStack() as stack:
            guests = [
                await stack.enter_async_context(visiting(small.url, page, query)) for page in OTHERS
            ]
            await asyncio.gather(*(type_words(guest, ["pear", "apple"]) for guest in guests))
            pictures = [shown_words(guest) for guest in guests]
            doing = asyncio.create_task(nuisance(small.url))
            words = [f"plum{number}" for number in range(3)]
            typed = False
            while not doing.done() or not typed:
                await asyncio.gather(*(type_words(guest, words) for guest in guests))
                typed = True
            await doing
            await asyncio.gather(*(type_words(guest, ["apple"]) for guest in guests))
            assert [shown_words(guest) for guest in guests] == pictures

    run_async(room)
    new = own_errors(small.log.read_bytes()[logged:].decode())
    assert "Uncaught" not in new, new
    if nuisance is not garbage:
        assert "Traceback" not in new, new


def test_nobody_sees_what_another_types(server: Server) -> None:
    """Every byte sent to anybody is searched for the others' words."""

    async def visit(number: int, page: str, guests: dict[int, Guest]) -> None:
        async with visiting(server.url, page, "pairs=1&weights=untrained") as guest:
            guests[number] = guest
            if page in ("room", "glossary"):  # there, nothing can be typed
                await guest.walk("masks")
            for turn in range(4):
                words = f"marker{number:03}x turn{turn}"
                await guest.put(src=words, tgt=words)
                assert guest.field("src") == words
            await guest.walk(list(PAGES)[(number + 3) % len(PAGES)])

    async def room() -> dict[int, Guest]:
        guests: dict[int, Guest] = {}
        await asyncio.gather(*(visit(n, page, guests) for n, page in enumerate(PAGES)))
        return guests

    guests = run_async(room)
    assert len(guests) == len(PAGES)
    named = 0
    for number, guest in guests.items():
        named += f"marker{number:03}x".encode() in guest.received
        for other in guests.keys() - {number}:
            assert f"marker{other:03}x".encode() not in guest.received, (number, other)
    assert named >= 8  # so there was something to be found
