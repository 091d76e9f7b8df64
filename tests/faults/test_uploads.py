"""Files that nobody waits for, that are too many, or that never end."""

import asyncio
import re
import urllib.request
from collections.abc import Callable, Iterator
from http.client import HTTPConnection, HTTPResponse
from typing import Final
from uuid import uuid4

import pytest

from tests.deploy.cluster import Visitor
from tests.faults.guest import Guest, visiting
from tests.support.async_tests import async_test, run_async
from tests.support.servers import HEALTH, Server

MIB: Final = 2**20
LARGEST: Final = 256 * MIB
# Until a refused upload is answered, and until what was held is free.
PROMPTLY: Final = 10.0


class Sender:
    """Somebody who sends files without a browser."""

    def __init__(self, server: Server) -> None:
        self.address = server.address
        self.visitor = Visitor(self.address)
        self.visitor.get(HEALTH)  # brings the token
        self.open: list[HTTPConnection] = []

    def begin(self, session: str, size: int | None, **headers: str) -> HTTPConnection:
        """Send the head of an upload, and nothing of the file."""
        connection = HTTPConnection(self.address, timeout=PROMPTLY)
        self.open.append(connection)
        connection.putrequest("PUT", f"/_stcore/upload_file/{session}/{uuid4()}")
        sent = {"Cookie": self.visitor.cookie} | headers
        sent["X-Xsrftoken"] = self.visitor.cookies["_streamlit_xsrf"]
        sent["Content-Type"] = "multipart/form-data; boundary=rim"
        if size is not None:
            sent["Content-Length"] = str(size)
        for name, value in sent.items():
            connection.putheader(name, value)
        connection.endheaders()
        return connection

    def is_waited_for(self, session: str, size: int) -> bool:
        """Whether an upload is let through: the server says that its file may come now."""
        connection = self.begin(session, size, Expect="100-continue")
        assert connection.sock is not None
        return connection.sock.recv(12) == b"HTTP/1.1 100"

    def send(self, session: str, content: bytes) -> int:
        """Send a file; the status of the answer, or 0 if nobody listened to its end."""
        try:
            return self.visitor.upload(f"/_stcore/upload_file/{session}/{uuid4()}", content)
        except (ConnectionResetError, BrokenPipeError):
            return 0

    def close(self) -> None:
        for connection in self.open:
            connection.close()


def answer(connection: HTTPConnection) -> int:
    """The status of the answer, which comes although the file does not."""
    response: HTTPResponse = connection.getresponse()
    response.read()
    return response.status


@pytest.fixture
def sender(small: Server) -> Iterator[Sender]:
    one = Sender(small)
    yield one
    one.close()


def held(server: Server) -> int:
    """The bytes of files that the server keeps for its sessions."""
    with urllib.request.urlopen(f"{server.url}/_stcore/metrics") as answer:
        found = re.findall(r'cache_type="UploadedFileManager".*\} (\d+)', answer.read().decode())
    return sum(map(int, found))


def test_files_that_no_field_waits_for_are_not_kept(small: Server, sender: Sender) -> None:
    async def visit() -> list[int]:
        async with visiting(small.url, "masks") as guest:
            before = small.memory
            found = [sender.send(guest.session, bytes(30 * MIB)) for _ in range(6)]
            assert held(small) == 0
            assert small.memory - before < 60 * MIB
            return found

    assert {*run_async(visit)} <= {0, 403}


@async_test
async def test_they_are_refused_before_they_are_sent(small: Server, sender: Sender) -> None:
    gone = await Guest.come(small.url, "masks")
    await gone.show_file_field()
    await gone.leave()
    async with visiting(small.url, "masks") as guest:
        assert answer(sender.begin(guest.session, LARGEST)) == 403
        await guest.show_file_field()  # one's own field is nobody else's
        async with visiting(small.url, "masks") as other:
            assert answer(sender.begin(other.session, LARGEST)) == 403
        for session in (
            gone.session,
            "nobody",
            str(uuid4()),
            "..",
            "%2e%2e",
            guest.session[:-1],
        ):
            assert answer(sender.begin(session, LARGEST)) in (400, 404, 405), session


@async_test
async def test_a_field_takes_files_up_to_the_share_of_a_session(
    small: Server, sender: Sender
) -> None:
    async with visiting(small.url, "masks") as guest:
        await guest.show_file_field()
        assert sender.send(guest.session, b"weights") == 204
        assert answer(sender.begin(guest.session, LARGEST + 2 * MIB)) == 413
        assert sender.is_waited_for(guest.session, 200 * MIB)
        assert answer(sender.begin(guest.session, 100 * MIB)) == 413


@async_test
async def test_a_file_without_a_length_is_refused(small: Server, sender: Sender) -> None:
    """It may not come in parts of which nobody knows the last; tests/ui/web has the rest."""
    chunked = {"Transfer-Encoding": "chunked"}
    async with visiting(small.url, "masks") as guest:
        await guest.show_file_field()
        assert answer(sender.begin(guest.session, None, **chunked)) == 411


@async_test
async def test_there_is_room_for_the_files_of_all(small: Server, sender: Sender) -> None:
    async with visiting(small.url) as one, visiting(small.url) as other:
        await one.show_file_field()
        await other.show_file_field()
        assert sender.is_waited_for(one.session, LARGEST)
        assert answer(sender.begin(other.session, LARGEST)) == 503
        sender.close()  # gives up
        await until(lambda: sender.is_waited_for(other.session, LARGEST))


@async_test
async def test_abandoned_files_are_freed(small: Server, sender: Sender) -> None:
    async with visiting(small.url, "masks") as guest:
        await guest.show_file_field()
        assert sender.send(guest.session, bytes(30 * MIB)) == 204
        await until(lambda: held(small) >= 30 * MIB)
    await until(lambda: held(small) == 0)


@async_test
async def test_files_for_a_removed_field_are_refused(small: Server, sender: Sender) -> None:
    async with visiting(small.url, "masks") as guest:
        await guest.show_file_field()
        begun = sender.begin(guest.session, 10 * MIB)
        (fold,) = (fold for fold in guest.folds if fold.endswith("-load"))
        await guest.set_id(fold, False)
        assert answer(sender.begin(guest.session, MIB)) == 403
        begun.send(b"more")
        assert answer(begun) == 403


async def until(holds: Callable[[], bool]) -> None:
    """Wait for something that comes promptly."""
    async with asyncio.timeout(PROMPTLY):
        while not holds():
            await asyncio.sleep(0.2)
