"""The first page in a browser: the answer plays, steps and follows what is typed; the tour."""

import re
from collections.abc import Callable

from playwright.sync_api import Locator, expect

from tests.browser.visitor import Visitor

CALM = {"reduced_motion": "reduce"}


def now(person: Visitor) -> Locator:
    """The piece of the answer that is in focus."""
    return person.page.locator(".writing .written .now")


def test_the_answer_plays_once_by_itself(visit: Callable[..., Visitor]) -> None:
    person = visit("/?weights=translator&src=She+has+read+the+book.&pairs=1")
    pieces = person.page.locator(".writing .written li")
    expect(person.page.locator(".writing .written .later").first).to_be_attached()
    expect(pieces.nth(-1)).to_have_class(re.compile("now"))
    expect(person.page.locator(".writing .written .later")).to_have_count(0)
    expect(person.page.get_by_role("button", name="Play from the beginning")).to_be_visible()


def test_it_steps_by_keyboard_and_follows_what_is_typed(visit: Callable[..., Visitor]) -> None:
    person = visit("/?weights=translator&src=She+has+read+the+book.&pairs=1", **CALM)
    expect(person.page.locator(".writing .written .later")).to_have_count(0)
    stage = person.page.locator(".writing")
    stage.focus()
    stage.press("Home")
    expect(now(person)).to_have_text("Sie")
    stage.press("ArrowRight")
    expect(now(person)).to_have_text("hat")
    bar = person.page.locator(".writing .bar.chosen")
    expect(bar).to_contain_text("hat")
    assert re.search(
        r"“hat”.* looks most at “(She|has|read|book)”", stage.inner_text().replace("\n", " ")
    )
    lines = person.page.locator(".writing svg path")
    assert lines.count() > 3
    person.field("src").fill("We have read the book.")
    expect(person.page.locator(".writing .written li").first).to_have_text("Wir")
    expect(now(person)).to_have_text("haben")  # the step stays


def test_typing_while_it_plays_breaks_nothing(visit: Callable[..., Visitor]) -> None:
    person = visit("/?weights=translator&src=She+has+read+the+book.&pairs=1")
    expect(person.page.locator(".writing .written .later").first).to_be_attached()
    person.field("src").fill("No.")
    expect(person.page.locator(".writing .keys li")).to_have_count(2)
    person.settle()
    expect(person.page.locator(".writing .written .later")).to_have_count(0)
    assert not person.problems


def test_the_tour_by_keyboard_alone(visit: Callable[..., Visitor]) -> None:
    person = visit("/tour?weights=translator", **CALM)
    person.page.get_by_role("button", name="Start the tour").press("Enter")
    place = person.page.locator(".st-key-tour")
    for number in range(1, 5):
        expect(place).to_contain_text(f"stop {number} of 11")
        expect(place).to_contain_text("Try:")
        person.settle()
        assert person.parameters["tour"] == str(number)
        person.page.keyboard.press("Alt+n")
    expect(place).to_contain_text("stop 5 of 11")
    person.settle()
    person.page.keyboard.press("Alt+p")
    expect(place).to_contain_text("stop 4 of 11")
    assert not person.problems
