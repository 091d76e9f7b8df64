"""A teacher and those who follow: how they open a room, come in, and look."""

from typing import Any

from streamlit.testing.v1 import AppTest

from explorer.rooms.member import Member
from explorer.ui.registry import PAGES
from tests.app.driving import APP, UNFOLDED, open_page


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
    at = AppTest.from_file(str(APP), default_timeout=60)
    at.session_state["history_ready"] = True
    for folded in UNFOLDED:
        at.session_state[folded] = True
    for key, text in {"room": place_of(teacher).code, **said}.items():
        at.query_params[key] = text
    at.run()
    return at


def go(at: AppTest, page: str) -> AppTest:
    at.switch_page(PAGES[page][0])
    return at.run()


def look(at: AppTest) -> AppTest:
    """Draw the page that the browser is on by now; a test's session does not move by itself."""
    return go(at, at.session_state["page_on_show"])


def address(at: AppTest) -> tuple[str, dict[str, str]]:
    page = at.session_state["page_on_show"]
    said = {key: value if isinstance(value, str) else value[0] for key, value in _params(at)}
    return page, said


def _params(at: AppTest) -> list[tuple[str, Any]]:
    return list(at.query_params.items())
