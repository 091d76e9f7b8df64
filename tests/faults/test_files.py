"""A file over HTTP, from somebody without a page. More of this: tests/web/test_files.py."""

from collections.abc import Iterator
from http.client import HTTPConnection, HTTPResponse
from typing import Final

import pytest

from tests.faults.guest import visiting
from tests.support.async_tests import async_test
from tests.support.servers import Server

MIB: Final = 2**20
LARGEST: Final = 256 * MIB
# Until a refused file is answered, and until what was held is free.
PROMPTLY: Final = 10.0


class Sender:
    """Somebody who sends files without a browser."""

    def __init__(self, server: Server) -> None:
        self.address = server.address
        self.open: list[HTTPConnection] = []

    def begin(self, box: dict[str, str], size: int | None, **headers: str) -> HTTPConnection:
        """Send the head of a file, and nothing of its content."""
        connection = HTTPConnection(self.address, timeout=PROMPTLY)
        self.open.append(connection)
        connection.putrequest("PUT", "/files")
        length = {} if size is None else {"Content-Length": str(size)}
        for name, value in {**box, **headers, **length}.items():
            connection.putheader(name, value)
        connection.endheaders()
        return connection

    def is_waited_for(self, box: dict[str, str], size: int) -> bool:
        """Whether a file is let through: the server says that it may come now."""
        connection = self.begin(box, size, Expect="100-continue")
        assert connection.sock is not None
        return connection.sock.recv(12) == b"HTTP/1.1 100"

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


@async_test
async def test_a_field_takes_its_own_files_and_no_more(small: Server, sender: Sender) -> None:
    async with visiting(small.url, "masks") as guest:
        box = await guest.show_file_field()
        begun = sender.begin(box, 7)
        begun.send(b"weights")
        assert answer(begun) == 204
        assert answer(sender.begin({}, LARGEST)) == 403  # before it is sent
        assert answer(sender.begin(box, LARGEST + 2 * MIB)) == 413
        assert sender.is_waited_for(box, 200 * MIB)
        assert answer(sender.begin(box, 100 * MIB)) == 413
        async with visiting(small.url, "masks") as other:
            assert await other.show_file_field() != box
