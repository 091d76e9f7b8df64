"""The answer to a window that asks how new its room is (see `components/room_news`)."""

from asyncio import sleep
from typing import Final

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from explorer.rooms import codes
from explorer.rooms.hub import NO_ROOM, hub
from explorer.rooms.member import Stance
from explorer.rooms.memory import MemoryStore
from explorer.runtime.shares import WRONG_CODES_PER_ADDRESS

NEWS: Final = "room-news"  # where it is answered, beside the pages
ROOM, PASS, SEAT, FOLLOWS = "x-room", "x-room-pass", "x-room-seat", "x-room-follows"  # headers
_refused = MemoryStore()  # counts how often each network address has asked in vain


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
        may_search = _refused.count_tries(address, 60, 0) < WRONG_CODES_PER_ADDRESS
        if hub().store.is_shared:  # an answer may take as long as one over the network
            version = await run_in_threadpool(hub().news, *given, state, may_search=may_search)
        else:
            version = hub().news(*given, state, may_search=may_search)
        if version != NO_ROOM and state is Stance.FOLLOWING:
            await sleep(hub().head_start(code))
    if version == NO_ROOM:
        _refused.count_tries(address, 60)
    return JSONResponse({"version": version}, headers={"Cache-Control": "no-store"})
