"""This window's place in a room: enter, follow the teacher, explore alone, come back, leave.

A follower follows the teacher's address. It says everything that is on the screen (but for weights
that the teacher trained, see `leading`). The model runs once for all who show the same.
"""

import os
from functools import cache
from typing import Final

import streamlit as st

from explorer.languages import tr
from explorer.rooms import codes
from explorer.rooms.hub import Hub
from explorer.rooms.member import NOT_FOLLOWING, Member, Stance, StanceEvent
from explorer.rooms.memory import MemoryStore
from explorer.rooms.redraws import Why
from explorer.rooms.room import Room, RoomError, StoreGoneError
from explorer.rooms.store import Store
from explorer.runtime.shares import (
    ROOMS_OPENED_PER_ADDRESS,
    ROOMS_OPENED_PER_BROWSER,
    ROOMS_OPENED_PER_WINDOW,
    WRONG_CODES_PER_ADDRESS,
    WRONG_CODES_PER_BROWSER,
    WRONG_CODES_PER_WINDOW,
)
from explorer.ui import internals
from explorer.ui.components.room_seat import Kept, kept_seat
from explorer.ui.parameters import Frame
from explorer.ui.room.screens import Screens

CODE, KEY = "room", "room_key"  # in the address
REDIS_URL: Final = "EXPLORER_REDIS_URL"
_MEMBER: Final = "room_member"
_NOTE: Final = "room_note"
_ANEW: Final = "room_full_rerun"
# Their pages show what only one person has answered or trained.
_OWN_PAGES: Final = {"practice", "room", "training"}
_LEFT, _CLOSED = "room_left", "room_closed"  # by this window, so that they are not offered
_PERSON: Final = "room_person"  # a name for whoever's browser has none
_PASSES: Final = "room_passes"  # of the rooms that this session has been in
_PASS: Final = "explorer-room-"  # the browser's cookie with a pass, and the code


@cache
def hub() -> Hub:
    """The rooms that this process knows."""
    store: Store = MemoryStore()
    if url := os.environ.get(REDIS_URL):
        from explorer.rooms.redis_store import RedisStore  # only those who use it need redis

        store = RedisStore(url)
    return Hub(store, screens())


@cache
def screens() -> Screens:
    """The screens of all windows of this process that are in a room."""
    return Screens()


def this_member() -> Member | None:
    """This window's place; None outside of any room."""
    member: Member | None = st.session_state.get(_MEMBER)
    return member


def room_on_show() -> Room | None:
    """The room that this window is in, as it is now."""
    member = this_member()
    return None if member is None else hub().room(member)


def may_lead(member: Member, room: Room) -> bool:
    """Whether this window has the room's secret."""
    return codes.opens(member.secret, room.lock)


def leads(member: Member, room: Room) -> bool:
    """Whether the room follows this window."""
    return member.seat == room.leader and may_lead(member, room)


def request_full_rerun() -> None:
    """From a callback: have everything drawn anew, unless the page is turned meanwhile.

    (`st.rerun` in a callback would turn it back.)
    """
    st.session_state[_ANEW] = True


def take_full_rerun_request() -> bool:
    """Whether a callback has asked for it; asks no more."""
    return bool(st.session_state.pop(_ANEW, False))


def take_note() -> str:
    """What went wrong last; it is said once."""
    return str(st.session_state.pop(_NOTE, ""))


def say(text: str) -> None:
    """Say this where the room is shown, in the next picture."""
    st.session_state[_NOTE] = text


def open_room(params: dict[str, str]) -> None:
    """Open a room that follows this window."""
    seat = codes.new_name()
    limits = _limits(ROOMS_OPENED_PER_WINDOW, ROOMS_OPENED_PER_BROWSER, ROOMS_OPENED_PER_ADDRESS)
    try:
        code, secret = hub().open("room", params, seat, limits)
        _enter(_seat(code, secret, seat))
    except RoomError as error:
        say(str(error))


def join(code: str, secret: str = "", seat: str = "") -> bool:
    """Enter the room with this code; if that is not possible, say so."""
    read = codes.read_code(code)
    if read is None:
        say(
            tr(
                "A code has {length} letters and digits, as in {example}. Compare yours with the "
                "one on the screen in front.",
                length=codes.LENGTH,
                example=codes.spoken("K7QM2XPD"),
            )
        )
        return False
    try:
        _guard(read)
        _enter(_seat(read, secret, seat))
    except RoomError as error:
        say(str(error))
        return False
    return True


def leave() -> None:
    """Leave the room; what is on the screen stays."""
    disable_message_cache()  # also from now on: what was drawn before may have been dropped
    member = st.session_state.pop(_MEMBER, None)
    if member is not None:
        st.session_state.setdefault(_LEFT, {})[member.code] = None
        hub().leave(member)


def offered() -> tuple[Kept, Room] | None:
    """For a window in no room: the one that it was in, or that its browser can lead, if it is open.

    The window may have followed a link that names no room, or the window that led was closed.
    """
    left: dict[str, None] = st.session_state.setdefault(_LEFT, {})
    closed: dict[str, None] = st.session_state.setdefault(_CLOSED, {})
    kept = kept_seat(left, closed, on_reported=request_full_rerun)
    if kept is None or kept.code in left or kept.code in closed:
        return None
    try:
        return kept, _guard(kept.code)
    except StoreGoneError:
        return None
    except RoomError:
        closed[kept.code] = None
        return None


def accept(kept: Kept, room: Room) -> None:
    """Go back to the room that was offered; whoever may lead it, leads it from here."""
    if not join(kept.code, kept.secret, kept.seat) or (member := this_member()) is None:
        return
    member.is_known = True
    if may_lead(member, room) and not leads(member, room):
        try:
            hub().change(member, lambda now: now.next(leader=member.seat, paused=False))
        except RoomError as error:
            say(str(error))


def decline(kept: Kept) -> None:
    """Stay out of the room that was offered."""
    st.session_state[_LEFT][kept.code] = None


def explore() -> None:
    """Follow no more, for a while."""
    if (member := this_member()) is not None:
        member.does(StanceEvent.EXPLORE)


def come_back() -> None:
    """Follow again, from where the room is now."""
    if (member := this_member()) is not None:
        member.applied = 0
        member.does(StanceEvent.RETURN)


def enter_by_address() -> None:
    """On a first visit: enter the room that the address names."""
    code = st.query_params.get(CODE, "")
    if code and this_member() is None and join(code, st.query_params.get(KEY, "")):
        # After a reload, say: only the browser knows whether this window leads and stays here.
        says_more = set(st.query_params) - {CODE, KEY, Frame.lang.key}
        member = this_member()
        if member is not None and (says_more or st.session_state.page_on_show != "home"):
            member.stance = Stance.ROLE_UNKNOWN


def address_of_room() -> dict[str, str]:
    """What an address says of the room. The secret is not in it: an address is easily shown."""
    member = this_member()
    return {} if member is None else {CODE: codes.spoken(member.code)}


def why_not_following(member: Member, room: Room) -> Why | None:
    """Why this window does not show what the teacher shows, if it does not."""
    activity = room.activity
    if room.closed:
        return Why.CLOSED
    if leads(member, room):
        return Why.LEADS
    if activity is not None and activity.kind == "training" and member.begun == activity.number:
        return Why.TRAINS  # it was led there once
    return NOT_FOLLOWING.get(member.stance)


def disable_message_cache() -> None:
    """In a room: what is drawn from now on is sent whole. Begin every run with it."""
    if this_member() is not None:
        internals.disable_message_cache()


def room_to_follow() -> Room | None:
    """The room, if this window follows it and does not yet show where it is now."""
    member, room = this_member(), room_on_show()
    if member is None or room is None or member.applied == room.version:
        return None
    why = why_not_following(member, room)
    if why is not None and why is not Why.LEADS:
        waits = (name for name, part in member.parts.items() if "room" in part.topics)
        member.explain(next(waits, ""), why)
    return None if why else room


def is_left_behind() -> bool:
    """Whether only a part inside the page is drawn, while the page around it has to follow."""
    member = this_member()
    if member is None or room_to_follow() is None or not internals.is_drawn_alone():
        return False
    part = member.parts.get(internals.part_on_show())
    return part is None or "room" not in part.topics


def redraw_on(*topics: str) -> None:
    """This part of the page shows these topics of the room: draw it again when they change."""
    member = this_member()
    if member is not None:
        hub().has_drawn(member, internals.part_on_show(), *topics)


def redraw_on_news() -> None:
    """Redraw the current part of the page when there is news of the room."""
    member, room = this_member(), room_on_show()
    if member is not None and room is not None:
        page = st.session_state.get("page_on_show", "home")
        if not internals.part_on_show():
            member.begins_anew()
        elif leads(member, room):
            redraw_on("state", "store")  # what could not be told meanwhile is told then
        elif room.activity is not None or page in _OWN_PAGES:
            redraw_on("room", "own")  # of which there is never news: it is sent to nobody else
        else:
            redraw_on("room")


def _enter(member: Member) -> None:
    leave()
    room = hub().enter(member)
    st.session_state[_MEMBER] = member
    st.session_state.get(_LEFT, {}).pop(member.code, None)
    member.browser_pass = codes.pass_of(room.lock)
    st.session_state.setdefault(_PASSES, {})[member.code] = member.browser_pass


def _seat(code: str, secret: str, seat: str = "") -> Member:
    """A place in a room, in the name that this person has there."""
    own = st.session_state.setdefault(_PERSON, codes.new_name())
    person = codes.name_of(internals.browser() or own, code)
    return Member(
        internals.session_id(), code, person, seat=seat or codes.new_name(), secret=secret
    )


def _guard(code: str) -> Room:
    """Look the code up, counting tries that find nothing."""
    # The cookie is from before this session: a reload has it, and a second window.
    cookie = st.context.cookies.get(f"{_PASS}{code}")
    passes = (cookie, st.session_state.get(_PASSES, {}).get(code))
    shown = [one for one in passes if isinstance(one, str)]
    limits = _limits(WRONG_CODES_PER_WINDOW, WRONG_CODES_PER_BROWSER, WRONG_CODES_PER_ADDRESS)
    return hub().find(code, limits, shown)


def _limits(window: int, browser: int, address: int) -> dict[str, int]:
    """What this window may do a minute, its browser, and everybody at its network address."""
    limits = {f"session {internals.session_id()}": window}
    if name := internals.browser():
        limits[f"browser {name}"] = browser
    if where := st.context.ip_address:
        limits[f"address {where}"] = address
    return limits
