"""The picture comes first: where it begins, how much of the screen it has, and what Tab reaches.

Of every page, test_looks.py asks it.
"""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import ViewportSize, expect

from tests.browser.visitor import LAPTOP, PHONE, Visitor

WITH_STAGE = (
    *("tokens", "masks", "positions", "attention", "steps", "stack"),
    *("training", "decoding", "why", "lab"),
)
WIDE: ViewportSize = {"width": 1920, "height": 1080}
PROJECTOR: ViewportSize = {"width": 1280, "height": 800}
# Pictures of 120 × 60 pixels or more, as far as they are not scrolled away; and what Tab stops at.
MEASURED = """() => {
  const box = ({ left, top, right, bottom }) => ({ left, top, right, bottom });
  const within = (one, other) => ({
    left: Math.max(one.left, other.left), top: Math.max(one.top, other.top),
    right: Math.min(one.right, other.right), bottom: Math.min(one.bottom, other.bottom) });
  const page = document.querySelector(".st-key-page");
  const all = [...page.querySelectorAll("canvas, svg, table, .model-view")].filter(picture => {
    const { width, height } = picture.getBoundingClientRect();
    return width >= 120 && height >= 60 && picture.checkVisibility({ visibilityProperty: true });
  });
  const boxes = all.filter(one => !all.some(other => other !== one && other.contains(one)))
    .map(picture => {
      const frame = picture.closest(".scroll, .table-scroll");
      const own = box(picture.getBoundingClientRect());
      return frame ? within(own, frame.getBoundingClientRect()) : own;
    });
  const screen = { left: 0, top: 0, right: innerWidth, bottom: innerHeight };
  const toolbar = document.querySelector(".toolbar").getBoundingClientRect();
  const seen = boxes.map(one => within(one, screen)).filter(one => one.bottom > one.top);
  const area = seen.reduce((sum, one) => sum + (one.right - one.left) * (one.bottom - one.top), 0);
  const stops = [...page.querySelectorAll("a[href], button, input, select, textarea, [tabindex]")]
    .filter(control => {
      const { width, height, top, bottom } = control.getBoundingClientRect();
      return control.tabIndex >= 0 && !control.disabled && width && height && top < innerHeight
        && bottom > 0 && control.checkVisibility() && !control.closest("a[href*=glossary]");
    });
  return {
    begins: Math.min(...boxes.map(({ top }) => top)),
    area, share: area / (innerWidth * innerHeight), stops: stops.length,
    cut: boxes.filter(one => one.top < innerHeight && one.bottom > innerHeight + 1).length,
    toolbar: toolbar.bottom };
}"""


def measured(person: Visitor) -> dict[str, Any]:
    """What the page has on its first screen."""
    person.settle()
    found: dict[str, Any] = person.page.evaluate(MEASURED)
    return found


def check_stage(person: Visitor, page: str) -> None:
    """Check that the picture comes first: on this laptop, a large screen, and a projector."""
    laptop = measured(person)
    assert laptop["begins"] <= 200, page
    assert laptop["share"] >= 0.4, page
    assert laptop["stops"] <= 12, page
    assert laptop["toolbar"] <= 768, page  # in sight
    person.page.set_viewport_size(WIDE)
    assert measured(person)["area"] >= 1.6 * laptop["area"], page
    person.page.set_viewport_size(PROJECTOR)
    person.settle()
    person.page.evaluate("document.activeElement.blur()")
    person.page.keyboard.press("p")
    person.page.wait_for_selector(".presenting .st-key-page")
    assert measured(person)["cut"] == 0, page
    person.page.keyboard.press("p")
    person.page.wait_for_selector(".presenting", state="detached")
    person.page.set_viewport_size(LAPTOP)


def test_what_stands_below_a_narrow_map_is_whole(visit: Callable[..., Visitor]) -> None:
    person = visit("/attention?weights=reverse")
    below = "line => line.getBoundingClientRect().bottom"
    area = "line => line.closest('.st-key-area_where').getBoundingClientRect().bottom"
    line = person.page.locator(".cell-in-words")
    assert line.evaluate(below) <= line.evaluate(area) + 1


def test_a_row_of_controls_is_one_stop_and_arrows_move_along_it(
    visit: Callable[..., Visitor],
) -> None:
    person = visit("/steps")

    def focused() -> str:
        name: str = person.page.evaluate(
            "() => document.activeElement.ariaLabel ?? document.activeElement.textContent"
        )
        return name

    for row, (first, second) in {
        ".st-key-stepper_step [aria-checked=true]": ("q·k: compare", "÷ √d_k: scale"),
        ".st-key-what_if [type=checkbox]": ("no division by √d_k", "no mask"),
        ".st-key-step_table [aria-pressed=true]": ("7 · the", "8 · fish"),
    }.items():
        person.page.locator(row).first.focus()
        assert focused() == first
        person.page.keyboard.press("ArrowRight")
        assert focused() == second
        person.page.keyboard.press("ArrowLeft")
        assert focused() == first
    person.page.locator(".st-key-stepper_step [aria-checked=true]").focus()
    person.page.keyboard.press("Tab")  # past the whole row
    assert person.page.evaluate("!!document.activeElement.closest('.st-key-step_table')")


def test_on_a_phone_what_a_press_changes_is_in_sight(visit: Callable[..., Visitor]) -> None:
    person = visit("/steps?v=2", **PHONE)
    row, whole = person.page.locator(".st-key-stepper_step"), 0.99
    for name in ("scale", "hide", "share", "mix", "join", "output"):
        row.get_by_role("button", name="Next").tap()
        person.settle()
        chosen = row.get_by_role("radio", name=name, checked=True)
        for shown in (chosen, person.page.locator(".st-key-area_what .scroll")):
            expect(shown).to_be_in_viewport(ratio=whole)
    person.open("/why?v=2")
    expect(person.page.locator(".st-key-area_answer")).to_be_in_viewport(ratio=whole)


def test_a_menu_in_a_row_keeps_its_keys(visit: Callable[..., Visitor]) -> None:
    person = visit("/decoding?v=2")
    row = person.page.locator(".st-key-stepper_at")
    back, onward = row.get_by_role("button", name="Back"), row.get_by_role("button", name="Next")
    menu = row.get_by_role("combobox")
    back.focus()
    person.page.keyboard.press("ArrowRight")  # past the menu
    expect(onward).to_be_focused()
    person.page.keyboard.press("Shift+Tab")
    expect(menu).to_be_focused()
    before = menu.input_value()
    person.page.keyboard.press("ArrowDown")
    expect(person.page.get_by_role("listbox")).to_be_visible()
    person.page.keyboard.press("ArrowDown")
    person.page.keyboard.press("Enter")
    expect(menu).not_to_have_value(before)


# How often each picture is drawn in sixty frames, and which of them lie on each other.
REDRAWN = """async () => {
  const plots = [...document.querySelectorAll(".st-key-area_what .plot")];
  const frames = async (count) => {
    for (; count; count--) await new Promise(requestAnimationFrame);
    return plots.map(({ dataset }) => Number(dataset.drawn));
  };
  const before = await frames(30), after = await frames(60);
  const boxes = plots.map(plot => plot.closest("figure").getBoundingClientRect());
  return {
    redrawn: after.map((count, at) => count - before[at]),
    overlap: boxes.flatMap((one, at) => boxes.slice(at + 1).filter(other =>
      one.left < other.right && other.left < one.right && one.top < other.bottom - 1
      && other.top < one.bottom - 1)).length,
    columns: new Set(boxes.map(({ left }) => left)).size };
}"""


@pytest.mark.parametrize(("page", "count"), [("training?weights=reverse&v=2", 2), ("lab?v=2", 3)])
def test_pictures_below_each_other_come_to_rest(
    page: str, count: int, visit: Callable[..., Visitor]
) -> None:
    person = visit(f"/{page}", viewport={"width": 820, "height": 1180})
    found = person.page.evaluate(REDRAWN)
    assert found == {"redrawn": [0] * count, "overlap": 0, "columns": 1}


def test_a_drawer_with_pictures_of_its_own_takes_the_place_of_the_stage(
    visit: Callable[..., Visitor],
) -> None:
    person = visit("/stack?v=2&drawer=stream")
    lens, stream = (
        person.page.locator(f".st-key-{key} .plot svg").first
        for key in ("lens_picture", "stream_picture")
    )
    expect(stream).to_be_visible()
    expect(lens).not_to_be_visible()
    person.settle()
    box = stream.bounding_box()
    assert box is not None
    assert box["y"] < 400  # nothing is left free for the stage
    assert box["width"] > 1000
    person.page.set_viewport_size(WIDE)
    person.settle()
    expect(lens).to_be_visible()
    person.page.set_viewport_size(LAPTOP)
    person.page.keyboard.press("Escape")
    expect(lens).to_be_visible()
    expect(stream).not_to_be_attached()
