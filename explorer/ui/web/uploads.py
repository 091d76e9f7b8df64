"""Files on their way from a visitor: accepted where a field waits for them, counted, and freed.

Streamlit keeps whatever is sent to the address of a session, with or without a field on its page,
for as long as the session lasts. So each file is let through, or refused, before it is read.
"""

import asyncio
import re
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from explorer.runtime import limits, shares
from explorer.ui import internals

Name = tuple[str, str]  # the session that a file belongs to, and the file's own number
_ADDRESS: Final = re.compile(r".*/_stcore/upload_file/([^/]+)/([^/]+)")


class RefusedError(Exception):
    """A file is not taken: the status of the answer, and why."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status


@dataclass(slots=True)
class _File:
    """A file on its way, or one that no page has read yet."""

    size: int
    arrived: bool = False
    heard: float = field(default_factory=time.monotonic)  # when the last of it came


class Uploads:
    """The sessions that wait for files, and the files that they have; for any thread."""

    def __init__(
        self, connected: Callable[[str], bool], forget: Callable[[str, str], None]
    ) -> None:
        self._connected = connected
        self._forget = forget
        self._lock = threading.Lock()
        self._waiting: set[tuple[str, str]] = set()  # sessions, and the places of their fields
        self._files: dict[Name, _File] = {}

    def expect(self, session: str, place: str) -> None:
        """A page with a field for files has been drawn."""
        with self._lock:
            self._waiting.add((session, place))

    def withdraw(self, session: str, place: str) -> None:
        """The field is gone."""
        with self._lock:
            self._waiting.discard((session, place))

    def begin(self, name: Name, size: int) -> None:
        """A file of so many bytes is about to come.

        Raises:
            RefusedError: if nobody waits for it, or if there is no room.
        """
        session, _ = name
        if not self._connected(session):
            raise RefusedError(400, "There is no such session.")
        with self._lock:
            if not self._is_waiting(session):
                raise RefusedError(403, "No field on the page waits for a file.")
            own = [file.size for (owner, _), file in self._files.items() if owner == session]
            if name in self._files or len(own) >= shares.UPLOAD_FILES:
                raise RefusedError(409, "This file, or too many of them, are already here.")
            if size + sum(own) > shares.UPLOAD:
                raise RefusedError(413, f"Files may have up to {shares.UPLOAD:,} bytes together.")
            held = sum(file.size for file in self._files.values())
            if size + held > max(
                shares.UPLOAD, limits.memory_limit() // shares.UPLOADS_MEMORY_DIVISOR
            ):
                raise RefusedError(503, "Others are uploading files: try again in a minute.")
            self._files[name] = _File(size)

    def note_progress(self, name: Name) -> bool:
        """Note that more of a file has come; returns whether the rest is wanted."""
        with self._lock:
            file, waiting = self._files.get(name), self._is_waiting(name[0])
            if file is not None:
                file.heard = time.monotonic()
        return file is not None and waiting and self._connected(name[0])

    def end(self, name: Name, *, kept: bool) -> None:
        """A file has come, and Streamlit keeps it, or not."""
        with self._lock:
            file = self._files.get(name)
            if file is not None:
                file.arrived, file.heard = True, time.monotonic()
        if file is None or not kept:  # or its visitor has left in the meantime
            self.release(name)

    def release(self, name: Name) -> None:
        """A file has been read, or removed: its memory is free."""
        self._forget(*name)
        with self._lock:
            self._files.pop(name, None)

    def free_abandoned(self) -> None:
        """Free the files whose visitor has left, and those that no page reads."""
        with self._lock:
            sessions = {session for session, _ in (*self._waiting, *self._files)}
        gone = {session for session in sessions if not self._connected(session)}
        with self._lock:
            self._waiting = {waiting for waiting in self._waiting if waiting[0] not in gone}
            heard: dict[str, float] = {}
            for (session, _), file in self._files.items():
                heard[session] = max(heard.get(session, 0.0), file.heard)
            forgotten = time.monotonic() - shares.UPLOAD_UNREAD
            left = [
                name
                for name, file in self._files.items()
                if name[0] in gone or (file.arrived and heard[name[0]] < forgotten)
            ]
        for name in left:
            self.release(name)

    def _is_waiting(self, session: str) -> bool:
        return any(waiting == session for waiting, _ in self._waiting)


uploads: Final = Uploads(internals.is_connected, internals.forget_file)


class ExpectedUploads:
    """Lets a file through if it is expected, and if its bytes come in time."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        method = scope["method"] if scope["type"] == "http" else ""
        if method not in ("PUT", "DELETE"):
            await self._app(scope, receive, send)
            return
        try:
            address = _ADDRESS.fullmatch(scope["path"])
            if address is None:
                raise RefusedError(405, "Only files are taken here.")
            name = address[1], address[2]
            if method == "PUT":
                size = _announced_length(scope)
                uploads.begin(name, size)
                receive = _Paced(name, size, receive)
        except RefusedError as refused:
            answer = PlainTextResponse(str(refused), refused.status, _LAST)
            await answer(scope, receive, send)
            return
        status = 0

        async def hear(message: Message) -> None:
            nonlocal status
            status = message.get("status", status)
            await send(message)

        try:
            await self._app(scope, receive, hear)
        except ClientDisconnect:
            pass  # in the middle of a file
        finally:
            done = 200 <= status < 300
            if method == "PUT":
                uploads.end(name, kept=done)
            elif done:
                uploads.release(name)


class _Paced:
    """Receives a file whose bytes are counted, and come in time."""

    def __init__(self, name: Name, size: int, receive: Receive) -> None:
        self._name = name
        self._size = size
        self._receive = receive
        self._begun = time.monotonic()
        self._came = 0

    async def __call__(self) -> Message:
        """The next part of the file.

        Raises:
            HTTPException: if it is late, too much, or not wanted any more.
        """
        late = self._begun + shares.UPLOAD_STALL + self._came / shares.UPLOAD_RATE
        patience = min(late - time.monotonic(), shares.UPLOAD_STALL)
        try:
            message = await asyncio.wait_for(self._receive(), max(0.0, patience))
        except TimeoutError:
            raise HTTPException(408, headers=_LAST) from None
        self._came += len(message.get("body", b""))
        if self._came > self._size:
            raise HTTPException(413, headers=_LAST)
        if not uploads.note_progress(self._name):
            raise HTTPException(403, headers=_LAST)
        return message


# Nothing more is read from this connection.
_LAST: Final = {"Connection": "close"}


def _announced_length(scope: Scope) -> int:
    """The length of a request in bytes, from its header.

    Raises:
        RefusedError: if the header is missing or is no number.
    """
    length = Headers(scope=scope).get("content-length", "")
    if not (length.isascii() and length.isdigit()):
        raise RefusedError(411, "A file must say its length.")
    return int(length)
