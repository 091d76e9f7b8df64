"""The ways into a room: open one, type a code, scan a picture, or open a link."""

import socket
from contextlib import suppress
from functools import partial
from typing import Final
from urllib.parse import urlencode, urlsplit

import segno
import streamlit as st

from explorer.languages import tr
from explorer.rooms import codes
from explorer.rooms.member import Member
from explorer.rooms.room import Room
from explorer.ui.controls.buttons import button
from explorer.ui.frame.address import current_address
from explorer.ui.frame.session import held, memory, when_clicked
from explorer.ui.room.place import (
    CODE,
    KEY,
    join,
    open_room,
    room_on_show,
    this_member,
)
from explorer.weights.catalogue import WeightsGoneError

LOOPBACK: Final = ("localhost", "127.0.0.1", "::1")  # names by which only this computer is meant
_TYPED: Final = "room_code"


def show_entrances() -> None:
    """Open a room, or join one."""
    teach, follow = st.columns(2)
    with teach, st.container(border=True, key="room_open", height="stretch"):
        st.subheader(tr("Show others"), anchor=False)
        st.markdown(tr("Open a room, and show its code. Nobody needs an account or a name."))
        button(
            tr("Open a room"),
            icon=":material/cast:",
            type="primary",
            key="open_room",
            on_click=_open,
        )
    with follow, st.container(border=True, key="room_join", height="stretch"):
        st.subheader(tr("Follow somebody"), anchor=False)
        with st.form("join", border=False):
            typed = memory().get(_TYPED, "")
            name = held(_TYPED, typed, partial(memory().__setitem__, _TYPED))
            st.text_input(tr("Code of the room"), typed, key=name, placeholder="K7QM-2XPD")
            st.form_submit_button(tr("Join"), icon=":material/login:", on_click=when_clicked(_join))


def say_what_happens() -> None:
    """Show what a room does, in three lines."""
    lines = {
        "cast": tr("Everybody sees each click and each word of the one who leads."),
        "explore": tr("Anybody can explore alone, and come back."),
        "quiz": tr("The one who leads can ask a question, and sees the answers come in."),
    }
    for icon, line in lines.items():
        st.markdown(f":material/{icon}: {line}")


def _join() -> None:
    join(memory().get(_TYPED, ""))


def _open() -> None:
    if this_member() is None or (room := room_on_show()) is None or room.closed:  # no second click
        with suppress(WeightsGoneError):  # the page chooses others, and says so
            open_room(current_address())


def show_way_in(member: Member, room: Room, *, leading: bool) -> None:
    """The room's code, link and picture, large enough for the last row."""
    link = link_to(room.code)
    if leading and urlsplit(link).hostname in LOOPBACK:
        st.warning(_way_to_others(), icon=":material/link_off:")
    picture, words = st.columns([2, 3], vertical_alignment="center")
    with picture, st.container(key="room_qr"):
        st.image(qr(link), width="stretch")
    with words:
        st.html(f'<p class="room-code">{codes.readable(room.code)}</p>')
        st.code(link, language=None, wrap_lines=True)
        if leading:
            show_teachers_tools(member, room)


def _way_to_others() -> str:
    """What to do about a link that works on this computer only."""
    here = urlsplit(st.context.url or "")
    host = "" if st.get_option("server.address") else _address_on_network()
    return tr(
        "This link works on this computer only. Open the app under the address by which others "
        "reach it ({address}), and share the link that stands here then.",
        address=f"{here.scheme}://{host or '…'}:{here.port}",
    )


def _address_on_network() -> str:
    """The address from which this computer would send something; "" if it has no network."""
    with suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked:
        asked.connect(("192.0.2.1", 9))  # an address for documentation; nothing is sent
        return str(asked.getsockname()[0])
    return ""


def show_teachers_tools(member: Member, room: Room) -> None:
    """The teacher's controls."""
    st.caption(
        tr(
            "Keep the teacher's link (folded below). Without it, only this browser can lead the "
            "room again, for twelve hours."
        )
    )
    with st.expander(
        tr("Hand over, or come back later"), icon=":material/key:", key="room_hand_over"
    ):
        st.markdown(
            tr(
                "Whoever opens this link can lead the room, and close it. Give it to a colleague, "
                "or keep it for yourself; do not show it to everybody."
            )
        )
        st.code(link_to(room.code, member.secret), language=None, wrap_lines=True)
    if room.activity is None:
        st.caption(
            tr(
                "To ask everybody a question, open the page *Predict*, choose one, and press *Ask "
                "the room*."
            )
        )


def link_to(code: str, secret: str = "") -> str:
    """The address that leads into a room; with the secret, for whoever may lead it."""
    here = urlsplit(st.context.url or "http://localhost:8501/")
    base = here.path.rpartition("/")[0] if here.path.strip("/") else ""
    parameters = {CODE: codes.readable(code)} | ({KEY: secret} if secret else {})
    return f"{here.scheme}://{here.netloc}{base}/?{urlencode(parameters)}"


def qr(link: str) -> str:
    """The link as a picture, in the format that `st.image` takes."""
    return segno.make(link, micro=False, error="m").svg_inline(
        scale=10, border=2, dark="#000", light="#fff"
    )
