"""What a browser remembers of a room, so that a reload, or another server, loses nobody's place."""

from typing import Final

import streamlit as st

from explorer.rooms import codes
from explorer.rooms.members import Member
from explorer.ui.components.component import as_json, component

SURE: Final = "room_is_sure"  # the browser has just said whether this window leads

_component = component("room_seat", '<span class="room-seat" hidden></span>')


def room_seat(member: Member) -> None:
    """Have the browser keep the window's seat and secret, and the browser's name for its person.

    If it kept some before, they take the place of those here.
    """
    sent = {
        "code": member.code,
        "seat": member.seat,
        "person": member.person,
        "secret": member.secret,
        "unsure": member.unsure,
    }

    def kept() -> None:
        said = st.session_state["room_seat"].kept
        if member.named or not isinstance(said, dict) or said.get("code") != member.code:
            return
        member.named = True  # a second name would be a second vote
        if member.unsure:
            member.unsure = False
            st.session_state[SURE] = True
        if codes.is_name(said.get("seat")):
            member.seat = said["seat"]
        if codes.is_name(said.get("person")):
            member.person = said["person"]
        secret = said.get("secret")
        if isinstance(secret, str) and len(secret) <= 100:
            member.secret = member.secret or secret

    _component(key="room_seat", data=as_json(sent), on_kept_change=kept)
