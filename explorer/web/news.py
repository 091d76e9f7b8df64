"""The answer to a window that asks how new its room is (see `components/room_news`)."""

import time
from asyncio import sleep
from collections import Counter
from typing import Final

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from explorer.rooms import codes
from explorer.rooms.hub import NO_ROOM, hub
from explorer.rooms.member import Stance
from explorer.runtime.shares import WRONG_CODES_PER_ADDRESS

NEWS: Final = "room-news"  # where it is answered, beside the pages
ROOM, PASS, SEAT, FOLLOWS = "x-room", "x-room-pass", "x-room-seat", "x-room-follows"  # headers


class _Refused:
    """How often each network address has asked in vain, in the present minute."""

    def __init__(self) -> None:
        self._minute = 0
        self._counts: Counter[str] = Counter()

    def add(self, address: str) -> None:
        """Count one more."""
        self._counts[address] += 1

    def is_few(self, address: str) -> bool:
        """Whether it may still be mistyped codes, or rooms that were closed."""
        if (now := int(time.monotonic() / 60)) != self._minute:
            self._minute, self._counts = now, Counter()
        return self._counts[address] < WRONG_CODES_PER_ADDRESS


_refused = _Refused()


async def news(request: Request) -> Response:
    """How new a room is; the same answer for a room that there is not, and without its pass.

    After many questions in vain, only the rooms of those who are here are looked up, so that the
    time of an answer tells nobody which codes there are.
    """
    said, address = request.headers, request.client.host if request.client else ""
    code, seat = codes.read_code(said.get(ROOM, "")), said.get(SEAT, "")
    version = NO_ROOM
    if code is not None and codes.is_name(seat):
        given = code, seat, said.get(PASS, "")[:100]
        state = {"yes": Stance.FOLLOWING, "gone": None}.get(said.get(FOLLOWS, ""), Stance.EXPLORING)
        may_search = _refused.is_few(address)
        if hub().is_slow:
            version = await run_in_threadpool(hub().news, *given, state, may_search=may_search)
        else:
            version = hub().news(*given, state, may_search=may_search)
        if version != NO_ROOM and state is Stance.FOLLOWING:
            await sleep(hub().head_start(code))
    if version == NO_ROOM:
        _refused.add(address)
    return JSONResponse({"version": version}, headers={"Cache-Control": "no-store"})
