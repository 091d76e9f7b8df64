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
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from explorer.runtime import shares
from explorer.runtime.limits import memory_limit
from explorer.ui import internals

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
    """Which sessions wait for files, and the files that they have; for any thread."""

    def __init__(
        self, connected: Callable[[str], bool], forget: Callable[[str, str], None]
    ) -> None:
        self._connected = connected
        self._forget = forget
        self._lock = threading.Lock()
        self._waiting: set[tuple[str, str]] = set()  # sessions, and the places of their fields
        self._files: dict[tuple[str, str], _File] = {}  # by session and number of the file

    def expect(self, session: str, place: str) -> None:
        """A page with a field for files has been drawn."""
        with self._lock:
            self._waiting.add((session, place))

    def withdraw(self, session: str, place: str) -> None:
        """The field is gone."""
        with self._lock:
            self._waiting.discard((session, place))

    def begin(self, session: str, file: str, size: int) -> None:
        """A file of so many bytes is about to come.

        Raises:
            RefusedError: if nobody waits for it, or if there is no room.
        """
        if not self._connected(session):
            raise RefusedError(400, "There is no such session.")
        with self._lock:
            if not any(waiting == session for waiting, _ in self._waiting):
                raise RefusedError(403, "No field on the page waits for a file.")
            own = [known for (owner, _), known in self._files.items() if owner == session]
            if (session, file) in self._files or len(own) >= shares.UPLOAD_FILES:
                raise RefusedError(409, "This file, or too many of them, are already here.")
            if size + sum(known.size for known in own) > shares.UPLOAD:
                raise RefusedError(413, f"Files may have up to {shares.UPLOAD:,} bytes together.")
            held = sum(known.size for known in self._files.values())
            if size + held > max(shares.UPLOAD, memory_limit() // shares.UPLOADS_OF_ALL):
                raise RefusedError(503, "Others are uploading files: try again in a minute.")
            self._files[session, file] = _File(size)

    def go_on(self, session: str, file: str) -> bool:
        """More of a file has come; whether the rest is wanted."""
        with self._lock:
            known = self._files.get((session, file))
            wanted = any(waiting == session for waiting, _ in self._waiting)
            if known is not None:
                known.heard = time.monotonic()
        return known is not None and wanted and self._connected(session)

    def end(self, session: str, file: str, *, kept: bool) -> None:
        """A file has come, and Streamlit keeps it, or not."""
        with self._lock:
            known = self._files.get((session, file))
            if kept and known is not None:
                known.arrived, known.heard = True, time.monotonic()
                return
            self._files.pop((session, file), None)
        if kept:  # its visitor has left in the meantime
            self._forget(session, file)

    def release(self, session: str, file: str) -> None:
        """A file has been read, or removed: its memory is free."""
        self._forget(session, file)
        with self._lock:
            self._files.pop((session, file), None)

    def free_abandoned(self) -> None:
        """Free the files whose visitor has left, and those that no page reads."""
        with self._lock:
            sessions = {session for session, _ in (*self._waiting, *self._files)}
        gone = {session for session in sessions if not self._connected(session)}
        now = time.monotonic()
        with self._lock:
            self._waiting = {waiting for waiting in self._waiting if waiting[0] not in gone}
            last: dict[str, float] = {}
            for (session, _), known in self._files.items():
                last[session] = max(last.get(session, 0), known.heard)
            left = [
                (session, file)
                for (session, file), known in self._files.items()
                if session in gone or (known.arrived and now - last[session] > shares.UPLOAD_UNREAD)
            ]
        for session, file in left:
            self.release(session, file)


uploads: Final = Uploads(internals.is_connected, internals.forget_file)


class ExpectedUploads:
    """Lets a file through if it is expected, and if its bytes come in time."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        address = _ADDRESS.fullmatch(scope["path"]) if scope["type"] == "http" else None
        if scope["type"] != "http" or scope["method"] not in ("PUT", "DELETE"):
            await self._app(scope, receive, send)
        elif address is None:
            await _refuse(405, "Only files are taken here.", scope, receive, send)
        elif scope["method"] == "PUT":
            await self._take(*address.groups(), scope, receive, send)
        else:
            await self._app(scope, receive, send)

    async def _take(
        self, session: str, file: str, scope: Scope, receive: Receive, send: Send
    ) -> None:
        """Take a file, or refuse it before it is read."""
        length = Headers(scope=scope).get("content-length", "")
        try:
            if not (length.isascii() and length.isdigit()):
                raise RefusedError(411, "A file must say its length.")
            uploads.begin(session, file, int(length))
        except RefusedError as refused:
            await _refuse(refused.status, str(refused), scope, receive, send)
            return
        kept = False

        async def hear(message: Message) -> None:
            nonlocal kept
            if message["type"] == "http.response.start":
                kept = 200 <= message["status"] < 300
            await send(message)

        try:
            await self._app(scope, _Paced(session, file, int(length), receive), hear)
        finally:
            uploads.end(session, file, kept=kept)


class _Paced:
    """Receives a file whose bytes are counted, and come in time."""

    def __init__(self, session: str, file: str, length: int, receive: Receive) -> None:
        self._of = session, file
        self._length = length
        self._receive = receive
        self._begun = time.monotonic()
        self._came = 0

    async def __call__(self) -> Message:
        """The next part of the file.

        Raises:
            HTTPException: if it is late, too much, or not wanted any more.
        """
        if self._came >= self._length:  # only that the visitor has left may follow
            return await self._receive()
        allowed = shares.UPLOAD_STALL + self._came / shares.UPLOAD_RATE
        remaining = self._begun + allowed - time.monotonic()
        try:
            message = await asyncio.wait_for(
                self._receive(), max(0.0, min(remaining, shares.UPLOAD_STALL))
            )
        except TimeoutError:
            raise HTTPException(408, headers=_LAST) from None
        self._came += len(message.get("body", b""))
        if self._came > self._length:
            raise HTTPException(413, headers=_LAST)
        if not uploads.go_on(*self._of):
            raise HTTPException(403, headers=_LAST)
        return message


# What else comes over this connection is not read.
_LAST: Final = {"Connection": "close"}


async def _refuse(status: int, why: str, scope: Scope, receive: Receive, send: Send) -> None:
    await PlainTextResponse(why, status, _LAST)(scope, receive, send)
