"""The stack in the browser, and the map whose blocks lead into it."""

from collections.abc import Callable

import numpy as np
import pytest
from playwright.sync_api import expect

from explorer.analysis.stops import stops
from explorer.exploration import explore
from tests.browser.visitor import Visitor, address_of

PAIR = {"src": "the dog saw the cat", "tgt": "der Hund sah"}
SEEN = explore([PAIR["src"]], [PAIR["tgt"]])
WAY = stops(SEEN.model, SEEN.trace)
TGT_WORDS = ["BOS", *PAIR["tgt"].split()]


def expect_stop(person: Visitor, number: int) -> None:
    """Wait until the list, the address, the formula and the picture show this stop."""
    stop = WAY[number]
    expect(person.field("stop")).to_have_value(f"{number} · {stop.title}")
    title = f"{stop.title[:1].upper()}{stop.title[1:]}"
    expect(person.page.locator("strong").get_by_text(title, exact=True)).to_be_visible()
    person.wait_for_parameter("stop", str(number))
    person.settle()
    assert person.picture("stop_picture")["alt"].startswith(f"{stop.part}, {stop.name}: ")
    shown = person.numbers("stop_picture")
    np.testing.assert_allclose(shown, stop.values.numpy()[:, : shown.shape[1]], atol=6e-5)


def choose(person: Visitor, key: str, option: str) -> None:
    """Pick from a list, by typing what one looks for."""
    person.field(key).click()
    person.field(key).fill(option)
    person.page.get_by_role("option", name=option, exact=True).click()


def test_a_deep_link_leads_to_a_stop_and_a_word(visit: Callable[..., Visitor]) -> None:
    stop, word, words = 17, 3, TGT_WORDS
    person = visit(address_of("stack", **PAIR, pairs=1, stop=stop, word=word))
    expect_stop(person, stop)
    ((_, top, _, height),) = person.picture("stop_picture")["frames"]
    assert (top, height) == pytest.approx((word / len(words), 1 / len(words)), abs=1e-3)
    person.press("Next")
    expect_stop(person, stop + 1)
    expect(person.field("word")).to_have_value(f"{word} · {words[word]}")
    choose(person, "word", f"0 · {words[0]}")
    person.wait_for_parameter("word", "0")
    person.page.wait_for_function(
        "() => document.querySelector('.st-key-stop_picture .area > rect[y=\"0%\"]') !== null"
    )
