"""What a browser remembers of a room, so that a reload, or another server, loses nobody's place."""

from collections.abc import Callable, Iterable
from typing import NamedTuple

import streamlit as st

from explorer.rooms import codes
from explorer.rooms.member import Member, Stance
from explorer.ui.components.component import component

_component = component("room_seat", '<span class="room-seat" hidden></span>')


class Kept(NamedTuple):
    """What a browser kept of a room: a window's seat, and the secret of whoever may lead."""

    code: str
    seat: str
    secret: str


def room_seat(member: Member, *, on_role_known: Callable[[], None]) -> None:
    """Have the browser keep the window's seat, its secret, and the pass of whoever was there.

    If it kept some before, they take the place of those here. `on_role_known` is called when it has
    said whether this window leads.
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
        if member.say_who(kept.seat, kept.secret):
            on_role_known()

    def kept() -> None:
        take(st.session_state["room_seat"].get("kept"))

    said = _component(key="room_seat", data=sent, on_kept_change=kept)
    take(said.kept)  # a new process has it from the start, and nothing changes


def kept_seat(
    left: Iterable[str], closed: Iterable[str], *, on_said: Callable[[], None]
) -> Kept | None:
    """In no room: what the browser keeps of the one that this window was in, or may lead.

    It forgets the rooms that were left, and all about those that are closed. `on_said` is called
    when it has said so: perhaps in the run of another part of the page.
    """
    sent = {"code": "", "left": list(left), "closed": list(closed)}
    return _read(_component(key="room_seat", data=sent, on_kept_change=on_said).kept)


def _read(said: object) -> Kept | None:
    if not isinstance(said, dict):
        return None
    code, seat, secret = (said.get(name) for name in Kept._fields)
    if not isinstance(code, str) or codes.read_code(code) != code:
        return None
    secret = secret if isinstance(secret, str) and len(secret) <= 100 else ""
    return Kept(code, seat if codes.is_name(seat) else "", secret)
