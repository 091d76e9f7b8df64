"""A window's question, a few times a second: how new is my room?

If the room is newer than the page, the page is drawn again.
"""

from explorer.languages import tr
from explorer.rooms.member import Member
from explorer.ui.components.component import component
from explorer.web.news import FOLLOWS, NEWS, PASS, ROOM, SEAT

_component = component("room_news", '<p class="room-news" role="status" hidden></p>', prose=True)


def room_news(member: Member, *, follows: bool, leads: bool) -> None:
    """Ask for this member, from now on."""
    data = {
        "where": NEWS,
        "code": member.code,
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


def _hear(_: object) -> None:
    """There are news: the run that follows shows them."""
