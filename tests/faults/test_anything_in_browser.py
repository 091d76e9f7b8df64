"""In a browser: what is typed or linked to is shown, on every page, and nothing else happens."""

from collections.abc import Callable
from typing import Final

import numpy as np
import pytest
from playwright.sync_api import Dialog, expect

from explorer.choices.pages import PAGES
from explorer.exploration import explore
from tests.app.driving import WITHOUT_SENTENCE
from tests.browser.visitor import Visitor, address_of
from tests.support.marks import rest

LINKED: Final = (
    "<img src=zq onerror=alert(1)> <svg/onload=alert(1)> :red[zq] $zq$ **zq** <zq>x</zq> zqzq"
)
# Turned about, set upside down, piled up; a NUL; what breaks out of quotes, if anything does.
TYPED: Final = (
    '</script><script>alert(1)</script> "><zq> \u202eabc\u202c e' + "\u0301" * 40 + " \x00 👩‍👩‍👧 "
    "[zq](javascript:alert(1)) ');alert(1)// {{zq}} ${alert(1)} :material/home: &lt;zq&gt; zqzq"
)
NAME_WORDS: Final = ("tokens", "attention")  # these name every word
ALTS: Final = """() => [...document.querySelectorAll("[aria-label]")].map(
  made => made.ariaLabel).join(" ")"""
MADE: Final = """() => [
  ...document.querySelectorAll(
    'zq, [src*="zq"], [href*="zq"]:not(image, [rel*="icon"], .head a), [onerror],'
    + '[href^="javascript"]'),
  ...[...document.querySelectorAll("script")].filter(script => script.text.includes("alert(1)")),
  ...[...document.querySelectorAll(".katex, strong, code, a, span[style*=color]")].filter(
    made => made.textContent.includes("zq") && !made.closest("svg, pre")),
].map(made => made.outerHTML.slice(0, 200))"""


@pytest.mark.parametrize("drawers", [False, *rest(True)])
def test_markup_does_nothing_and_choices_stay(visit: Callable[..., Visitor], drawers: bool) -> None:
    """What drawers say is looked at without a browser, too: test_anything_typed.py."""
    person = visit(address_of("", src=LINKED, tgt=LINKED, pairs=1))
    opened: list[str] = []

    def dismiss(dialog: Dialog) -> None:
        opened.append(dialog.message)
        dialog.dismiss()

    person.page.on("dialog", dismiss)
    person.field("d_model").fill("32")
    person.field("d_model").press("Enter")
    person.wait_for_parameter("d_model", "32")
    shown, other = LINKED, TYPED
    for page, (_, title) in PAGES.items():
        person.go_to(title)
        link = {"weights": "untrained", "src": shown, "tgt": LINKED, "d_model": "32"}
        assert person.parameters.items() >= link.items(), page
        assert person.page.evaluate(MADE) == [], page
        for _ in person.open_drawers() if drawers else ():
            assert person.page.evaluate(MADE) == [], page
        if page in WITHOUT_SENTENCE:
            expect(person.page.locator(".st-key-sentences")).to_have_count(0)
            continue
        expect(person.field("src")).to_have_value(shown)
        expect(person.field("d_model")).to_have_value("32")
        person.fold_away()
        person.field("src").fill(other)
        person.wait_for_parameter("src", other)
        person.settle()
        shown, other = other, shown
        expect(person.field("src")).to_have_value(shown)
        assert person.page.evaluate(MADE) == [], page
        assert person.page.locator('[data-testid="stException"]').count() == 0, page
        if page in NAME_WORDS:
            assert "zqzq" in person.page.evaluate(ALTS), page
    person.page.remove_listener("dialog", dismiss)
    assert opened == []
    assert [url for url in person.requests if "zq" in url.split("?")[0]] == []

    person.go_to(PAGES["attention"][1])
    person.field("src").fill("my cat sleeps")
    person.wait_for_labels("one_head", "x", ["my", "cat", "sleeps"])
    weights = explore(["my cat sleeps"], ["x"], d_model=32).trace.attention("encoder", 0).weights
    np.testing.assert_allclose(person.numbers("one_head"), weights[0, 0].numpy(), atol=6e-5)
