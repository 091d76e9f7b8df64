"""Bring a follower's page to the room's state."""

from contextlib import suppress

import streamlit as st

from explorer.languages import tr
from explorer.rooms.member import Member
from explorer.rooms.room import Room, StoreGoneError
from explorer.ui.address import NOTES, show_address
from explorer.ui.controls.choices import choose_by_key, value
from explorer.ui.controls.weights import weights_in_words
from explorer.ui.parameters import HERE, LOADED, Frame
from explorer.ui.registry import PAGES, open_page
from explorer.ui.room.changes import follower_changes, notice_follower_changes, record_applied
from explorer.ui.room.place import (
    explore,
    hub,
    redraw_on_news,
    room_to_follow,
    this_member,
)
from explorer.ui.training.session import leave_training
from explorer.weights import trained_here
from explorer.weights.checkpoints import CheckpointError, load


def follow_room() -> None:
    """Show the room's state, if this window follows a room that has changed."""
    page = st.session_state.get("page_on_show", "home")
    notice_follower_changes(page)
    redraw_on_news()
    room = room_to_follow()
    if room is None:
        return
    activity, to, params = room.activity, room.page, room.params
    if activity is not None and activity.kind == "training":
        to, params = "training", activity.params
    member = this_member()
    assert member is not None
    with suppress(StoreGoneError):
        _borrow(member, room)
    own = follower_changes(page, room)
    leave_training(show=False)  # or its weights would replace the teacher's
    show_address(params)
    for key, new in (own or {}).items():
        choose_by_key(key, new)
    wanted = params.get(Frame.weights.key)
    if wanted in (HERE, LOADED) and value(Frame.weights) != wanted:
        st.session_state[NOTES] = [
            tr(
                "The weights that the teacher shows could not be brought here. You see “{name}” "
                "instead.",
                name=weights_in_words(value(Frame.weights)),
            )
        ]
    if own is None and to != page and to in PAGES:
        open_page(to)  # ends this run; if it is interrupted, the next run does this again
    record_applied(room)
    if own is not None:
        explore()


def take_rooms_choices() -> None:
    """Take the room's choices on this page; each action in a room begins with it.

    The screen may already have been sent them when the session does not know them yet.
    """
    room = room_to_follow()
    if room is not None and room.activity is None and room.page == st.session_state.page_on_show:
        show_address(room.params)
        record_applied(room)


def _borrow(member: Member, room: Room) -> None:
    """Fetch the weights that the teacher trained, unless this process has them, or newer ones."""
    token, _, steps = room.lent.partition(" ")
    here = trained_here.find(token)
    if not steps.isdecimal() or (here is not None and here.steps >= int(steps)):
        return
    content = hub().borrow(member, room.lent)
    if content is not None:
        with suppress(CheckpointError):
            trained_here.keep(load(content), token)
