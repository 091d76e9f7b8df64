"""A server with little memory, for all tests here."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser.conftest import CLOSED_SOCKET
from tests.support.servers import Server, serving

# What is logged of a late click, or of an event that no script of ours would send.
BENT_EVENT = re.compile(
    r".*What follows from an event has failed\nTraceback.*\n(?:[ \t].*\n)*\w+Error.*\n"
)
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
    assert "Traceback" not in own_errors(small_machine.log.read_bytes()[logged:].decode())


def own_errors(log: str) -> str:
    """The log without what comes of those who leave, and of bent events."""
    return BENT_EVENT.sub("", CLOSED_SOCKET.sub("", log))
