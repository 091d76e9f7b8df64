"""Messages that are too large or too many, and connections that are too many."""

import asyncio
import zlib
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any, Final

import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed
from websockets.typing import Subprotocol

from tests.support.async_tests import async_test, run_async
from tests.support.servers import Server
from tests.support.wire import BackMsg

MB: Final = 1_000_000
PROMPTLY: Final = 10.0


@asynccontextmanager
async def line(server: Server, host: str | None = None) -> AsyncIterator[ClientConnection]:
    """A connection on which nothing has been said yet, from an address of this machine."""
    async with connect(
        f"ws://{server.address}/_stcore/stream",
        subprotocols=[Subprotocol("streamlit")],
        proxy=None,
        max_size=None,
        local_addr=(host, 0) if host else None,
    ) as connection:
        yield connection


async def closed(connection: ClientConnection) -> int | None:
    """The code with which the server ends a connection; None if it hangs up on who still sends."""
    async with asyncio.timeout(PROMPTLY):
        try:
            while True:
                await connection.recv()
        except ConnectionClosed as end:
            return None if end.rcvd is None else end.rcvd.code


def asked(**request: Any) -> bytes:
    return BackMsg(**request).SerializeToString()


def typed(text: str) -> bytes:
    """The message of somebody who has typed a text."""
    message = BackMsg()
    message.rerun_script.widget_states.widgets.add(id="field", string_value=text)
    return message.SerializeToString()


@async_test
async def test_a_small_message_that_unpacks_to_a_large_one_is_not_kept(small: Server) -> None:
    content = typed("a" * 23 * MB)
    assert len(zlib.compress(content)) < MB / 20
    async with AsyncExitStack() as stack:
        lines = [await stack.enter_async_context(line(small)) for _ in range(12)]
        before = small.memory
        await asyncio.gather(*(one.send(content) for one in lines))
        assert [await closed(one) for one in lines] == [1009] * 12
        assert small.memory - before < 60 * MB


def test_a_message_that_never_ends_is_not_kept(small: Server) -> None:
    async def parts() -> AsyncIterator[bytes]:
        for _ in range(600):  # 30 MB
            yield bytes(50_000)
        await asyncio.sleep(PROMPTLY)

    async def attack() -> None:
        async with line(small) as one:
            sending = asyncio.create_task(one.send(parts()))
            assert await closed(one) in (1009, None)
            sending.cancel()
            await asyncio.gather(sending, return_exceptions=True)

    run_async(attack)


@pytest.mark.parametrize(
    ("content", "code"),
    [("text", 1003), (b"", None), (asked(file_urls_request={"file_names": [""] * 100_000}), 1009)],
    ids=["text", "empty", "files"],
)
@async_test
async def test_invalid_messages(small: Server, content: str | bytes, code: int | None) -> None:
    async with line(small) as one:
        await one.send(content)
        if code is None:
            await one.ping()
        else:
            assert await closed(one) == code
