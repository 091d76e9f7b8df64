"""Bring a follower's page to the room's state, until its person goes their own way.

From then on, they explore alone.
"""

from contextlib import suppress
from typing import Any, Final

from explorer.choices.pages import PAGES
from explorer.choices.parameters import AROUND, HERE, LOADED, TEXT_KEYS, Frame
from explorer.languages import tr
from explorer.rooms.hub import hub
from explorer.rooms.member import Member
from explorer.rooms.room import Room, StoreGoneError
from explorer.ui.controls.choices import choices, value
from explorer.ui.controls.weights import weights_in_words
from explorer.ui.frame.address import NOTES, show_address
from explorer.ui.frame.registry import open_page
from explorer.ui.frame.session import memory, session
from explorer.ui.room.place import explore, is_follower, room_to_follow, this_member
from explorer.ui.training.watched import leave_training
from explorer.weights import trained_here
from explorer.weights.checkpoints import CheckpointError, load

# Where the teacher is among the questions, followers wait: the page would show the right answers.
_WAITS: Final = "predict"
# Whoever changes one of these, or turns the page, explores alone. Whoever only looks about on the
# page still follows. (Everybody reads in a language of their own.)
_OWN_WAY: Final = {*AROUND, *TEXT_KEYS} - {Frame.lang.key}


def follow_room() -> None:
    """Show the room's state, if this window follows a room that has changed."""
    page = session().page
    member, room = this_member(), room_to_follow()
    if member is None or room is None:
        return
    with suppress(StoreGoneError):
        _borrow(member, room)
    leave_training(show=False)  # or its weights would replace the teacher's
    show_address(room.params)
    wanted = room.params.get(Frame.weights.key)
    if wanted in (HERE, LOADED) and value(Frame.weights) != wanted:
        memory()[NOTES] = [
            tr(
                "The weights that the teacher shows could not be brought here. You see “{name}” "
                "instead.",
                name=weights_in_words(value(Frame.weights)),
            )
        ]
    to = "room" if room.page == _WAITS else room.page
    if to != page and to in PAGES:
        open_page(to)
    member.applied_version = room.version


def remember_choices(page: str) -> None:
    """Keep the choices that the run begins with: what its person changes is taken next."""
    if (member := this_member()) is not None:
        member.before = page, _own_choices()


def notice_own_way(page: str) -> None:
    """Let a follower who types, or turns the page, explore alone from then on."""
    member = this_member()
    if member is None or member.before in (None, (page, _own_choices())) or not is_follower():
        return
    explore()


def _own_choices() -> dict[str, Any]:
    return {key: new for key, new in choices().items() if key in _OWN_WAY}


def take_rooms_choices() -> None:
    """Take the room's choices on this page; each action in a room begins with it."""
    member, room = this_member(), room_to_follow()
    if member is not None and room is not None and room.page == session().page:
        show_address(room.params)
        member.applied_version = room.version
        remember_choices(room.page)


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
