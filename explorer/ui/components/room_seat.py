"""What a browser remembers of a room, so that a reload, or another server, loses nobody's place."""

from collections.abc import Callable

import streamlit as st

from explorer.rooms import codes
from explorer.rooms.members import Member
from explorer.ui.components.component import as_json, component

_component = component("room_seat", '<span class="room-seat" hidden></span>')


def room_seat(member: Member, *, on_sure: Callable[[], None]) -> None:
    """Have the browser keep the window's seat and secret, and the browser's name for its person.

    If it kept some before, they take the place of those here. `on_sure` is called when it has said
    whether this window leads.
    """
    sent = {
        "code": member.code,
        "seat": member.seat,
        "person": member.person,
        "secret": member.secret,
        "unsure": member.unsure,
    }

    def take(said: object) -> None:
        if member.named or not isinstance(said, dict) or said.get("code") != member.code:
            return
        member.named = True  # a second name would be a second vote
        if member.unsure:
            member.unsure = False
            on_sure()
        if codes.is_name(said.get("seat")):
            member.seat = said["seat"]
        if codes.is_name(said.get("person")):
            member.person = said["person"]
        secret = said.get("secret")
        if isinstance(secret, str) and len(secret) <= 100:
            member.secret = member.secret or secret

    def kept() -> None:
        take(st.session_state["room_seat"].get("kept"))

    said = _component(key="room_seat", data=as_json(sent), on_kept_change=kept)
    take(said.kept)  # a new process has it from the start, and nothing changes
