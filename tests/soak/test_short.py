"""Some seconds of each kind of soaking."""

import random
from pathlib import Path

import pytest

from tests.faults.wire import wire_to
from tests.soak.browsers import Chromium
from tests.soak.kinds import Stage, soak
from tests.soak.person import Person
from tests.support.async_tests import run_async
from tests.support.servers import Server, serving

pytestmark = pytest.mark.all


def losses(server: Server, kind: str, count: int) -> list[str]:
    async def soaking() -> list[str]:
        async with Chromium.launched() as browser:
            person = Person(await browser.window(), server.url, random.Random())
            with wire_to(server.port) as wire:
                return await soak(kind, Stage(server, wire, person, browser), count, seed=1)

    return run_async(soaking)


@pytest.mark.parametrize(
    ("kind", "count"),
    [("typing", 2), ("leading", 1), ("clicks", 5), ("turns", 2), ("sleeps", 2), ("lines", 2)],
)
def test_nothing_is_lost(server: Server, kind: str, count: int) -> None:
    assert losses(server, kind, count) == []


def test_no_letter_is_lost_when_the_server_is_started_again(tmp_path: Path) -> None:
    with serving(tmp_path / "log.txt") as server:
        assert losses(server, "restarts", 1) == []
