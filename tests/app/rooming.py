"""The steps of a teacher and of followers: open a room, join it, follow it."""

from typing import Any

from streamlit.testing.v1 import AppTest

from explorer.choices.pages import PAGES
from explorer.rooms.hub import hub
from explorer.rooms.member import Member
from explorer.rooms.room import Room
from tests.app.driving import acting_for, memory_of, new_session, open_page, session_of


def lead(**choices: Any) -> AppTest:
    """A teacher with an open room, on its page."""
    at = open_page("room", **choices)
    at.button(key="open_room").click().run()
    return at


def member_of(at: AppTest) -> Member:
    found: Member = memory_of(at)["room_member"]
    return found


def join(teacher: AppTest, **query: str) -> AppTest:
    """A follower, who has opened the link."""
    return new_session(room=member_of(teacher).code, **query).run()


def go_to(at: AppTest, page: str) -> AppTest:
    at.switch_page(PAGES[page][0])
    return at.run()


def redraw(at: AppTest) -> AppTest:
    """Draw the page that the browser shows by now, which asks for news then.

    A test's session does not move by itself.
    """
    go_to(at, session_of(at).page)
    member = member_of(at)
    hub().news(member.code, member.seat, member.browser_pass, member.stance)
    return at


def address(at: AppTest) -> tuple[str, dict[str, str]]:
    return session_of(at).page, dict(at.query_params)


def room_of(at: AppTest) -> Room:
    """The room of a member."""
    found = hub().room(member_of(at))
    assert found is not None
    return found


def send(at: AppTest) -> AppTest:
    """Send the answer to the question on show."""
    activity = room_of(at).activity
    assert activity is not None
    with acting_for(at):
        session_of(at).listeners[f"room_send_{activity.number}"].acts["sent"](True)
    return at.run()
