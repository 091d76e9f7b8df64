"""Typing, letter by letter: pictures follow, and nothing moves that the person did not move."""

import threading
from collections.abc import Callable

import numpy as np
import pytest
from playwright.sync_api import WebSocketRoute, expect

from explorer.exploration import explore
from tests.browser.test_looks import grave_problems
from tests.browser.visitor import Visitor, address_of

TYPED = "my cats & it"

# Looks at every frame that the browser paints: is the same element there, with its picture in it,
# at the same place?
WATCH = """keys => {
  const plots = () => keys.map(key => document.querySelector(`.st-key-${key} .plot`));
  const first = plots();
  window.watched = [];
  const look = () => {
    window.watched.push(plots().map((plot, at) => {
      const images = [...plot?.querySelectorAll(".area image") ?? []];
      const inked = (image) => image.getBoundingClientRect().width > 0;
      const { x, y, width, height } = plot?.getBoundingClientRect() ?? {};
      return {
        kept: plot === first[at],
        drawn: images.length > 0 && images.every(inked),
        place: [x, y, width, height].join(" "),
      };
    }));
    requestAnimationFrame(look);
  };
  look();
}"""


def test_axes_and_numbers_follow_every_letter_of_the_source(
    visit: Callable[..., Visitor],
) -> None:
    person = visit(address_of("attention", pairs=1, src="", tgt="ja"))
    person.field("src").click()
    for count, letter in enumerate(TYPED, start=1):
        person.page.keyboard.type(letter)
        typed = TYPED[:count]
        person.wait_for_labels("one_head", "x", typed.split())
        person.wait_for_labels("one_head", "y", typed.split())
        weights = explore([typed], ["ja"]).trace.attention("encoder", 0).weights[0].numpy()
        np.testing.assert_allclose(person.numbers("one_head"), weights[0], atol=6e-5)
    person.wait_for_parameter("src", TYPED)
    assert "it: " in person.picture("one_head")["alt"]
    for _ in range(3):
        person.page.keyboard.press("Backspace")
    person.wait_for_labels("one_head", "x", ["my", "cats", "&"])


@pytest.mark.parametrize(
    ("name", "field", "keys", "weights"),
    [
        ("attention", "src", ["one_head"], "reverse"),
        ("masks", "tgt", ["one_mask", "row_at_work"], "untrained"),
        ("tokens", "src", ["src_ids", "shift"], "german"),
    ],
)
def test_no_picture_blanks_or_moves_while_a_person_types(
    name: str, field: str, keys: list[str], weights: str, visit: Callable[..., Visitor]
) -> None:
    typed = {"tgt": "das Tier war"} if weights == "untrained" else {}
    person = visit(address_of(name, weights=weights, pairs=1, src="the animal was", **typed))
    before = person.picture(keys[0])["maps"]
    person.field(field).click()
    person.page.keyboard.press("End")
    person.page.evaluate(WATCH, keys)
    person.page.keyboard.type(" very tired", delay=60)
    person.page.wait_for_function(
        "key => document.querySelector(`.st-key-${key} .plot`).ariaLabel.includes('tired')",
        arg=keys[0],
    )
    person.settle()
    frames = person.page.evaluate("window.watched")
    assert person.picture(keys[0])["maps"] != before
    assert len(frames) > 10
    for number, key in enumerate(keys):
        seen = [frame[number] for frame in frames]
        assert all(look["kept"] for look in seen), f"{key} was mounted anew"
        assert all(look["drawn"] for look in seen), f"{key} was blank"
        assert len({look["place"] for look in seen}) == 1, f"{key} moved"


def test_whoever_types_types_on_while_a_part_of_a_run_is_lost(
    visit: Callable[..., Visitor],
) -> None:
    """Streamlit takes away what a run has not drawn, as far as the browser can tell."""
    person = visit("/glossary", fresh=True)
    is_losing, is_lost = threading.Event(), threading.Event()

    def connect(socket: WebSocketRoute) -> None:
        server = socket.connect_to_server()

        def show(message: bytes | str) -> None:
            assert isinstance(message, bytes)
            if is_losing.is_set() and b"line_src" in message:
                is_lost.set()
            else:
                socket.send(message)
            if b"run_ends" in message and is_lost.is_set() and is_losing.is_set():
                is_losing.clear()

        server.on_message(show)
        sockets.append(socket)

    sockets: list[WebSocketRoute] = []
    person.page.route_web_socket("**/_stcore/stream", connect)
    person.open(address_of("attention", weights="translator", src="the dog"))
    person.field("src").click()
    person.page.keyboard.press("End")
    is_losing.set()
    person.page.keyboard.type(" s")
    person.page.wait_for_function("() => !document.querySelector('.st-key-line_src #line-src')")
    person.page.keyboard.type("ees no ")  # two of these letters turn pages outside of a line
    sockets[-1].close()
    person.page.keyboard.type("birds", delay=100)
    person.page.wait_for_function("() => document.querySelector('.st-key-line_src #line-src')")
    person.page.keyboard.type(".")
    expect(person.field("src")).to_have_value("the dog sees no birds.")
    person.wait_for_parameter("src", "the dog sees no birds.")
    assert "/attention" in person.address
    assert person.page.locator("#line-src").count() == 1
    # What Streamlit says of a text that found no connection. It was sent again.
    person.problems[:] = [one for one in person.problems if "when disconnected" not in one]


def test_examples_lie_over_the_page_until_somebody_types(visit: Callable[..., Visitor]) -> None:
    person = visit(address_of("stack", weights="translator", src="Dogs sleep."))
    field, title = person.field("src"), person.page.locator("h1")
    offered = person.page.get_by_role("group", name="Examples").get_by_role("button")
    place = title.bounding_box()
    expect(offered).to_have_count(0)
    field.click()
    expect(offered).to_have_count(4)
    field.press("Escape")
    expect(offered).to_have_count(0)
    field.fill("")
    expect(offered).to_have_count(4)
    person.wait_for_parameter("src", "")
    person.settle()
    assert grave_problems(person, {}) == []
    below = person.page.get_by_role("group", name="Examples").bounding_box()
    assert below["y"] + below["height"] <= title.bounding_box()["y"]  # there is nothing else to see
    field.press("Tab")
    person.page.keyboard.press("ArrowRight")
    chosen = offered.nth(1).inner_text()
    person.page.keyboard.press("Enter")
    expect(field).to_have_value(chosen)
    expect(field).to_be_focused()
    expect(offered).to_have_count(0)
    person.wait_for_parameter("src", chosen)
    height = field.bounding_box()["height"]
    field.fill(f"{chosen} {chosen}")
    assert field.bounding_box()["height"] > height
    field.press("Enter")
    expect(field).to_have_value(f"{chosen} {chosen}")
    person.settle()
    assert title.bounding_box() == place


def test_escape_closes_the_examples_and_nothing_else(visit: Callable[..., Visitor]) -> None:
    person = visit(address_of("stack", weights="translator", src="Dogs sleep."))
    field = person.field("src")
    offered = person.page.get_by_role("group", name="Examples").get_by_role("button")
    drawer = person.page.locator(".toolbar button").first
    for text in ("", "Dogs sleep."):
        field.fill(text)
        person.wait_for_parameter("src", text)
        person.settle()
        if text:
            drawer.click()
            expect(drawer).to_have_attribute("aria-expanded", "true")
            person.settle()
        for focused in (field, offered.nth(1)):
            field.blur()
            field.focus()
            expect(offered).to_have_count(4)
            focused.focus()
            person.page.keyboard.press("Escape")
            expect(offered).to_have_count(0)
            expect(field).to_be_focused()
    person.settle()
    expect(drawer).to_have_attribute("aria-expanded", "true")
    field.press("Escape")
    expect(drawer).to_have_attribute("aria-expanded", "false")


PASTE = """(field, text) => {
  const clipboardData = new DataTransfer();
  clipboardData.setData("text/plain", text);
  const event = new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true });
  if (field.dispatchEvent(event)) document.execCommand("insertText", false, text);
  return [field.value, field.selectionStart];
}"""


def test_lines_that_are_pasted_become_one_and_can_be_undone(
    visit: Callable[..., Visitor],
) -> None:
    person = visit(address_of("stack", weights="translator", src="Dogs sleep."))
    field = person.field("src")
    field.press("Home")
    assert field.evaluate(PASTE, "Big\r\n  brown\n") == ["Big brown Dogs sleep.", len("Big brown ")]
    person.wait_for_parameter("src", "Big brown Dogs sleep.")
    field.press("Control+z")
    expect(field).to_have_value("Dogs sleep.")
    person.wait_for_parameter("src", "Dogs sleep.")
