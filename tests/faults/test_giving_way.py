"""Long work lets others run between its steps."""

import asyncio

import pytest

from tests.faults.guest import Guest, visiting
from tests.support.async_tests import run_async
from tests.support.people import Run
from tests.support.servers import Server

SEARCH = "weights=translator&pairs=1&method=beam&width=4"
LONG = "The old bird sees a tired cat in the street , and"


def long_sentence(number: int) -> str:
    """Sixty words."""
    return " ".join([str(number), *(LONG.split() * 6)[:59]])


def answer_of(guest: Guest) -> list[list[object]]:
    """The pieces of the answer on top of the page, with their probabilities."""
    return list(guest.data_of("answer_pieces")["pieces"])


@pytest.mark.all
def test_somebody_types_while_others_search(server: Server) -> None:
    async def search(number: int, begun: asyncio.Event) -> list[list[object]]:
        async with visiting(server.url, "decoding", SEARCH + "&src=a b") as guest:
            begun.set()
            run: Run = await guest.put(src=long_sentence(number))
            assert run.errors == []
            return answer_of(guest)

    async def visit() -> None:
        signs = [asyncio.Event() for _ in range(4)]
        searches = [asyncio.create_task(search(n % 2, sign)) for n, sign in enumerate(signs)]
        async with visiting(server.url, "attention", "weights=translator&pairs=1") as guest:
            await asyncio.gather(*(sign.wait() for sign in signs))
            await asyncio.sleep(0.3)  # the searches are under way
            for word in ("cat", "dog", "bird"):
                await guest.put(src=f"the {word} sleeps")
                assert guest.field("src") == f"the {word} sleeps"
            assert not any(task.done() for task in searches)
            answers = await asyncio.gather(*searches)
            assert answers[0] == answers[2]  # one waits for what the other has found
            assert answers[1] == answers[3]

    run_async(visit, 300)
