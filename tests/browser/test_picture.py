"""Pictures outside of the app, in a file or a notebook: pointed at, fitted."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from explorer.exploration import explore
from explorer.notebook.exploration import Exploration

TYPED = "one <b>two</b> three & two"


@pytest.fixture(scope="module")
def seen() -> Exploration:
    return explore([TYPED], ["x y"])


@pytest.fixture
def page(browser: Browser, seen: Exploration, tmp_path: Path) -> Iterator[Page]:
    """One head, in a file, without a network."""
    file = tmp_path / "one.html"
    file.write_text(seen.attention("encoder", 0, 1)[0].html(), encoding="utf-8")
    context = browser.new_context(offline=True, viewport={"width": 1000, "height": 700})
    page = context.new_page()
    problems: list[Any] = []
    page.on("pageerror", lambda error: problems.append(error))
    page.goto(file.as_uri())
    page.locator("[data-drawn='1']").wait_for()
    yield page
    assert problems == []
    context.close()


def test_the_picture_fills_the_width(page: Page) -> None:
    svg = page.locator("svg").first
    for width in (700, 1100):
        page.set_viewport_size({"width": width, "height": 700})
        expect(svg).to_have_js_property("clientWidth", width - 32)
    letters = page.locator(".rows text").first.bounding_box()
    page.set_viewport_size({"width": 700, "height": 700})
    expect(svg).to_have_js_property("clientWidth", 668)
    narrow = page.locator(".rows text").first.bounding_box()
    assert letters is not None
    assert narrow is not None
    assert narrow["width"] == pytest.approx(letters["width"], abs=1)


@pytest.mark.parametrize("cell", [False, True])
def test_a_browser_that_translates_leaves_pictures_as_they_are(
    browser: Browser, seen: Exploration, cell: bool
) -> None:
    shown = seen.attention("encoder", 0, 1)[0]
    page = browser.new_page()
    page.set_content(shown._repr_mimebundle_()["text/html"] if cell else shown.html())
    page.locator("[data-drawn='1']").wait_for()
    expect(page.locator(".cell-label")).to_have_count(1)
    for part in page.locator("svg, .cell-label").all():
        assert part.evaluate("element => element.closest('[translate=no]') !== null")
    page.close()
