"""A room in real windows: a teacher, a phone, somebody who wanders off, somebody who is late."""

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.browser.lesson import bar, is_at, lesson, open_room, press
from tests.browser.visitor import Visitor

pytestmark = pytest.mark.browser


def test_a_lesson(visit: Callable[..., Visitor]) -> None:
    teacher, followers = lesson(visit)
    teacher.go_to("Room")
    press(teacher, "Close the room")
    for follower in followers:
        bar(follower, "is closed")
    press(followers[0], "Leave the room")
    expect(followers[0].page.locator(".st-key-room_bar")).to_have_count(0)


def test_a_reload_keeps_everybodys_place(visit: Callable[..., Visitor]) -> None:
    teacher, code = open_room(visit)
    follower = visit(f"/?room={code}", fresh=True)
    is_at(follower, "room")
    teacher.page.reload()
    bar(teacher, "you lead")
    follower.page.reload()
    bar(follower, "your page follows")
    teacher.go_to("Tokens")
    is_at(follower, "tokens")
