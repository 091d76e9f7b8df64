"""This window's place in a room: enter, follow the teacher, explore alone, come back, leave.

A follower follows the teacher's address, which holds everything on the screen except weights that
the teacher trained (see `leading`). Each window draws its own page, and the model runs once for all
that show the same.
"""

from collections.abc import Callable, Mapping
from typing import Final

import streamlit as st

from explorer.choices.parameters import Frame
from explorer.languages import tr
from explorer.rooms import codes
from explorer.rooms.hub import hub
from explorer.rooms.member import Member, Stance
from explorer.rooms.room import Room, RoomError, StoreGoneError
from explorer.runtime.shares import (
    ROOMS_OPENED_PER_ADDRESS,
    ROOMS_OPENED_PER_BROWSER,
    ROOMS_OPENED_PER_WINDOW,
    WRONG_CODES_PER_ADDRESS,
    WRONG_CODES_PER_BROWSER,
    WRONG_CODES_PER_WINDOW,
)
from explorer.ui.components.room_seat import KeptSeat, kept_seat
from explorer.ui.frame.session import browser, memory, once, session

CODE, KEY = "room", "room_key"  # in the address
_MEMBER: Final = "room_member"
_MESSAGE: Final = "room_message"
_LEFT, _CLOSED = "room_left", "room_closed"  # rooms that are not offered to this window
_IN_VAIN: Final = "room_in_vain"  # the code of the address, if no room has it
_PERSON: Final = "room_person"  # a name for a person whose browser has none
_PASSES: Final = "room_passes"  # by room, for the rooms that this session has been in
_PASS: Final = "explorer-room-"  # and a code: the name of the cookie with the room's pass


def this_member() -> Member | None:
    """This window's place; None outside of any room."""
    member: Member | None = memory().get(_MEMBER)
    return member


def room_on_show() -> Room | None:
    """The newest state of this window's room."""
    member = this_member()
    return None if member is None else hub().room(member)


def may_lead(member: Member, room: Room) -> bool:
    """Whether this window has the room's secret."""
    return codes.opens(member.secret, room.lock)


def leads(member: Member, room: Room) -> bool:
    """Whether the room follows this window."""
    return room.is_led_by(member.seat, member.secret)


def place_in_room() -> tuple[str, bool]:
    """The code of this window's room, and whether it leads there; "" outside of any room."""
    member, room = this_member(), room_on_show()
    return ("", False) if member is None or room is None else (room.code, leads(member, room))


def take_message() -> str:
    """The message to show where the room is shown; it is shown once."""
    return once(_MESSAGE) or ""


def set_message(text: str) -> None:
    """Show this message in the next picture, where the room is shown."""
    memory()[_MESSAGE] = text


def open_room(params: dict[str, str]) -> None:
    """Open a room that follows this window."""
    seat = codes.new_name()
    limits = _limits(ROOMS_OPENED_PER_WINDOW, ROOMS_OPENED_PER_BROWSER, ROOMS_OPENED_PER_ADDRESS)
    try:
        code, secret = hub().open(params, seat, limits)
        _enter(_new_member(code, secret, seat))
    except RoomError as error:
        set_message(str(error))


def join(code: str, secret: str = "", seat: str = "") -> bool:
    """Enter the room with this code; returns False, and sets a message, if that is impossible."""
    known = codes.read_code(code)
    if known is None:
        set_message(
            tr(
                "A code has {length} letters and digits, as in {example}. Compare yours with the "
                "one on the screen in front.",
                length=codes.LENGTH,
                example=codes.readable("K7QM2XPD"),
            )
        )
        return False
    try:
        _find(known)
        _enter(_new_member(known, secret, seat))
    except RoomError as error:
        set_message(str(error))
        return False
    return True


def change_room(member: Member, edit: Callable[[Room], Room | None]) -> None:
    """Change the room; if that is impossible, set a message."""
    member.reported_page = None  # the room's page may change with it
    try:
        hub().change(member, edit)
    except RoomError as error:
        set_message(str(error))


def leave() -> None:
    """Leave the room; the screen stays as it is."""
    member = memory().pop(_MEMBER, None)
    if member is not None:
        memory().setdefault(_LEFT, {})[member.code] = None
        hub().leave(member)


def offered_room() -> tuple[KeptSeat, Room] | None:
    """For a window in no room: the open room that it was in, or that its browser can lead.

    The window may have followed a link that names no room, or the leader's window was closed.
    """
    left: dict[str, None] = memory().setdefault(_LEFT, {})
    closed: dict[str, None] = memory().setdefault(_CLOSED, {})
    kept = kept_seat(left, closed)
    if kept is None or kept.code in left or kept.code in closed:
        return None
    try:
        return kept, _find(kept.code)
    except StoreGoneError:
        return None
    except RoomError as error:
        closed[kept.code] = None
        if memory().pop(_IN_VAIN, None) == kept.code:  # this run follows at once, and says it, too
            set_message(str(error))
        return None


def accept(kept: KeptSeat, room: Room) -> None:
    """Enter the offered room again, and lead it if this window may."""
    if not join(kept.code, kept.secret, kept.seat) or (member := this_member()) is None:
        return
    if may_lead(member, room) and not leads(member, room):
        change_room(member, lambda now: now.next(leader=member.seat, paused=False))


def decline(kept: KeptSeat) -> None:
    """Do not enter the offered room."""
    memory()[_LEFT][kept.code] = None


def explore() -> None:
    """Stop following, for a while."""
    if (member := this_member()) is not None:
        member.stance = Stance.EXPLORING


def come_back() -> None:
    """Follow again, from the room's present state."""
    if (member := this_member()) is not None:
        member.stance, member.applied_version = Stance.FOLLOWING, 0


def enter_by_address(params: Mapping[str, str]) -> None:
    """On a first visit: enter the room that the address names."""
    code = params.get(CODE, "")
    memory()[_IN_VAIN] = codes.read_code(code)
    if code and this_member() is None and join(code, params.get(KEY, "")):
        memory()[_IN_VAIN] = None
        # This may be a reload: only the browser knows whether this window leads, and stays here.
        others = set(params) - {CODE, KEY, Frame.lang.key}
        member = this_member()
        if member is not None and (others or session().page != "home"):
            member.stance = Stance.ROLE_UNKNOWN


def address_of_room() -> dict[str, str]:
    """An open room's part of an address, without the secret: an address is easily shown."""
    member, room = this_member(), room_on_show()
    if member is None or (room is not None and room.closed):
        return {}
    return {CODE: codes.readable(member.code)}


def follows(member: Member, room: Room) -> bool:
    """Whether this window follows the teacher."""
    return not room.closed and not leads(member, room) and member.stance is Stance.FOLLOWING


def is_follower() -> bool:
    """Whether this window follows a room at the moment."""
    member, room = this_member(), room_on_show()
    return member is not None and room is not None and follows(member, room)


def counts_as_following(member: Member, room: Room) -> bool:
    """The same, and so does a window whose browser has not yet said whether it leads."""
    is_open = not room.closed and not leads(member, room)
    return is_open and member.stance is not Stance.EXPLORING


def room_to_follow() -> Room | None:
    """The room, if this window follows it and does not yet show its newest state."""
    member, room = this_member(), room_on_show()
    if member is None or room is None:
        return None
    if room.calls != member.calls:  # the teacher has called everybody back
        member.calls = room.calls
        come_back()
    if member.applied_version == room.version or not follows(member, room):
        return None
    return room


def note_how_new() -> None:
    """Note how new the room is that this run will show, before the run looks at it."""
    member, room = this_member(), room_on_show()
    if member is not None and room is not None:
        member.drawn = hub().how_new(
            member.code, member.seat, follows=counts_as_following(member, room)
        )


def _enter(member: Member) -> None:
    leave()
    room = hub().enter(member)
    memory()[_MEMBER] = member
    memory().get(_LEFT, {}).pop(member.code, None)
    member.calls = room.calls
    member.browser_pass = codes.pass_of(room.lock)
    memory().setdefault(_PASSES, {})[member.code] = member.browser_pass


def _new_member(code: str, secret: str, seat: str = "") -> Member:
    """A member with the name that this person has in the room."""
    own = memory().setdefault(_PERSON, codes.new_name())
    person = codes.name_of(browser() or own, code)
    return Member(code, person, seat=seat or codes.new_name(), secret=secret)


def _find(code: str) -> Room:
    """Find the room with this code; wrong codes are counted."""
    # A reload, or a second window, has the cookie of an earlier session.
    cookie = st.context.cookies.get(f"{_PASS}{code}")
    passes = (cookie, memory().get(_PASSES, {}).get(code))
    known = [one for one in passes if isinstance(one, str)]
    limits = _limits(WRONG_CODES_PER_WINDOW, WRONG_CODES_PER_BROWSER, WRONG_CODES_PER_ADDRESS)
    return hub().find(code, limits, known)


def _limits(window: int, of_browser: int, address: int) -> dict[str, int]:
    """The limits a minute of this window, its browser, and its network address, by name."""
    limits = {f"session {session().name}": window}
    if name := browser():
        limits[f"browser {name}"] = of_browser
    if ip_address := st.context.ip_address:
        limits[f"address {ip_address}"] = address
    return limits
