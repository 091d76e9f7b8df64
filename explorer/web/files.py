"""Files on their way from a visitor: taken where a field waits for them, counted, and freed.

A field has a box, which only its session knows, and which is gone as soon as the field is.
"""

import asyncio
import threading
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from io import BytesIO
from typing import Final
from urllib.parse import unquote
from weakref import WeakValueDictionary, ref

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from explorer.runtime import limits, shares

FILES: Final = "files"  # where they are taken, beside the pages
BOX, NAME = "x-box", "x-file-name"  # the headers of a file


@dataclass(frozen=True, slots=True)
class TakenFile:
    """A file that a visitor has sent."""

    name: str
    content: bytes

    @property
    def size(self) -> int:
        """Its bytes."""
        return len(self.content)


@dataclass(eq=False)
class Box:
    """The files of one field that no page has read yet."""

    most: int  # bytes
    coming: list[int] = field(default_factory=list)  # the bytes of those on their way
    arrived: list[TakenFile] = field(default_factory=list)
    given: list[TakenFile] = field(default_factory=list)  # all that were chosen together are here
    heard: float = 0.0  # when the last part of a file came

    @property
    def sizes(self) -> list[int]:
        """The bytes of each file."""
        return [*self.coming, *(file.size for file in (*self.arrived, *self.given))]

    def give(self, names: Collection[str]) -> None:
        """All of these have been sent: the page may have them."""
        self.given += [file for file in self.arrived if file.name in names]
        self.arrived = [file for file in self.arrived if file.name not in names]

    def take(self) -> list[TakenFile]:
        """What has been given since; nobody else holds it then."""
        taken, self.given = self.given, []
        return taken


_boxes: Final[WeakValueDictionary[str, Box]] = WeakValueDictionary()
_lock: Final = threading.Lock()  # of the list of boxes


def box(name: str, most: int) -> Box:
    """The box of this name, for so many bytes; it lasts as long as somebody holds it."""
    with _lock:
        return _boxes.setdefault(name, Box(most))


async def take_file(request: Request) -> Response:
    """Take a file for a field.

    Raises:
        HTTPException: if nobody waits for it, there is no room, or it does not come in time.
    """
    length, name = (request.headers.get(key, "") for key in ("content-length", NAME))
    if not (length.isascii() and length.isdigit()):
        raise _refused(411, "A file must say its length.")
    size, name = int(length), unquote(name)
    # Only the page holds the box: while a file comes, the field may go.
    find = ref(_boxes.get(request.headers.get(BOX, "")) or Box(0))
    _begin(_found(find), name, size)
    try:
        content = await _read(request, find, size)
        _found(find).arrived.append(TakenFile(name, content))
    except ClientDisconnect:
        return Response(status_code=400)  # which nobody reads
    finally:
        if found := find():
            found.coming.remove(size)
        asyncio.get_running_loop().call_later(shares.UPLOAD_UNREAD, _free_unread, find)
    return Response(status_code=204)


def _begin(found: Box, name: str, size: int) -> None:
    found.arrived = [file for file in found.arrived if file.name != name]  # it is sent again
    if len(found.sizes) >= shares.UPLOAD_FILES or size + sum(found.sizes) > found.most:
        raise _refused(413, f"A field takes {shares.UPLOAD_FILES} files, of {found.most:,} bytes.")
    with _lock:
        held = sum(sum(other.sizes) for other in _boxes.values())
    if size + held > max(found.most, limits.memory_limit() // shares.UPLOADS_MEMORY_DIVISOR):
        raise _refused(503, "Others are sending files: try again in a minute.")
    found.coming.append(size)


async def _read(request: Request, find: Callable[[], Box | None], size: int) -> bytes:
    content, begun = BytesIO(), time.monotonic()
    loop = asyncio.get_running_loop()
    try:
        async with asyncio.timeout(shares.UPLOAD_STALL) as clock:
            async for part in request.stream():
                _found(find).heard = now = time.monotonic()
                if content.tell() + len(part) > size:
                    raise _refused(413, "The file is longer than was said.")
                content.write(part)
                ahead = begun + content.tell() / shares.UPLOAD_RATE - now  # seconds
                clock.reschedule(loop.time() + shares.UPLOAD_STALL + min(ahead, 0.0))
    except TimeoutError:
        raise _refused(408, "The file does not come.") from None
    return content.getvalue()


def _found(find: Callable[[], Box | None]) -> Box:
    """The box of a field that is on its page."""
    if found := find():
        return found
    raise _refused(403, "No field on the page waits for a file.")


def _free_unread(find: Callable[[], Box | None]) -> None:
    """Free the files of a box to which none has come for a while."""
    found = find()
    if found and time.monotonic() - found.heard > 0.9 * shares.UPLOAD_UNREAD:
        found.arrived, found.given = [], []


def _refused(status: int, why: str) -> HTTPException:
    return HTTPException(status, why, {"Connection": "close"})  # nothing more is read from it


class OnlyFiles:
    """Refuses whatever else is sent: Streamlit would keep files for anybody's session."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        sends = scope["type"] == "http" and scope["method"] not in ("GET", "HEAD", "OPTIONS")
        if sends and not scope["path"].endswith(f"/{FILES}"):
            refusal = _refused(405, "Only files are taken here.")
            answer = PlainTextResponse(refusal.detail, 405, refusal.headers)
            await answer(scope, receive, send)
        else:
            await self._app(scope, receive, send)
