"""What somebody does themselves while their window follows: from then on they are exploring."""

from typing import Any, Final

import streamlit as st

from explorer.rooms.room import Room
from explorer.ui import internals
from explorer.ui.controls.choices import CHOSEN
from explorer.ui.controls.widgets import tell_again
from explorer.ui.parameters import Frame
from explorer.ui.query import read_address
from explorer.ui.room.place import explore, room_on_show, screens, this_member, why_not_following

_BEFORE: Final = "room_choices_before"


def follower_changes(page: str, room: Room) -> dict[str, Any] | None:
    """What this person has just chosen, while the room had moved on; None if it was nothing.

    It is empty if they have turned the page.
    """
    member, before = this_member(), st.session_state.get(_BEFORE)
    if member is None or not member.applied or before is None or room.activity is not None:
        return None  # it has not followed so far, or is led somewhere
    if not screens().is_persons(internals.session_id()):
        return None
    page_before, choices_before = before
    said, _ = read_address(room.params)
    now = _choices()
    own = {
        key: now.get(key) for key in _changed(choices_before, now) if now.get(key) != said.get(key)
    }
    tell_again(own)  # the browser may have been told something else at the same moment
    return own if own or page not in (page_before, room.page) else None


def has_applied(room: Room) -> None:
    """This window is where the room is: what changes from now on, its person has done."""
    member = this_member()
    assert member is not None
    member.applied = room.version
    if room.activity is not None:
        member.begun = room.activity.number
    # Now, too: a person who types or clicks cuts this run short, before it can remember the end.
    remember_choices(st.session_state.get("page_on_show", "home"))


def notice_follower_changes(page: str) -> None:
    """Whoever clicks, types or turns a page while following is exploring from then on."""
    member, room = this_member(), room_on_show()
    if member is None or room is None or member.applied != room.version:
        return
    if why_not_following(member, room):
        return
    before, now = st.session_state.get(_BEFORE), (page, _choices())
    if before is None or before == now or not screens().is_persons(internals.session_id()):
        return
    # A person may ask while a run for the room has begun: what is as in the room is not theirs.
    shown, _ = read_address(room.params)
    own = {key for key in _changed(before[1], now[1]) if now[1].get(key) != shown.get(key)}
    if not own and page == room.page:
        return
    # If the browser's address is an older one, the browser has been told something else meanwhile.
    said = st.query_params
    tell_again(key for key in own if said.get(key) != room.params.get(key))
    explore()


def remember_choices(page: str) -> None:
    """Keep what is on the screen: only its person can change it before the next run."""
    member = this_member()
    if member is not None:
        st.session_state[_BEFORE] = page, _choices()


def _changed(before: dict[str, Any], now: dict[str, Any]) -> set[str]:
    """The keys of the choices that are not what they were."""
    return {key for key in now.keys() | before.keys() if now.get(key) != before.get(key)}


def _choices() -> dict[str, Any]:
    """What is chosen, but for the language: everybody in a room reads in their own."""
    return {
        key: new for key, new in dict(st.session_state[CHOSEN]).items() if key != Frame.lang.key
    }
