"""The answer to a window that asks how new its room is (see `components/room_news`)."""

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from explorer.rooms import codes
from explorer.rooms.hub import NO_ROOM, hub
from explorer.rooms.member import Stance
from explorer.ui.components.room_news import ANSWERED, FOLLOWS, PASS, ROOM, SEAT


async def news(request: Request) -> Response:
    """How new a room is; the same answer for a room that there is not, and without its pass."""
    said = request.headers
    code, seat = codes.read_code(said.get(ROOM, "")), said.get(SEAT, "")
    version = NO_ROOM
    if code is not None and codes.is_name(seat):
        given = code, seat, said.get(PASS, "")[:100]
        state = {"yes": Stance.FOLLOWING, "gone": None}.get(said.get(FOLLOWS, ""), Stance.EXPLORING)
        if hub().is_slow:
            version = await run_in_threadpool(hub().news, *given, state)
        else:
            version = hub().news(*given, state)
    return JSONResponse({"version": version}, headers={ANSWERED: "1", "Cache-Control": "no-store"})
