"""The line on top of every page for everybody in a room."""

from collections.abc import Callable
from functools import partial
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from explorer.languages import tr, tr_n
from explorer.rooms import codes
from explorer.rooms.hub import hub
from explorer.rooms.member import Member, Stance
from explorer.rooms.room import Room
from explorer.ui.components.room_news import room_news
from explorer.ui.components.room_seat import room_seat
from explorer.ui.controls.buttons import button, page_button
from explorer.ui.frame.session import session
from explorer.ui.room.following import take_rooms_choices
from explorer.ui.room.place import (
    accept,
    change_room,
    come_back,
    counts_as_following,
    decline,
    explore,
    leads,
    leave,
    may_lead,
    offered_room,
    room_on_show,
    set_message,
    take_message,
    this_member,
)


def draw_bar() -> None:
    """Draw the line, if this window is in a room, or was in one, and ask for news from now on.

    Its place is kept while there is no line: what stands below would move to another place as it
    comes, and stand in the line until the run ends. A button would jump from under a press.
    """
    with st.container(key="room_on_top"):
        member, room = this_member(), room_on_show()
        if member is None or room is None:
            _draw_outside()
        else:
            _draw_inside(member, room)
        if text := take_message():
            st.warning(text, icon=":material/group:")
        if member is not None and room is not None:
            room_news(member, follows=counts_as_following(member, room), leads=leads(member, room))


def _draw_inside(member: Member, room: Room) -> None:
    room_seat(member)
    with _line():
        if room.closed:
            code = codes.readable(room.code)
            st.markdown(tr("Room {code} is closed.", code=code))
            # Translators: close a message.
            _button(tr("Close"), "room_leave", leave, type="tertiary")
        elif leads(member, room):
            _draw_teachers(member, room)
        else:
            _draw_followers(member, room)
            _button(tr("Leave the room"), "room_leave", _leave_and_say, type="tertiary")
    if hub().store.is_gone:
        st.info(
            tr(
                "The room is waiting for its connection. Your page stays, and you can explore; "
                "the room goes on by itself."
            ),
            icon=":material/cloud_off:",
        )


def _draw_outside() -> None:
    """Offer the way back to a window that was in a room."""
    offer = offered_room()
    if offer is None:
        return
    kept, room = offer
    leading = codes.opens(kept.secret, room.lock)
    with _line():
        if leading:
            st.markdown(tr("{room} · you can lead it from this browser", room=_name(room)))
        else:
            st.markdown(tr("{room} · you were in it", room=_name(room)))
        back = tr("Lead the room from here") if leading else tr("Back to the room")
        icon = ":material/cast:" if leading else ":material/undo:"
        _button(back, "room_accept", partial(accept, kept, room), icon=icon, type="primary")
        _button(tr("Stay outside"), "room_decline", partial(decline, kept), type="tertiary")


def _line() -> DeltaGenerator:
    return st.container(key="room_bar", horizontal=True, vertical_alignment="center", border=True)


def _draw_teachers(member: Member, room: Room) -> None:
    people, alone = hub().people(room.code)
    follow = people - alone
    who = tr_n("{n} follows", "{n} follow", follow) if people else tr("nobody follows yet")
    parts = [_name(room), tr("you lead"), who]
    if alone:
        parts.append(tr_n("{n} explores alone", "{n} explore alone", alone))
    if room.is_open:
        # Translators: what goes on in a room, in the teacher's line.
        parts.append(tr("question asked"))
    if room.paused:
        parts.append(tr("**paused**"))
    st.markdown(" · ".join(parts))
    label, icon = tr("Room"), ":material/qr_code_2:"
    page_button(label, "room", icon=icon, key="room_show", help=tr("Code, link, tasks"))
    if alone:
        button(
            tr("Everybody back"),
            icon=":material/undo:",
            key="room_call",
            help=tr("Brings those who explore alone back to your page."),
            on_click=change_room,
            args=(member, lambda now: now.next(calls=now.calls + 1)),
        )
    paused = room.paused
    button(
        tr("Go on") if paused else tr("Pause"),
        icon=":material/play_arrow:" if paused else ":material/pause:",
        key="room_pause",
        help=tr("While the room is paused, nobody sees what you do."),
        on_click=change_room,
        args=(member, lambda now: now.next(paused=not paused)),
    )
    icon = ":material/door_front:"
    with st.popover(tr("Close the room"), icon=icon, key="room_close_asked"):
        st.markdown(
            tr(
                "The code and the links will lead nowhere, and the answers are gone; everybody "
                "keeps their page."
            )
        )
        button(
            tr("Close it for everybody"),
            icon=icon,
            type="primary",
            key="room_close",
            on_click=change_room,
            args=(member, lambda now: now.next(closed=True, activity=None)),
        )


def _draw_followers(member: Member, room: Room) -> None:
    exploring = member.stance is Stance.EXPLORING
    if exploring:
        state = tr("you explore on your own")
    elif room.paused:
        state = tr("the teacher has paused it")
    else:
        state = tr("your page follows the teacher's")
    st.markdown(f"{_name(room)} · {state}")
    if room.is_open and session().page != "room":
        label = tr("Answer the question")
        page_button(label, "room", icon=":material/groups:", key="room_activity")
    if exploring:
        icon = ":material/undo:"
        _button(tr("Back to the room"), "room_back", come_back, icon=icon, type="primary")
    else:
        _button(tr("Explore on my own"), "room_explore", explore, icon=":material/explore:")
    if may_lead(member, room):
        button(
            tr("Take the lead"),
            icon=":material/front_hand:",
            key="room_lead",
            on_click=_take_lead,
            args=(member,),
        )


def _name(room: Room) -> str:
    return tr("**Room {code}**", code=codes.readable(room.code))


def _leave_and_say() -> None:
    leave()
    set_message(
        tr(
            "You have left the room: your page stays, and what you have sent for an open question "
            "does not count. Its link or code leads back."
        )
    )


def _button(label: str, key: str, action: Callable[[], None], **more: Any) -> None:
    """A button that changes this window's place in the room."""

    def act() -> None:
        take_rooms_choices()
        action()

    button(label, key=key, on_click=act, **more)


def _take_lead(member: Member) -> None:
    """Let the room follow this window."""
    take_rooms_choices()
    member.stance = Stance.FOLLOWING
    change_room(member, lambda room: room.next(leader=member.seat, paused=False))
