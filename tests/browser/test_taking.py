"""Pictures to take away, opened as people open them: in a browser that has no network."""

import io
import zipfile
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest
from PIL import Image
from playwright.sync_api import Browser, Download

from tests.browser.visitor import Visitor, address_of


def open_panel(visitor: Visitor) -> None:
    visitor.page.get_by_text("Take it with you", exact=True).click()
    visitor.page.locator(".take-pictures li").first.wait_for()


def taken(visitor: Visitor, selector: str) -> bytes:
    with visitor.page.expect_download() as started:
        visitor.page.locator(selector).click()
    download: Download = started.value
    return Path(download.path()).read_bytes()


def all_taken(visitor: Visitor) -> dict[str, bytes]:
    """All pictures of the page, by the names of their files."""
    with zipfile.ZipFile(io.BytesIO(taken(visitor, ".take-pictures .all"))) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name) for name in archive.namelist()}


def test_all_pictures_of_a_page(
    visit: Callable[..., Visitor], browser: Browser, tmp_path: Path
) -> None:
    address = address_of("attention", weights="reverse", src="one <b>two three", head=2)
    visitor = visit(address)
    open_panel(visitor)
    visitor.page.locator(".take-pictures select").select_option("dark")
    files = all_taken(visitor)
    names = {name.rpartition(".")[0] for name in files if name.endswith(".png")}
    assert len(names) == 2
    for name in names:
        drawing = ElementTree.fromstring(files[f"{name}.svg"])
        width, height = (float(drawing.attrib[side]) for side in ("width", "height"))
        image = Image.open(io.BytesIO(files[f"{name}.png"])).convert("RGB")
        assert image.size == pytest.approx((2 * width, 2 * height), abs=2)
        assert image.getpixel((1, 1)) == (0x11, 0x16, 0x1D)  # dark, on a light page
        words = "".join(drawing.itertext())
        assert "one <b>two three" in words
        assert "reverse" in words
        assert "head 2" in words
    file = tmp_path / "pictures.html"
    file.write_bytes(files["pictures.html"])
    context = browser.new_context(offline=True)
    page = context.new_page()
    page.goto(file.as_uri())
    page.locator("body[data-drawn='2']").wait_for()
    page.locator("svg .area").first.hover()
    page.locator(".cell-label").first.wait_for()
    context.close()


def test_home_is_two_pictures(
    visit: Callable[..., Visitor], browser: Browser, tmp_path: Path
) -> None:
    typed = "She <b>reads</b> books."
    address = address_of("", weights="translator", src=typed, pairs=1)
    visitor = visit(address, reduced_motion="reduce")
    open_panel(visitor)
    visitor.page.locator(".take-pictures select").select_option("dark")
    files = all_taken(visitor)
    assert set(files) == {
        *(f"{name}.{kind}" for name in ("translation", "model-map") for kind in ("png", "svg")),
        "pictures.html",
    }
    stage = visitor.page.locator(".writing :is(.keys, .written) text")
    svg = ElementTree.fromstring(files["translation.svg"])
    words = [text.text for text in svg.findall(".//{*}text")]
    shown = stage.all_text_contents()
    assert [word for word in words if word in shown][: len(shown)] == shown
    lines = visitor.page.locator(".writing path").evaluate_all(
        "all => all.filter(line => line.checkVisibility()).length"
    )
    assert len(svg.findall(".//{*}path")) == lines > 50
    assert typed in "".join(svg.itertext())
    image = Image.open(io.BytesIO(files["translation.png"])).convert("RGB")
    assert image.getpixel((1, 1)) == (0x11, 0x16, 0x1D)  # dark, on a light page
    pictures = visitor.page.locator(".map canvas").count()
    drawn = ElementTree.fromstring(files["model-map.svg"]).findall(".//{*}image")
    assert len(drawn) == pictures > 20
    kept = visitor.page.locator(".writing").get_attribute("style") or ""
    assert "--st-text-color" not in kept  # the page has its own colours again
    file = tmp_path / "pictures.html"
    file.write_bytes(files["pictures.html"])
    context = browser.new_context(offline=True)
    page = context.new_page()
    page.goto(file.as_uri())
    page.locator("body[data-drawn='2']").wait_for()
    assert page.locator("svg image").count() == pictures
    context.close()


def test_the_heads_view_is_a_picture_too(
    visit: Callable[..., Visitor], browser: Browser, tmp_path: Path
) -> None:
    visitor = visit(address_of("heads", weights="reverse", src="one two three"))
    open_panel(visitor)
    svg = ElementTree.fromstring(taken(visitor, "[aria-label='All heads as SVG']"))
    assert len(svg.findall(".//{*}image")) == 3 * 2 * 4  # kinds, layers, heads
    assert len(svg.findall(".//{*}line")) > 0
    image = Image.open(io.BytesIO(taken(visitor, "[aria-label='All heads as PNG']")))
    assert image.width == pytest.approx(2 * float(svg.attrib["width"]), abs=2)
    file = tmp_path / "heads.html"
    file.write_bytes(taken(visitor, "[aria-label='All heads as HTML']"))
    context = browser.new_context(offline=True)
    page = context.new_page()
    page.goto(file.as_uri())
    page.locator(".tokens.keys button").first.hover()
    page.locator(".tokens.keys .chosen").wait_for()
    context.close()
