"""Messages from visitors' browsers: how large they may be, how many, and what they may ask for."""

import time
from collections import Counter
from functools import cache
from typing import Any, Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from explorer.runtime import limits, shares
from explorer.ui import internals
from explorer.ui.internals.received import limit

# The requests of a page. Streamlit's other requests are for developers of an app: one of them
# clears the caches of everybody.
_KINDS: Final = ("rerun_script", "stop_script", "file_urls_request", "app_heartbeat")
# The codes that a connection is closed with (RFC 6455).
_NO_MESSAGE, _NOT_BYTES, _TOO_MUCH, _TOO_LARGE = 1002, 1003, 1008, 1009


class BoundedMessages:
    """Closes a connection whose messages are too large, too many or none."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._open: Counter[str] = Counter()  # connections, by the address at the other end

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":  # before anybody is connected
            internals.bound_messages(receive, shares.MESSAGE)
        if scope["type"] != "websocket":
            await self._app(scope, receive, send)
            return
        address = (scope.get("client") or ("", 0))[0]
        most = _most_connections()
        if (
            self._open.total() >= most
            or self._open[address] >= most * shares.CONNECTIONS_SHARE_OF_ADDRESS
        ):
            await send({"type": "websocket.close", "code": 1013})  # before it is open: a status 403
            return
        self._open[address] += 1
        try:
            await self._app(scope, _Bounded(receive, send), send)
        finally:
            self._open[address] -= 1
            if not self._open[address]:
                del self._open[address]


class _Bounded:
    """Receives the messages of one connection that may pass."""

    def __init__(self, receive: Receive, send: Send) -> None:
        self._receive = receive
        self._send = send
        self._left = float(shares.MESSAGES_AT_ONCE)
        self._counted = time.monotonic()

    async def __call__(self) -> Message:
        """The next message that may pass; or that the connection is closed."""
        while True:
            message = await self._receive()
            if message["type"] != "websocket.receive":
                return message
            content = message.get("bytes")
            if content is None:
                return await self._close(_NOT_BYTES)
            if len(content) > shares.MESSAGE:
                return await self._close(_TOO_LARGE)
            if not self._is_in_time(len(content)):
                return await self._close(_TOO_MUCH)
            request = internals.read_request(content)
            if request is None:
                return await self._close(_NO_MESSAGE)
            if not _is_bounded(request):
                return await self._close(_TOO_MUCH)
            if _is_of_a_page(request):
                if limit(request.rerun_script):
                    return {**message, "bytes": request.SerializeToString()}
                return message

    def _is_in_time(self, size: int) -> bool:
        """Whether so large a message may come now; a large one counts as several."""
        now = time.monotonic()
        earned = (now - self._counted) * shares.MESSAGES_PER_SECOND
        self._left = min(float(shares.MESSAGES_AT_ONCE), self._left + earned)
        self._counted = now
        self._left -= 1 + size // shares.MESSAGE_BYTES
        return self._left >= 0

    async def _close(self, code: int) -> Message:
        await self._send({"type": "websocket.close", "code": code})
        return {"type": "websocket.disconnect", "code": code}


def _is_bounded(request: Any) -> bool:
    """Whether a request lists no more than a page has: each entry costs many times its bytes."""
    state = request.rerun_script
    return (
        len(state.widget_states.widgets) <= shares.WIDGETS
        and len(state.cached_message_hashes) <= shares.HASHES
        and len(request.file_urls_request.file_names) <= shares.FILES_PER_DROP
    )


def _is_of_a_page(request: Any) -> bool:
    kind = request.WhichOneof("type")
    if kind == "backend_operation_request":
        return bool(request.backend_operation_request.HasField("deferred_file"))
    return kind in _KINDS


@cache
def _most_connections() -> int:
    """The number of visitors who may be connected, as files and memory allow."""
    files = limits.open_files() - shares.FILES_RESERVED
    memory = limits.memory_limit() // shares.CONNECTIONS_MEMORY_DIVISOR
    # Each has a WebSocket, and in a room another connection to ask for its news.
    return max(1, min(files // (2 + shares.FILES_PER_SESSION), memory // shares.MESSAGE))
