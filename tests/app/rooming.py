"""A teacher and those who follow: how they open a room, come in, and look."""

from typing import Any

from streamlit.testing.v1 import AppTest

from explorer.rooms.member import Member
from explorer.rooms.room import Room
from explorer.ui.registry import PAGES
from explorer.ui.room.place import hub
from tests.app.driving import new_session, open_page


def lead(**choices: Any) -> AppTest:
    """A teacher with an open room, on its page."""
    at = open_page("room", **choices)
    at.button(key="open_room").click().run()
    return at


def place_of(at: AppTest) -> Member:
    found: Member = at.session_state["room_member"]
    return found


def join(teacher: AppTest, **said: str) -> AppTest:
    """Somebody who opens the link."""
    return new_session(room=place_of(teacher).code, **said).run()


def go(at: AppTest, page: str) -> AppTest:
    at.switch_page(PAGES[page][0])
    return at.run()


def look(at: AppTest) -> AppTest:
    """Draw the page that the browser is on by now; a test's session does not move by itself."""
    return go(at, at.session_state["page_on_show"])


def address(at: AppTest) -> tuple[str, dict[str, str]]:
    return at.session_state["page_on_show"], dict(at.query_params)


def room_of(at: AppTest) -> Room:
    """The room in which somebody is."""
    found = hub().room(place_of(at))
    assert found is not None
    return found
