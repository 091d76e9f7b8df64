"""Messages from visitors' browsers: how large they may be, and how many."""

import asyncio
import time
from collections import Counter
from functools import cache

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from explorer.runtime import limits, shares

# The codes that a connection is closed with (RFC 6455).
_NOT_BYTES, _TOO_LARGE, _TOO_MANY = 1003, 1009, 1013


class BoundedMessages:
    """Closes a connection whose messages are too large; reads no faster than one person acts."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._open: Counter[str] = Counter()  # connections, by the address at the other end

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "websocket":
            await self._app(scope, receive, send)
            return
        address = (scope.get("client") or ("", 0))[0]
        most = _most_connections()
        if (
            self._open.total() >= most
            or self._open[address] >= most * shares.CONNECTIONS_SHARE_OF_ADDRESS
        ):
            # Before it is open, this is a status 403.
            await send({"type": "websocket.close", "code": _TOO_MANY})
            return
        self._open[address] += 1
        try:
            bounded = _Bounded(receive, send)
            await self._app(scope, bounded.receive, bounded.send)
        finally:
            self._open[address] -= 1
            if not self._open[address]:
                del self._open[address]


class _Bounded:
    """One connection, whose messages are received one after the other."""

    def __init__(self, receive: Receive, send: Send) -> None:
        self._receive = receive
        self._send = send
        self._left = float(shares.MESSAGES_AT_ONCE)
        self._counted = time.monotonic()
        self._sending = asyncio.Lock()

    async def receive(self) -> Message:
        """The next message, once it may come; or that the connection is closed."""
        message = await self._receive()
        if message["type"] != "websocket.receive":
            return message
        content = message.get("bytes")
        if content is None or len(content) > shares.MESSAGE:
            code = _NOT_BYTES if content is None else _TOO_LARGE
            await self._send({"type": "websocket.close", "code": code})
            return {"type": "websocket.disconnect", "code": code}
        await asyncio.sleep(self._seconds_early(len(content)))
        async with self._sending:  # whoever reads no answers is not heard: they would pile up
            return message

    async def send(self, message: Message) -> None:
        """Send an answer; this takes as long as the other end takes to read."""
        async with self._sending:
            await self._send(message)

    def _seconds_early(self, size: int) -> float:
        """How long so large a message has to wait; a large one counts as several."""
        now = time.monotonic()
        earned = (now - self._counted) * shares.MESSAGES_PER_SECOND
        self._left = min(float(shares.MESSAGES_AT_ONCE), self._left + earned)
        self._counted = now
        self._left -= 1 + size // shares.MESSAGE_BYTES
        return max(0.0, -self._left / shares.MESSAGES_PER_SECOND)


@cache
def _most_connections() -> int:
    """The number of visitors who may be connected, as files and memory allow."""
    files = limits.open_files() - shares.FILES_RESERVED
    # Each has a WebSocket, and in a room another connection to ask for its news.
    by_files = files // (2 + shares.FILES_PER_SESSION)
    return max(1, min(by_files, limits.memory_limit() // shares.CONNECTION_MEMORY))
