"""All heads in the browser: a thumbnail of each, which leads to its lines."""

import re
from collections.abc import Callable

import numpy as np
import pytest
from playwright.sync_api import expect

from explorer.names import AttentionKind
from tests.browser.heads import (
    ADDRESS,
    check_beside,
    check_lines,
    colours_of,
    switched_on,
    thumbnail,
    thumbnail_pixels,
    tokens,
    weights_in,
)
from tests.browser.visitor import Visitor, address_of


@pytest.mark.parametrize("look", ["light", "dark"])
def test_thumbnails_have_the_colours_of_the_weights(
    look: str, visit: Callable[..., Visitor]
) -> None:
    person = visit(address_of("attention", **ADDRESS, enc=1), color_scheme=look)
    assert person.page.locator(".heads .model-view button").count() == (1 + 2 + 2) * 4
    names = person.page.locator(".heads .grid.decoder button").evaluate_all(
        "all => all.map(one => getComputedStyle(one, '::after').content.replaceAll('\"', ''))"
    )
    assert names == ["layer 1", *["none"] * 3, "layer 2", *["none"] * 3]
    shown: list[tuple[AttentionKind, int]]
    shown = [("encoder", 1), ("decoder", 1), ("decoder", 2), ("cross", 2)]
    for kind, layer in shown:
        for head, weights in enumerate(weights_in(kind, layer, enc=1), start=1):
            pixels = thumbnail_pixels(person, kind, layer, head)
            assert pixels.shape[:2] == weights.shape
            # Masked cells are transparent, with a hatch behind them.
            np.testing.assert_array_equal(pixels[..., 3] == 0, weights == 0)
            seen = pixels[weights > 0, :3] - colours_of(kind, weights, look)[weights > 0]
            assert np.abs(seen).max() <= 4, (kind, layer, head)


def test_a_thumbnail_brings_its_head_into_address_and_lines(visit: Callable[..., Visitor]) -> None:
    person = visit(address_of("attention", **ADDRESS))
    clicked: list[tuple[str, AttentionKind, int, int]]
    clicked = [("mouse", "cross", 2, 3), ("keyboard", "encoder", 2, 3), ("mouse", "decoder", 1, 1)]
    for by, kind, layer, head in clicked:
        small = thumbnail(person, kind, layer, head)
        if by == "mouse":
            small.click()
        else:
            small.focus()
            person.page.keyboard.press("Enter")
        person.wait_for_parameter("attention", kind)
        person.wait_for_parameter("layer", str(layer))
        person.wait_for_parameter("head", str(head))
        person.settle()
        expect(small).to_have_attribute("aria-pressed", "true")
        assert person.page.locator(".model-view [aria-pressed=true]").count() == 1
        expect(person.page.locator(".head-view h3")).to_have_text(
            f"{kind} attention, layer {layer}"
        )
        if by == "keyboard":
            expect(small).to_be_focused()
        assert switched_on(person) == [head]
        check_lines(person, weights_in(kind, layer)[[head - 1]])
        weights = weights_in(kind, layer)[head - 1]
        tokens(person, "queries").nth(1).hover()
        check_beside(person, "keys", weights[1])
        person.page.mouse.move(0, 0)


def test_all_heads_are_one_stop_of_the_tab_key(visit: Callable[..., Visitor]) -> None:
    person = visit(address_of("attention", **ADDRESS, attention="decoder", layer=1, head=4))
    stops = person.page.locator(".model-view button[tabindex='0']")
    expect(stops).to_have_count(1)
    stops.focus()
    expect(thumbnail(person, "decoder", 1, 4)).to_be_focused()
    line = person.page.locator(".heads .cell-in-words")
    for pressed, kind, layer, head, query, key in (
        ("ArrowDown", "decoder", 1, 4, "BOS → der", "BOS"),
        ("ArrowUp", "encoder", 2, 4, "cat", "0 · the"),  # over the edge
        ("ArrowDown", "decoder", 1, 4, "BOS → der", "BOS"),
        ("End", "decoder", 1, 4, "BOS → der", "sah"),
        ("ArrowRight", "decoder", 1, 4, "BOS → der", "sah"),  # there is nothing on the right
        ("Control+ArrowDown", "decoder", 2, 4, "BOS → der", "sah"),
        ("Control+ArrowLeft", "decoder", 2, 3, "BOS → der", "sah"),
    ):
        person.page.keyboard.press(pressed)
        expect(thumbnail(person, kind, layer, head)).to_be_focused()
        start = f"{kind}, layer {layer}, head {head}: query {query}, key {key}, "
        expect(line).to_have_text(re.compile(f"^{start}"))
        expect(stops).to_have_count(1)
    person.page.keyboard.press("Enter")
    person.wait_for_parameter("layer", "2")
    person.settle()
    expect(thumbnail(person, "decoder", 2, 3)).to_be_focused()


def test_the_cells_of_a_head_are_walked_by_keyboard_and_pointed_at(
    visit: Callable[..., Visitor],
) -> None:
    person = visit(address_of("attention", **ADDRESS))
    line = person.page.locator(".heads .cell-in-words")
    ring = person.page.locator(".heads .cell-ring:not(.same-cell)")
    same = person.page.locator(".heads .same-cell")
    weights = weights_in("decoder", 1)[2]
    small = thumbnail(person, "decoder", 1, 3)

    def says(start: str, row: int, column: int) -> None:
        query, key = ("BOS → der", "der → Hund")[row], ("BOS", "der", "Hund", "sah")[column]
        expect(line).to_have_text(re.compile(f"^{start}: query {query}, key {key}, "))
        weight = line.inner_text().rpartition(", ")[2]
        if column > row:
            assert weight == "masked"
        else:
            shown = float(weight.removeprefix("weight about "))
            assert shown == pytest.approx(weights[row, column], abs=0.0075)

    small.focus()
    for pressed, row, column in (("ArrowDown", 0, 0), ("ArrowDown", 1, 0), ("End", 1, 3)):
        person.page.keyboard.press(pressed)
        says("decoder, layer 1, head 3", row, column)
    assert ring.evaluate("ring => [ring.style.left, ring.style.top]") == ["75%", "25%"]
    places = same.evaluate_all("rings => rings.map(ring => [ring.style.left, ring.style.top])")
    assert places == [["75%", "25%"]] * (2 * 4 - 1)  # in every other head of the decoder
    person.field("tgt").focus()
    expect(ring).to_have_count(0)
    expect(same).to_have_count(0)
    box = small.bounding_box()
    person.page.mouse.move(box["x"] + 0.3 * box["width"], box["y"] + 0.3 * box["height"])
    says("decoder, layer 1, head 3", 1, 1)
    person.field("src").fill("the dog slept")  # the weights of the decoder stay; so do the words
    person.wait_for_parameter("src", "the dog slept")
    person.settle()
    says("decoder, layer 1, head 3", 1, 1)
