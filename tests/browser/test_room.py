"""A room in real windows: a teacher, a phone, somebody who wanders off, somebody who is late."""

import threading
from collections.abc import Callable

import pytest
from playwright.sync_api import WebSocketRoute, expect

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


def test_a_place_is_kept_even_if_the_request_that_says_it_is_lost(
    visit: Callable[..., Visitor],
) -> None:
    """A run that ends before it has begun, because another request came, takes its own with it."""
    teacher, code = open_room(visit)
    follower = visit(f"/?room={code}", fresh=True)
    is_at(follower, "room")
    lost, is_over = [], threading.Event()

    def connect(socket: WebSocketRoute) -> None:
        server = socket.connect_to_server()

        def send(message: bytes | str) -> None:
            if b"kept" in bytes(message) and not is_over.is_set():
                lost.append(message)
            else:
                server.send(message)

        socket.on_message(send)

    follower.page.route_web_socket("**/_stcore/stream", connect)
    follower.page.reload()
    bar(follower, "your page follows")
    follower.settle()
    assert lost
    is_over.set()
    follower.page.get_by_test_id("stTopNavLink").filter(has_text="Tokens").click()
    teacher.go_to("Masks")
    is_at(follower, "masks")
