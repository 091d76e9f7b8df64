"""A page that is opened does not jump (see test_looks.py), nor does the first one after a start."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from explorer.choices.pages import PLACES
from tests.browser.conftest import alone
from tests.browser.visitor import Visitor, address_of
from tests.support.servers import Server, serving

MOST = 0.05  # 0.1 counts as good, and 0.25 as poor (web.dev/cls)
# Windows are used by several tests, and may be told this more than once.
NOTE_SHIFTS = """if (!window.shifts) {
  window.shifts = [];
  new PerformanceObserver((list) => window.shifts.push(
    ...list.getEntries().filter((entry) => !entry.hadRecentInput).map(({ value, sources }) =>
      [value, ...sources.map(({ node }) => (node?.outerHTML ?? node?.textContent)?.slice(0, 200))])
  )).observe({ type: "layout-shift", buffered: true });
}"""
# Once what has changed last is on the screen.
SHIFTS = """() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() =>
  resolve(window.shifts))))"""
IS_DRAWN = "() => document.documentElement.classList.contains('is-drawn')"
COMING = "() => document.querySelectorAll('.coming, [data-testid=stSkeleton]').length"
HIDDEN = """() => [...document.querySelectorAll(".stMainBlockContainer [data-testid]")].filter(
  (element) => getComputedStyle(element).opacity === "0")"""

# Somebody presses keys while the page is still coming.
EARLY_KEYS = """const pressing = setInterval(() => {
  if (document.querySelector(".head .places a")) return clearInterval(pressing);
  for (const key of "pnbw?") document.dispatchEvent(new KeyboardEvent("keydown", { key }));
}, 20)"""
TAKE_OUT = """addEventListener("DOMContentLoaded", () => {
  const frame = document.querySelector(".first-frame");
  frame.previousElementSibling.remove(); // the styles
  frame.remove();
})"""


def check_first_load(visitor: Visitor, address: str) -> None:
    """Check that the layout shifts until a page is drawn are no more than allowed."""
    visitor.open(address)
    visitor.page.wait_for_function(IS_DRAWN)
    assert visitor.page.evaluate(COMING) == 0
    shifts = visitor.page.evaluate(SHIFTS)
    assert sum(value for value, *_ in shifts) <= MOST, (address, shifts)


def test_the_first_visitor_after_a_start_may_come_by_any_link(
    browser: Browser, tmp_path: Path
) -> None:
    link = {"weights": "untrained", "src": "a b", "tgt": "x", "src2": "c", "tgt2": "y z"}
    link |= {"pairs": "2", "pair": "2", "v": "2"}
    with serving(tmp_path / "log.txt") as server, alone(browser, server.url) as visitor:
        visitor.page.add_init_script(NOTE_SHIFTS)
        visitor.page.add_init_script(EARLY_KEYS)
        check_first_load(visitor, address_of("masks", **link))
        assert visitor.parameters == link
        pages = visitor.page.locator(".head .pages a").all_inner_texts()
        assert pages == [title for _, title in PLACES["Read"].values()]
        expect(visitor.page.locator("h1")).to_have_text("What may each word look at?")
        assert visitor.labels("one_mask", "x") == ["BOS", "y", "z"]
        visitor.page.get_by_role("radio", name="cross").click()
        visitor.wait_for_parameter("attention", "cross")
        visitor.field("tgt2").fill("y")
        visitor.wait_for_parameter("tgt2", "y")
        visitor.go_to("Attention")
        expect(visitor.field("tgt2")).to_have_value("y")
        assert visitor.parameters["tgt2"] == "y"
        assert visitor.labels("one_head", "x")[0] == "c"
        assert visitor.problems == []
        assert "Traceback" not in server.log.read_text()


@pytest.mark.all
def test_nothing_stays_hidden_though_scripts_fail(browser: Browser, server: Server) -> None:
    with alone(browser, server.url) as visitor:
        page = visitor.page
        page.route(re.compile(r"/(head|answer_pieces)\.js"), lambda _: None)  # no answer
        page.goto(f"{server.url}/masks")
        page.wait_for_function(f"() => ({HIDDEN})().length > 0")
        page.wait_for_function(f"() => ({HIDDEN})().length === 0", timeout=40_000)
        expect(page.locator(".st-key-one_mask .plot svg").first).to_be_visible()


def test_styles_that_find_no_place_in_streamlits_first_page_come_later(
    browser: Browser, server: Server
) -> None:
    with alone(browser, server.url) as visitor:
        page = visitor.page
        page.add_init_script(TAKE_OUT)
        page.goto(f"{server.url}/masks")
        expect(page.locator(".st-key-one_mask .plot svg").first).to_be_visible()
        assert page.locator(".first-frame").count() == 0
        expect(page.locator(".head .places")).to_have_css("display", "flex")
