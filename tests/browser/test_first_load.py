"""A page that is opened does not jump, and neither does the first one after a start."""

import re
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from explorer.ui.registry import PAGES
from tests.browser.conftest import Server, serving
from tests.browser.visitor import Visitor

pytestmark = pytest.mark.browser
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
SIZES = {"laptop": {"width": 1366, "height": 768}, "phone": {"width": 390, "height": 844}}


def check(visitor: Visitor, address: str) -> None:
    """How much of the window moves until a page is drawn, and how far, is no more than allowed."""
    visitor.page.add_init_script(NOTE_SHIFTS)
    visitor.open(address)
    visitor.page.wait_for_function(IS_DRAWN)
    assert visitor.page.evaluate(COMING) == 0
    shifts = visitor.page.evaluate(SHIFTS)
    assert sum(value for value, *_ in shifts) <= MOST, shifts


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("page", PAGES)
def test_nothing_moves(page: str, size: str, visit: Callable[..., Visitor]) -> None:
    visitor = visit("/words", viewport=SIZES[size])
    check(visitor, "/" if page == "home" else f"/{page}")


def test_nothing_moves_for_the_first_visitor_after_a_start(
    browser: Browser, tmp_path: Path
) -> None:
    with (
        serving(tmp_path / "log.txt") as server,
        closing(browser.new_context(viewport=SIZES["laptop"])) as context,
    ):
        check(Visitor(context, server.url), "/masks")


def test_nothing_stays_hidden_though_scripts_fail(browser: Browser, server: Server) -> None:
    with closing(browser.new_context(viewport=SIZES["laptop"])) as context:
        page = context.new_page()
        page.route(re.compile(r"/(corner|answer_pieces)\.js"), lambda _: None)  # no answer
        page.goto(f"{server.url}/masks")
        page.wait_for_function(f"() => ({HIDDEN})().length > 0")
        page.wait_for_function(f"() => ({HIDDEN})().length === 0", timeout=40_000)
        expect(page.locator(".st-key-one_mask .plot svg").first).to_be_visible()
