"""The browser's memory of a room: nobody loses their place on a reload or restart."""

from collections.abc import Iterable
from typing import Final, NamedTuple

from explorer.rooms import codes
from explorer.rooms.hub import hub
from explorer.rooms.member import Member, Stance
from explorer.ui.components.component import component
from explorer.ui.frame.session import memory, session

_KEPT: Final = "room_kept_seat"
_component = component("room_seat", '<span class="room-seat" hidden></span>')


class KeptSeat(NamedTuple):
    """A browser's data on a room: the window's seat, and the secret if it may lead."""

    code: str
    seat: str
    secret: str
    alone: bool  # its person explored alone


def room_seat(member: Member) -> None:
    """Let the browser keep the window's seat, its secret, and its pass.

    If the browser has kept others before, the member takes those.
    """
    sent = {
        "session": session().name,
        "code": member.code,
        "seat": member.seat,
        "pass": member.browser_pass,
        "secret": member.secret,
        "alone": member.stance is Stance.EXPLORING,
        "roleUnknown": member.stance is Stance.ROLE_UNKNOWN,
    }

    def take(reported: object) -> None:
        kept = _read(reported)
        if kept is None or kept.code != member.code:
            return
        before = member.seat
        member.restore_seat(kept.seat, kept.secret, alone=kept.alone)
        hub().move(member, before)

    _component(key="room_seat", data=sent, on={"kept": take})


def kept_seat(left: Iterable[str], closed: Iterable[str]) -> KeptSeat | None:
    """Outside of any room: the kept seat in the room that this window was in, or may lead.

    The browser forgets its seat in `left` rooms, and everything about `closed` ones.
    """

    def take(reported: object) -> None:
        memory()[_KEPT] = _read(reported)

    sent = {"session": session().name, "code": "", "left": list(left), "closed": list(closed)}
    _component(key="room_seat", data=sent, on={"kept": take})
    kept: KeptSeat | None = memory().get(_KEPT)
    return kept


def _read(reported: object) -> KeptSeat | None:
    if not isinstance(reported, dict):
        return None
    code, seat, secret, alone = (reported.get(name) for name in KeptSeat._fields)
    if not isinstance(code, str) or codes.read_code(code) != code:
        return None
    secret = secret if isinstance(secret, str) and len(secret) <= 100 else ""
    return KeptSeat(code, seat if codes.is_name(seat) else "", secret, alone is True)
