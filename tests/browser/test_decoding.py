"""Decoding in the browser: step by step to the right answer of sentences nobody trained on."""

from collections.abc import Callable

from playwright.sync_api import expect

from tests.browser.visitor import Visitor, address_of


def test_play_goes_to_the_end_by_itself(visit: Callable[..., Visitor]) -> None:
    visitor = visit(address_of("decoding", weights="reverse", src="one two three", pairs=1))
    visitor.press("Play")
    text = visitor.page.get_by_text("The decoder has read")
    expect(text).to_contain_text("It writes: EOS")
    expect(visitor.page.get_by_role("button", name="Play")).to_be_visible()
