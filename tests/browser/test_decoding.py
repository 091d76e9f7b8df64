"""Decoding in the browser: step by step to the right answer of sentences nobody trained on."""

from collections.abc import Callable

import numpy as np
import pytest
from playwright.sync_api import expect

from tests.browser.visitor import Visitor, address_of

pytestmark = pytest.mark.browser


def test_forward_back_and_to_the_end(visit: Callable[..., Visitor]) -> None:
    visitor = visit(address_of("decoding", weights="reverse", src="one two three", pairs=1, at=1))
    said = visitor.page.get_by_text("The decoder has read")
    expect(said).to_contain_text("has read: BOS · It writes: three")
    for read, chosen in (("BOS three", "two"), ("BOS three two", "one"),
                         ("BOS three two one", "EOS")):  # fmt: skip
        visitor.press("Next")
        expect(said).to_contain_text(f"has read: {read} · It writes: {chosen}")
        visitor.settle()
        assert visitor.labels("next_words", "y")[0] == chosen
        assert [word for word in visitor.labels("newest", "x")[3:] if word] == read.split()
    expect(visitor.page.get_by_role("button", name="Next")).to_be_disabled()
    visitor.wait_for_parameter("at", "4")
    visitor.press("Back")
    expect(said).to_contain_text("It writes: one")
    # The picture of the whole answer: a line from the first word's source to the last one's.
    alignment = np.asarray(visitor.numbers("alignment"))
    assert alignment[:3].argmax(axis=1).tolist() == [2, 1, 0]


def test_play_goes_to_the_end_by_itself(visit: Callable[..., Visitor]) -> None:
    visitor = visit(address_of("decoding", weights="reverse", src="one two three", pairs=1))
    visitor.press("Play")
    said = visitor.page.get_by_text("The decoder has read")
    expect(said).to_contain_text("It writes: EOS", timeout=15_000)
    expect(visitor.page.get_by_role("button", name="Play")).to_be_visible()
