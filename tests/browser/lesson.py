"""A lesson in a room: a teacher, and three who follow."""

import re
from collections.abc import Callable
from typing import Final

from playwright.sync_api import expect

from tests.browser.visitor import Visitor

PHONE: Final = {"viewport": {"width": 390, "height": 844}, "color_scheme": "dark"}
ROOM: Final = "/room?weights=reverse&pairs=1"


def bar(visitor: Visitor, words: str) -> None:
    """Wait until the line on top has this text."""
    expect(visitor.page.locator(".st-key-room_bar")).to_contain_text(words)


def is_at(visitor: Visitor, page: str, **parameters: str) -> None:
    """Wait until a window shows this page, and these choices are in its address.

    A page is drawn when its address names the room.
    """
    visitor.page.wait_for_url(re.compile(rf"/{page}\?(.*&)?room="))
    for name, value in parameters.items():
        visitor.wait_for_parameter(name, value)


def open_room(visit: Callable[..., Visitor]) -> tuple[Visitor, str]:
    """A teacher with an open room, and its code."""
    teacher = visit(ROOM)
    teacher.press("Open a room")
    code = teacher.page.locator(".room-code").inner_text()
    bar(teacher, "you lead")
    assert "room_key" not in teacher.address
    return teacher, code


def answer(visitor: Visitor) -> None:
    """Choose any answer to the question on show, and send it."""
    visitor.page.locator(".st-key-page .stRadio label").nth(1).click()
    visitor.settle()
    visitor.press("Send")
    expect(visitor.page.get_by_text("without your name")).to_be_visible()


def lesson(visit: Callable[..., Visitor]) -> tuple[Visitor, list[Visitor]]:
    """A stop of the tour, and a question: the teacher and the followers at its end."""
    teacher, code = open_room(visit)
    phone = visit(f"/?room={code}", **PHONE)
    is_at(phone, "room")
    wanderer = visit("/room?weights=translator", fresh=True)
    wanderer.page.get_by_label("Code of the room").fill(code.lower())
    wanderer.press("Join")
    bar(teacher, "2 follow")

    # Typing, and a stop of the tour.
    teacher.open(f"/masks?weights=translator&tour=3&room={code}")  # as after a reload
    bar(teacher, "you lead")
    for follower in (phone, wanderer):
        is_at(follower, "masks", tour="3")
    teacher.field("src").fill("The dog sleeps.")
    for follower in (phone, wanderer):
        line = follower.page.locator("#line-src").first
        expect(line).to_have_value("The dog sleeps.")

    # One wanders off, and comes back; one joins late.
    wanderer.press("Explore on my own")
    bar(wanderer, "you explore on your own")
    teacher.go_to("Positions")
    is_at(phone, "positions")
    late = visit(f"/?room={code}", fresh=True)
    is_at(late, "positions", src="The dog sleeps.")
    assert "/masks" in wanderer.address
    wanderer.press("Back to the room")
    is_at(wanderer, "positions")
    followers = [phone, wanderer, late]
    bar(teacher, "3 follow")

    # A question for everybody.
    teacher.open(f"/predict?weights=translator&kind=without_positions&room={code}")
    bar(teacher, "you lead")
    teacher.press("Ask the room")
    for count, follower in enumerate(followers, start=1):
        is_at(follower, "room")
        answer(follower)
        expect(teacher.page.get_by_text(f"{count} answered")).to_be_visible()
        expect(follower.page.get_by_text("Right:")).to_have_count(0)
    teacher.press("Show the answer")
    for window in (teacher, *followers):
        expect(window.page.get_by_text("Right:")).to_be_visible()
        expect(window.element("room_answers")).to_have_count(1)

    # Back to the questions: nobody sees the next one before it is asked.
    teacher.press("Back to the questions")
    is_at(teacher, "predict")
    for follower in followers:
        expect(follower.page.locator("h1")).to_contain_text("choosing a question")
    teacher.settle()
    teacher.go_to("Lab")
    for follower in followers:
        is_at(follower, "lab")
    return teacher, followers
