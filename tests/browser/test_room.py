"""A room in real windows that are reloaded, closed and lost; a lesson: tests/deploy/test_rooms."""

import re
import threading
from collections.abc import Callable

import pytest
from playwright.sync_api import WebSocketRoute, expect

from tests.browser.lesson import bar, is_at, open_room
from tests.browser.visitor import PHONE, Visitor


def test_a_reload_keeps_everybodys_place_until_the_room_is_closed(
    visit: Callable[..., Visitor],
) -> None:
    teacher, code = open_room(visit)
    follower = visit(f"/?room={code}")
    is_at(follower, "room")
    teacher.page.reload()
    bar(teacher, "you lead")
    follower.page.reload()
    bar(follower, "your page follows")
    teacher.go_to("Tokens")
    is_at(follower, "tokens")
    teacher.go_to("Room")
    teacher.press("Close the room")
    teacher.press("Close it for everybody")
    for window in (teacher, follower):
        bar(window, "is closed")
        window.press("Close")
        expect(window.page.locator(".st-key-room_bar")).to_have_count(0)
        window.open("/tokens?weights=translator")
        assert window.page.locator(".st-key-room_bar").count() == 0


@pytest.mark.all
def test_a_place_is_kept_even_if_its_request_is_lost(visit: Callable[..., Visitor]) -> None:
    """A request is lost if its run is replaced by another one before it begins."""
    teacher, code = open_room(visit)
    follower = visit(f"/?room={code}")
    is_at(follower, "room")
    lost, is_over = [], threading.Event()

    def connect(socket: WebSocketRoute) -> None:
        server = socket.connect_to_server()

        def send(message: bytes | str) -> None:
            assert isinstance(message, bytes)
            if b"kept" in message and not is_over.is_set():
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
    follower.page.locator(".head .places a").filter(has_text="Read").click()
    teacher.go_to("Masks")
    is_at(follower, "masks")


def test_a_link_without_the_room_offers_the_way_back(visit: Callable[..., Visitor]) -> None:
    """As those of a lesson plan do; and the teacher's window may be closed, and its link lost."""
    teacher, code = open_room(visit)
    follower = visit(f"/?room={code}")
    is_at(follower, "room")
    teacher.open("/masks?weights=translator&tour=3")
    teacher.press("Lead the room from here")
    bar(teacher, "you lead · 1 follows")
    is_at(follower, "masks", tour="3")
    follower.open("/tokens?weights=translator")
    bar(follower, "you were in it")
    assert "/tokens" in follower.address
    follower.press("Back to the room")
    is_at(follower, "masks")
    teacher.open_new_tab()  # a tab without memory
    teacher.open("/stack?weights=translator")
    teacher.press("Lead the room from here")
    is_at(follower, "stack")
    assert "room_key" not in teacher.address


def test_a_page_opened_in_another_window_stays_outside(visit: Callable[..., Visitor]) -> None:
    """Whoever leads can go on there: then the first window follows."""
    teacher, _ = open_room(visit)
    with teacher.context.expect_page() as opened:
        teacher.page.locator(".head .all [data-page=stack]").click(modifiers=["Control"])
    line = opened.value.locator(".st-key-room_bar")
    expect(line).to_contain_text("you can lead it from this browser")
    assert re.search(r"/stack\?(?!.*room=)", opened.value.url)
    bar(teacher, "you lead · nobody follows yet")
    line.get_by_role("button", name="Lead the room from here").click()
    expect(line).to_contain_text("you lead · 1 follows")
    is_at(teacher, "stack")
    opened.value.close()


def test_a_lost_line_is_said(visit: Callable[..., Visitor]) -> None:
    teacher, code = open_room(visit)
    follower = visit(f"/?room={code}")
    is_at(follower, "room")
    notice, news = follower.page.locator(".room-news"), "**/room-news"
    expect(notice).not_to_be_visible()
    follower.page.route(news, lambda route: route.fulfill(body="<p>not found</p>"))
    expect(notice).to_be_visible()
    follower.page.unroute(news)
    expect(notice).not_to_be_visible()
    teacher.go_to("Tokens")
    is_at(follower, "tokens")


def test_a_reload_keeps_what_was_marked_and_what_was_sent(visit: Callable[..., Visitor]) -> None:
    teacher, code = open_room(visit)
    follower = visit(f"/?room={code}", **PHONE)
    is_at(follower, "room")
    teacher.open(f"/predict?weights=translator&kind=target_row&room={code}")
    bar(teacher, "you lead")
    teacher.press("Ask the room")
    cells = follower.page.locator(".answer-cells td button")
    marked = follower.page.locator(".answer-cells [aria-pressed=true]")
    send = follower.page.locator(".send-button")
    sent = follower.page.get_by_text("Sent, without your name")
    changed = follower.page.get_by_text("not sent it yet")
    expect(follower.page.locator(".answer-cells .key")).to_contain_text("Tap")
    expect(follower.page.get_by_text("more cells beside")).to_be_visible()
    cells.nth(0).click()
    follower.settle()
    follower.page.reload()
    expect(marked).to_have_count(1)
    send.click()
    expect(sent).to_be_visible()
    expect(teacher.page.get_by_text("1 answered")).to_be_visible()
    cells.nth(1).click()
    expect(changed).to_be_visible()
    for _ in range(2):
        follower.page.reload()
        expect(marked).to_have_count(2)
        expect(changed).to_be_visible()
    send.click()
    expect(sent).to_be_visible()
    expect(changed).to_have_count(0)
    teacher.press("Show the answer")
    expect(follower.page.get_by_text("Your answer:")).to_be_visible()
    expect(follower.page.locator(".answer-cells [data-mark=missed]").first).to_be_attached()


def test_the_projector_shows_the_code_and_can_be_switched_off(
    visit: Callable[..., Visitor],
) -> None:
    teacher, code = open_room(visit)
    teacher.open(f"/predict?weights=reverse&topic=positions&room={code}")
    bar(teacher, "you lead")
    teacher.press("Ask the room")
    is_at(teacher, "room")
    switch = teacher.page.get_by_text("Projector view")
    expect(switch).to_be_visible()
    about = teacher.page.locator(".st-key-heading p")
    assert about.bounding_box()["height"] < 40  # two lines at most
    line, csv = (teacher.page.locator(f".st-key-{key}") for key in ("room_bar", "room_saving"))
    options = teacher.page.locator(".st-key-page li")
    for _ in range(2):
        switch.click()
        expect(line).not_to_be_visible()
        expect(csv).not_to_be_visible()
        expect(teacher.page.locator(".projected")).to_have_text(code)
        expect(teacher.page.locator(".projected")).to_be_in_viewport()
        assert options.first.bounding_box()["height"] > 45  # of 768
        switch.click()
        expect(line).to_be_visible()
        expect(csv).to_be_visible()
        expect(teacher.page.locator(".projected")).to_have_count(0)
    switch.click()
    teacher.press("Back to the questions")
    is_at(teacher, "predict")
    expect(line).to_be_visible()
