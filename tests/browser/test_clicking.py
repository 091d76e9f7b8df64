"""Clicking and pressing keys: sliders, small pictures, buttons, and no mouse at all."""

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.browser.visitor import Visitor, address_of


def test_a_row_of_the_keyboard_is_enough_to_look_inside(visit: Callable[..., Visitor]) -> None:
    person = visit(address_of(""))
    for _ in range(120):
        person.page.keyboard.press("Tab")
        focused = person.page.evaluate("document.activeElement.innerText ?? ''")
        if focused.startswith("Cross-attention"):
            break
    else:
        pytest.fail("the map's blocks cannot be reached with the Tab key")
    outline = person.page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    shadow = person.page.evaluate("getComputedStyle(document.activeElement).boxShadow")
    assert (outline, shadow) != ("none", "none")  # a person sees where they are
    person.page.keyboard.press("Enter")
    expect(person.page.locator("h1")).to_have_text("Who looks at whom?")
    person.settle()
    person.wait_for_parameter("attention", "cross")
    assert person.address.startswith("/attention")
    assert person.labels("one_head", "y")[0].startswith("BOS → ")


@pytest.mark.parametrize(("page", "key"), [("attention", "query"), ("why", "why_at")])
def test_a_piece_of_the_answer_leads_to_the_row_that_writes_it(
    page: str, key: str, visit: Callable[..., Visitor]
) -> None:
    pairs = {"pairs": 2, "src": "a b", "src2": "a b c d"}
    person = visit(address_of(page, weights="reverse", side="left", **pairs))
    person.answer.get_by_role("button").nth(1).click()
    person.wait_for_parameter(key, "3")  # PAD, PAD, BOS, b → a
