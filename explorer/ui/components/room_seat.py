"""What a browser remembers of a room, so that nobody loses their place on a reload or restart."""

from collections.abc import Callable, Iterable
from typing import NamedTuple

import streamlit as st

from explorer.rooms import codes
from explorer.rooms.member import Member, Stance
from explorer.ui.components.component import component

_component = component("room_seat", '<span class="room-seat" hidden></span>')


class Kept(NamedTuple):
    """What a browser kept of a room: the window's seat, and the leader's secret, if it has one."""

    code: str
    seat: str
    secret: str


def room_seat(member: Member, *, on_role_known: Callable[[], None]) -> None:
    """Have the browser keep the window's seat, its secret, and its pass.

    If the browser kept others before, the member takes those. `on_role_known` is called when the
    browser has reported whether this window leads.
    """
    sent = {
        "code": member.code,
        "seat": member.seat,
        "pass": member.browser_pass,
        "secret": member.secret,
        "roleUnknown": member.stance is Stance.ROLE_UNKNOWN,
    }

    def take(said: object) -> None:
        kept = _read(said)
        if kept is None or kept.code != member.code:
            return
        if member.restore_seat(kept.seat, kept.secret):
            on_role_known()

    def kept() -> None:
        take(st.session_state["room_seat"].get("kept"))

    said = _component(key="room_seat", data=sent, on_kept_change=kept)
    take(said.kept)  # in a new process it is set from the start, so there is no change to report


def kept_seat(
    left: Iterable[str], closed: Iterable[str], *, on_reported: Callable[[], None]
) -> Kept | None:
    """Outside of any room: what the browser kept of the room that this window was in, or may lead.

    The browser forgets its seat in `left` rooms, and everything about `closed` ones. `on_reported`
    is called when it has reported what it kept, perhaps in the run of another part of the page.
    """
    sent = {"code": "", "left": list(left), "closed": list(closed)}
    return _read(_component(key="room_seat", data=sent, on_kept_change=on_reported).kept)


def _read(said: object) -> Kept | None:
    if not isinstance(said, dict):
        return None
    code, seat, secret = (said.get(name) for name in Kept._fields)
    if not isinstance(code, str) or codes.read_code(code) != code:
        return None
    secret = secret if isinstance(secret, str) and len(secret) <= 100 else ""
    return Kept(code, seat if codes.is_name(seat) else "", secret)
