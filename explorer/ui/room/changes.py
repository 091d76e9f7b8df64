"""The changes that a follower makes: from then on, they explore alone."""

from typing import Any, Final

import streamlit as st

from explorer.rooms.room import Room
from explorer.ui import internals
from explorer.ui.controls.choices import CHOSEN
from explorer.ui.controls.widgets import resend_values
from explorer.ui.parameters import Frame
from explorer.ui.query import read_address
from explorer.ui.room.place import explore, room_on_show, screens, this_member, why_not_following

_BEFORE: Final = "room_choices_before"


def follower_changes(page: str, room: Room) -> dict[str, Any] | None:
    """The choices that this person has just made while the room changed; None if there are none.

    Empty if they have turned the page.
    """
    member, before = this_member(), st.session_state.get(_BEFORE)
    if member is None or not member.applied_version or before is None or room.activity is not None:
        return None  # it has not followed so far, or an activity leads it
    if not screens().is_by_person(internals.session_id()):
        return None
    page_before, choices_before = before
    theirs, _ = read_address(room.params)
    now = _choices()
    own = {
        key: now.get(key)
        for key in _changed(choices_before, now)
        if now.get(key) != theirs.get(key)
    }
    resend_values(own)  # the browser may have been sent other values at the same moment
    return own if own or page not in (page_before, room.page) else None


def record_applied(room: Room) -> None:
    """Record that this window shows the room's state: its person makes all later changes."""
    member = this_member()
    assert member is not None
    member.applied_version = room.version
    if room.activity is not None:
        member.begun_number = room.activity.number
    # Now, too: a person who types or clicks interrupts this run before its end.
    remember_choices(st.session_state.get("page_on_show", "home"))


def notice_follower_changes(page: str) -> None:
    """Let a follower who clicks, types or turns a page explore alone from then on."""
    member, room = this_member(), room_on_show()
    if member is None or room is None or member.applied_version != room.version:
        return
    if why_not_following(member, room):
        return
    before, now = st.session_state.get(_BEFORE), (page, _choices())
    if before is None or before == now or not screens().is_by_person(internals.session_id()):
        return
    # A run of the room may have begun at the same time: choices equal to the room's are not theirs.
    shown, _ = read_address(room.params)
    own = {key for key in _changed(before[1], now[1]) if now[1].get(key) != shown.get(key)}
    if not own and page == room.page:
        return
    # If the browser's address is older, the browser has been sent other values meanwhile.
    address = st.query_params
    resend_values(key for key in own if address.get(key) != room.params.get(key))
    explore()


def remember_choices(page: str) -> None:
    """Keep the choices on the screen: only a person can change them before the next run."""
    member = this_member()
    if member is not None:
        st.session_state[_BEFORE] = page, _choices()


def _changed(before: dict[str, Any], now: dict[str, Any]) -> set[str]:
    """The keys of the choices that have changed."""
    return {key for key in now.keys() | before.keys() if now.get(key) != before.get(key)}


def _choices() -> dict[str, Any]:
    """All choices except the language: everybody in a room reads in their own."""
    return {
        key: new for key, new in dict(st.session_state[CHOSEN]).items() if key != Frame.lang.key
    }
