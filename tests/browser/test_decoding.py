"""Decoding in the browser: step by step, and with a word of one's own."""

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.browser.visitor import Visitor, address_of


def test_play_goes_to_the_end_by_itself(visit: Callable[..., Visitor]) -> None:
    visitor = visit(address_of("decoding", weights="reverse", src="one two three", pairs=1))
    visitor.press("Play")
    text = visitor.page.get_by_text("The decoder has read")
    expect(text).to_contain_text("It writes: EOS")
    expect(visitor.page.get_by_role("button", name="Play")).to_be_visible()


@pytest.mark.parametrize("by", ["mouse", "keyboard"])
def test_a_bar_is_clicked_and_its_word_is_written(visit: Callable[..., Visitor], by: str) -> None:
    visitor = visit(address_of("decoding", weights="reverse", src="one two three", pairs=1, at=1))
    page, bars = visitor.page, visitor.page.locator(".st-key-next_words")
    if by == "mouse":
        visitor.click_cell("next_words", 0, 0, 1)
    else:
        bars.locator(".cells").focus()
        for key in ("ArrowDown", "Enter"):
            page.keyboard.press(key)
    expect(page.get_by_text("The decoder has read")).to_contain_text("This word is yours.")
    expect(page.locator(".answer-row .outside")).to_have_text("with your word")
    page.go_back()
    expect(page.get_by_text("The decoder has read")).not_to_contain_text("This word is yours.")
