"""A server with little memory, for all tests here."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser.conftest import CLOSED_SOCKET
from tests.support.servers import Server, serving

SMALL_MACHINE = Path(__file__).with_name("small_machine.py")


@pytest.fixture(scope="session")
def small_machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The app as it runs where a process may have 1000 MB."""
    with serving(tmp_path_factory.mktemp("small") / "log.txt", SMALL_MACHINE) as running:
        yield running


@pytest.fixture(scope="module")
def small(small_machine: Server) -> Iterator[Server]:
    """The same; no error is in its log at the end."""
    logged = small_machine.log.stat().st_size
    yield small_machine
    assert "Traceback" not in CLOSED_SOCKET.sub(
        "", small_machine.log.read_bytes()[logged:].decode()
    )
