"""All heads in the browser: the lines between tokens, and the weights beside a token alone."""

from collections.abc import Callable

import numpy as np
import pytest
from playwright.sync_api import expect

from explorer.text import Batch
from tests.browser.heads import (
    ADDRESS,
    BESIDE,
    TGT,
    Lines,
    check_beside,
    check_lines,
    colours_of,
    switched_on,
    thumbnail_pixels,
    toggle,
    tokens,
    weights_in,
)
from tests.browser.visitor import Visitor, address_of


def test_switches_decide_whose_lines_are_drawn(visit: Callable[..., Visitor]) -> None:
    person = visit(address_of("attention", **ADDRESS))
    weights = weights_in("encoder", 1)
    check_lines(person, weights[[0]])
    toggle(person, 3).click()
    assert switched_on(person) == [1, 3]
    check_lines(person, weights[[0, 2]])
    toggle(person, 1).click()
    assert switched_on(person) == [3]
    check_lines(person, weights[[2]])
    everyone = person.page.locator(".head-toggles").get_by_text("all", exact=True)
    everyone.click()
    assert switched_on(person) == [1, 2, 3, 4]
    check_lines(person, weights)
    tokens(person, "queries").nth(1).hover()
    check_beside(person, "keys", weights[:, 1].max(axis=0))  # of several heads the largest
    person.page.mouse.move(0, 0)
    everyone.click()
    assert switched_on(person) == [1]
    check_lines(person, weights[[0]])
    everyone.click()
    toggle(person, 2).dblclick()
    assert switched_on(person) == [2]
    check_lines(person, weights[[1]])
    toggle(person, 2).focus()  # and without a mouse
    person.page.keyboard.press("Enter")
    assert switched_on(person) == []
    assert Lines(person).pixels[..., 3].max() == 0
    person.page.keyboard.press("Enter")
    assert switched_on(person) == [2]
    check_lines(person, weights[[1]])


def test_a_line_of_buttons_is_one_stop_of_the_tab_key(visit: Callable[..., Visitor]) -> None:
    person = visit(address_of("attention", **ADDRESS, attention="cross"))
    queries, keys = tokens(person, "queries"), tokens(person, "keys")
    queries.first.focus()
    for pressed, at in (("ArrowDown", 1), ("ArrowRight", 2), ("ArrowUp", 1), ("End", 3)):
        person.page.keyboard.press(pressed)
        expect(queries.nth(at)).to_be_focused()
    person.page.keyboard.press("Tab")
    expect(keys.first).to_be_focused()
    person.page.keyboard.press("Shift+Tab")
    expect(queries.nth(3)).to_be_focused()  # where they left
    queries.nth(2).click()
    person.page.keyboard.press("Shift+Tab")
    expect(toggle(person, 1)).to_be_focused()
    person.page.keyboard.press("Tab")
    expect(queries.nth(2)).to_be_focused()


def test_a_token_is_isolated_with_its_weights(visit: Callable[..., Visitor]) -> None:
    person = visit(address_of("attention", **ADDRESS, attention="cross", layer=2, head=2))
    weights = weights_in("cross", 2)[1]
    assert Lines(person).ends("queries") == list(range(4))
    assert set(person.page.evaluate(BESIDE, "keys")) == {""}
    for by, side, opposite, at, share in (
        ("pointing", "queries", "keys", 3, weights[3]),
        ("focusing", "keys", "queries", 1, weights[:, 1]),
        ("pointing", "queries", "keys", 0, weights[0]),
    ):
        token = tokens(person, side).nth(at)
        if by == "pointing":
            token.hover()
        else:
            token.focus()
        check_beside(person, opposite, share)
        assert set(person.page.evaluate(BESIDE, side)) == {""}
        lines = Lines(person)
        assert lines.ends(side) == [at]
        for end, weight in enumerate(share):
            assert lines.strength(opposite, end) == pytest.approx(weight, abs=0.02)
    person.page.mouse.move(0, 0)
    person.page.evaluate("document.activeElement.blur()")
    assert Lines(person).ends("queries") == list(range(4))
    assert set(person.page.evaluate(BESIDE, "keys")) == {""}


def test_a_clicked_token_stays_alone_until_it_is_clicked_again_and_lines_follow_what_is_typed(
    visit: Callable[..., Visitor],
) -> None:
    person = visit(address_of("attention", **ADDRESS))

    def leave() -> None:
        person.page.mouse.move(0, 0)
        person.page.evaluate("document.activeElement.blur()")

    token = tokens(person, "queries").nth(2)
    token.click()
    leave()
    assert Lines(person).ends("queries") == [2]
    check_beside(person, "keys", weights_in("encoder", 1)[0, 2])
    toggle(person, 1).click()
    toggle(person, 4).click()  # another head, the same token
    check_beside(person, "keys", weights_in("encoder", 1)[3, 2])
    token.click()
    leave()
    assert len(Lines(person).ends("queries")) == 5
    tokens(person, "queries").nth(4).click()
    person.field("src").fill("the dog saw a")
    expect(tokens(person, "queries")).to_have_text(["the", "dog", "saw", "a"])
    person.settle()
    tokens(person, "keys").nth(1).focus()
    typed = Batch.from_text(["the dog saw a"], [TGT])
    check_beside(person, "queries", weights_in("encoder", 1, typed)[3, :, 1])
    wanted = colours_of("encoder", weights_in("encoder", 2, typed)[3])
    assert np.abs(thumbnail_pixels(person, "encoder", 2, 4)[..., :3] - wanted).max() <= 4
