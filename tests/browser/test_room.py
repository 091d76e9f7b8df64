"""A room in real windows that are reloaded, closed and lost; a lesson: tests/deploy/test_rooms."""

import re
from collections.abc import Callable

from playwright.sync_api import expect

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


def test_a_key_that_is_pressed_as_a_room_is_closed_opens_none(
    visit: Callable[..., Visitor],
) -> None:
    teacher, code = open_room(visit)
    follower = visit(f"/?room={code}")
    is_at(follower, "room")
    teacher.open(f"/predict?weights=reverse&topic=masks&room={code}")
    bar(teacher, "you lead")
    teacher.press("Ask the room")
    follower.page.keyboard.press("Tab")  # so that the focus is seen
    follower.page.get_by_role("button", name="Send").focus()
    teacher.press("Close the room")
    teacher.press("Close it for everybody")
    bar(follower, "is closed")
    expect(follower.page.locator("h1")).to_be_focused()


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
    # A page that is opened in another window stays outside; whoever leads can go on there.
    with teacher.context.expect_page() as opened:
        teacher.page.locator(".head .all [data-page=stack]").click(modifiers=["Control"])
    line = opened.value.locator(".st-key-room_bar")
    expect(line).to_contain_text("you can lead it from this browser")
    assert re.search(r"/stack\?(?!.*room=)", opened.value.url)
    bar(teacher, "you lead · 1 follows")
    line.get_by_role("button", name="Lead the room from here").click()
    expect(line).to_contain_text("you lead · 2 follow")
    for window in (teacher, follower):
        is_at(window, "stack")
    assert "room_key" not in opened.value.url
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
