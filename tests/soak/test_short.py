"""Some seconds of each kind of soaking."""

from pathlib import Path

import pytest

from tests.faults.wire import wire_to
from tests.soak.browsers import Chromium
from tests.soak.kinds import Stage, soak
from tests.support.async_tests import run_async
from tests.support.servers import Server, serving

pytestmark = pytest.mark.browser


def losses(server: Server, kind: str, count: int) -> list[str]:
    async def soaking() -> list[str]:
        with wire_to(server.port) as wire:
            async with Chromium.launched() as browser:
                return await soak(kind, Stage(server, wire, browser), count, seed=1)

    return run_async(soaking)


@pytest.mark.parametrize(
    ("kind", "count"), [("typing", 3), ("clicks", 5), ("turns", 2), ("sleeps", 2)]
)
def test_nothing_is_lost(server: Server, kind: str, count: int) -> None:
    assert losses(server, kind, count) == []


def test_no_letter_is_lost_when_the_server_is_started_again(tmp_path: Path) -> None:
    with serving(tmp_path / "log.txt") as server:
        assert losses(server, "restarts", 1) == []
