"""A window's question, a few times a second: how new is my room?

If the room is newer than the page, the page is drawn again. A host that lets no route of ours
through has a timer of Streamlit's ask instead.
"""

from typing import Any, Final

import streamlit as st

from explorer.languages import tr
from explorer.rooms.hub import hub
from explorer.rooms.member import Member, Stance
from explorer.ui.components.component import component
from explorer.ui.session import memory, session

NEWS: Final = "room-news"  # where it is answered, beside the pages
# The headers of the question, and the one that shows that the answer is ours.
ROOM, PASS, SEAT, FOLLOWS = "x-room", "x-room-pass", "x-room-seat", "x-room-follows"
ANSWERED: Final = "x-room-news"
_UNANSWERED: Final = "room_unanswered"  # its questions have no answers of ours
_component = component("room_news", '<p class="room-news" role="status" hidden></p>', prose=True)


def room_news(member: Member, *, follows: bool, leads: bool) -> None:
    """Ask for this member, from now on."""
    data = {
        "session": session().name,
        "where": NEWS,
        "code": member.code,
        "answered": ANSWERED,
        "follows": FOLLOWS,
        "seat": SEAT,
        "headers": {
            ROOM: member.code,
            PASS: member.browser_pass,
            SEAT: member.seat,
            FOLLOWS: "yes" if follows else "no",
        },
        "drawn": member.drawn,
        "often": follows and not leads,
        "lost": tr(
            "The connection to the room is lost. What you see may be old; it goes on by itself."
        ),
    }
    _component(key="room_news", data=data, on={"heard": _hear})
    if memory().get(_UNANSWERED):
        st.fragment(_look_again, run_every=2)(member.drawn, member, follows)


def _hear(news: Any) -> None:
    if "unanswered" in news:
        memory()[_UNANSWERED] = bool(news["unanswered"])


def _look_again(drawn: str, member: Member, follows: bool) -> None:
    asked = member.code, member.seat, member.browser_pass
    if hub().news(*asked, Stance.FOLLOWING if follows else Stance.EXPLORING) != drawn:
        st.rerun()
