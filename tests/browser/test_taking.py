"""Pictures to take away, opened as people open them: in a browser that has no network."""

import io
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest
from PIL import Image
from playwright.sync_api import Browser, expect

from tests.browser.visitor import Visitor, address_of

pytestmark = pytest.mark.browser
TYPED = "one <b>two three"


def taken(visitor: Visitor, kind: str) -> bytes:
    button = visitor.page.locator(f".st-key-take_{kind} button")
    with visitor.page.expect_download() as started:
        button.click()
    return Path(started.value.path()).read_bytes()


def test_a_picture_as_png_svg_and_html(
    visit: Callable[..., Visitor], browser: Browser, tmp_path: Path
) -> None:
    visitor = visit(address_of("attention", weights="reverse", src=TYPED, head=2))
    visitor.page.get_by_text("Take it with you", exact=True).click()
    visitor.page.locator(".st-key-take_trace button").wait_for()
    visitor.settle()
    colours = visitor.page.locator(".st-key-take_colours input")
    colours.click()
    colours.fill("dark")  # typing opens the menu, too
    colours.press("Enter")
    expect(colours).to_have_value("dark")
    visitor.settle()
    drawing = ElementTree.fromstring(taken(visitor, "svg"))
    words = "".join(drawing.itertext())
    assert all(part in words for part in (TYPED, "reverse", "head 2"))
    for _ in range(2):  # it can be taken again
        image = Image.open(io.BytesIO(taken(visitor, "png"))).convert("RGB")
        width, height = (float(drawing.attrib[side]) for side in ("width", "height"))
        assert image.size == pytest.approx((2 * width, 2 * height), abs=2)
        assert image.getpixel((1, 1)) == (0x11, 0x16, 0x1D)  # dark, on a light page
    file = tmp_path / "picture.html"
    file.write_bytes(taken(visitor, "html"))
    context = browser.new_context(offline=True)
    page = context.new_page()
    page.goto(file.as_uri())
    page.locator("[data-drawn='1'] svg .area").hover()
    page.locator(".cell-label").wait_for()
    assert TYPED in page.locator("figcaption").inner_text()
    context.close()


def test_the_pictures_of_home(visit: Callable[..., Visitor]) -> None:
    visitor = visit(address_of("", weights="translator", src="She reads books."))
    visitor.page.get_by_text("Take it with you", exact=True).click()
    svg = ElementTree.fromstring(taken(visitor, "svg"))
    words = [text.text for text in svg.findall(".//{*}text")]
    assert {"She", "books"} <= set(words)
    assert Image.open(io.BytesIO(taken(visitor, "png"))).width > 1000
