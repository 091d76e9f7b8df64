"""Heatmaps: their colours are the numbers; one points at them, and enlarges them."""

import re
from collections.abc import Callable

import numpy as np
import pytest
from playwright.sync_api import expect

from explorer.drawing.theme import LIGHT, shades
from explorer.exploration import explore
from tests.browser.heads import thumbnail
from tests.browser.visitor import PHONE, Visitor, address_of

STEPS = 10_001
WORDS = address_of("attention", pairs=1, src="the cat sat on the mat", tgt="x", scale="largest")


def point_at(person: Visitor, key: str, trace: int, column: int, row: int) -> tuple[float, float]:
    """Move the mouse over a cell; returns where it is on the screen."""
    box, (x, y) = person.element(key).bounding_box(), person.middle_of(key, trace, column, row)
    person.page.mouse.move(box["x"] + x, box["y"] + y)
    return box["x"] + x, box["y"] + y


def test_the_colour_of_every_cell_is_its_weight(visit: Callable[..., Visitor]) -> None:
    many = " ".join(["the cat sat on the mat"] * 3)  # so many that no numbers stand in the cells
    person = visit(address_of("attention", pairs=1, src=many, tgt="x", scale="largest", head=4))
    weights = explore([many], ["x"]).trace.attention("encoder", 0).weights[0]
    colours = shades(LIGHT.weights("encoder"), np.linspace(0, 1, STEPS))
    top = float(weights.max())
    shot = person.pixels("one_head")
    for row, column in np.ndindex(18, 18):
        x, y = person.middle_of("one_head", 0, column, row)
        seen = shot[round(y), round(x)]
        share = float(weights[3, row, column]) / top
        wanted = colours[round(share * (STEPS - 1))]
        assert seen == pytest.approx(wanted, abs=3), (row, column)


def test_pointing_at_a_cell_shows_its_numbers(visit: Callable[..., Visitor]) -> None:
    person = visit(WORDS)
    label = person.page.locator(".st-key-one_head .cell-label")
    weights = person.numbers("one_head")
    for column, row in ((0, 0), (5, 2), (2, 5)):
        point_at(person, "one_head", 0, column, row)
        expect(label).to_contain_text(f"weight {weights[row, column]:.4f}")
        expect(label).to_contain_text(re.compile(r"score −?\d+\.\d{3}"))
        inner, outer = label.bounding_box(), person.element("one_head").bounding_box()
        assert inner["x"] >= outer["x"]
        assert inner["x"] + inner["width"] <= outer["x"] + outer["width"]
    # The label follows the numbers while the mouse rests.
    person.field("src").fill("the cat sat on a mat")
    person.wait_for_labels("one_head", "x", ["the", "cat", "sat", "on", "a", "mat"])
    point_at(person, "one_head", 0, 4, 5)
    person.page.keyboard.type("s")
    person.wait_for_labels("one_head", "x", ["the", "cat", "sat", "on", "a", "mats"])
    expect(label).to_contain_text("query mats")
    person.page.mouse.move(5, 5)
    expect(label).to_be_hidden()


MARKED = """(key) => {
  const { marks, bold } = document.querySelector(`.st-key-${key} .plot`).picture;
  const frames = [...marks.querySelectorAll("rect[stroke-opacity='1'][stroke='#1B2430']")];
  const sides = ["x", "y", "width", "height"];
  const at = frames.map(frame => sides.map(side => Number(frame.getAttribute(side))));
  const words = (elements) => Array.from(elements, element => element.textContent);
  return [at, words(bold), words(marks.querySelectorAll("text"))];
}"""


def test_pointing_at_a_cell_marks_it_everywhere(visit: Callable[..., Visitor]) -> None:
    person = visit(WORDS)
    point_at(person, "one_head", 0, 2, 5)
    frames, bold, values = person.page.evaluate(MARKED, "one_head")
    assert (len(frames), bold, values) == (1, ["mat", "sat"], [])
    same = person.page.locator(".heads .same-cell")
    places = same.evaluate_all("rings => rings.map(({ style }) => [style.left, style.top])")
    left, top = zip(*places, strict=True)
    assert len(places) == 2 * 4  # in every head of the encoder
    assert [float(share.rstrip("%")) for share in left] == pytest.approx([100 * 2 / 6] * 8, abs=0.1)
    assert [float(share.rstrip("%")) for share in top] == pytest.approx([100 * 5 / 6] * 8, abs=0.1)
    box = thumbnail(person, "encoder", 2, 1).bounding_box()  # and the other way round
    person.page.mouse.move(box["x"] + box["width"] / 12, box["y"] + 3 * box["height"] / 12)
    assert person.page.evaluate(MARKED, "one_head")[1] == ["cat", "0 · the"]
    person.page.mouse.move(5, 5)
    assert person.page.evaluate(MARKED, "one_head")[0] == []
    expect(same).to_have_count(0)


def test_equal_tokens_light_up_together(visit: Callable[..., Visitor]) -> None:
    person = visit(address_of("tokens", pairs=1, src="the cat sat on the mat", tgt="the b"))
    point_at(person, "src_ids", 0, 0, 0)
    frames = [len(person.page.evaluate(MARKED, key)[0]) for key in ("src_ids", "shift")]
    assert frames == [2, 2]  # in the target it is read once, and asked for once
    point_at(person, "src_ids", 0, 1, 0)
    frames = [len(person.page.evaluate(MARKED, key)[0]) for key in ("src_ids", "shift")]
    assert frames == [1, 0]


WRITTEN = """() => [...document.querySelectorAll(".st-key-one_head .names text")]
  .filter(name => getComputedStyle(name).visibility === "visible").map(name => name.textContent)"""


def test_of_many_names_those_of_one_cell_are_written(visit: Callable[..., Visitor]) -> None:
    words = " ".join(f"word{n}" for n in range(40))
    person = visit(address_of("attention", pairs=1, src=words, tgt="x", query=30, key=3))
    assert person.page.evaluate(WRITTEN) == ["word30", "word3"]
    point_at(person, "one_head", 0, 2, 5)
    assert person.page.evaluate(WRITTEN) == ["word5", "word2"]
    frame = person.page.locator(".st-key-one_head .scroll")
    assert frame.evaluate("frame => frame.scrollWidth <= frame.clientWidth")
    bottom = person.element("one_head").locator("svg").first.bounding_box()
    assert bottom["y"] + bottom["height"] < 768


# A row's and a column's name, in the left and in the upper part of the picture's frame.
NAMES_IN_SIGHT = """() => {
  const [row, column] = ["rows", "columns"].map(side => document.querySelectorAll(
    `.st-key-one_head .${side} .names text`)[30].getBoundingClientRect());
  const { x, y } = document.querySelector(".st-key-one_head .scroll").getBoundingClientRect();
  return x <= row.x && row.x < x + 200 && y <= column.y && column.y < y + 130;
}"""


def test_names_stay_in_sight_while_a_long_picture_scrolls(visit: Callable[..., Visitor]) -> None:
    words = " ".join(f"word{n}" for n in range(120))
    person = visit(address_of("attention", pairs=1, src=words, tgt="x"))
    frame = person.page.locator(".st-key-one_head .scroll")
    frame.evaluate("frame => { [frame.scrollLeft, frame.scrollTop] = [200, 150]; }")
    person.page.wait_for_function(NAMES_IN_SIGHT)


LABELS = """() => [...document.querySelectorAll(".plot")].flatMap(({ picture }) =>
  picture.hover.maps.flatMap((map) => [...Array(map.rows * map.columns).keys()].map(at => [
    map.blank.includes(at),
    picture.cell(map, Math.floor(at / map.columns), at % map.columns).text])))"""


@pytest.mark.parametrize(
    "address",
    [
        address_of("masks", weights="translator", mask="tgt"),
        address_of("attention", attention="cross", pairs=1, src="a 100%{x}", tgt="<b>"),
        address_of("steps", step="scores", form="matrix", d_model=8),
        address_of("stack", stack_shows="lens", weights="translator"),
    ],
)
def test_the_label_of_every_cell_says_its_number(
    address: str, visit: Callable[..., Visitor]
) -> None:
    person = visit(address)
    labels = person.page.evaluate(LABELS)
    assert labels
    typed = "100%{x}" in address
    for blank, text in labels:
        if not blank:
            assert re.sub(r"<[^>]*>", "", text).strip()
            assert "undefined" not in text
            assert typed or "%{" not in text
            assert not re.search(r"[-−]0\.?0*(?![\d.])", text), text


@pytest.mark.parametrize("by_key", [False, True])
def test_a_picture_is_enlarged(visit: Callable[..., Visitor], by_key: bool) -> None:
    person = visit(WORDS)
    if by_key:
        person.page.locator(".st-key-one_head .cells").focus()
        person.page.keyboard.press("e")
    else:
        person.element("one_head").hover(position={"x": 1, "y": 40})
        figure = person.page.locator(".st-key-one_head figure")
        figure.get_by_role("button", name="Enlarge").click()
    window = person.page.get_by_role("dialog")
    expect(window).to_contain_text("Encoder layer 1 head 1")
    expect(window.locator(".js-plotly-plot .xtick text")).to_have_text(
        ["0 · the", "cat", "sat", "on", "4 · the", "mat"]
    )
    window.locator(".nsewdrag").first.hover()
    expect(window.locator(".hoverlayer")).to_contain_text("weight 0.")
    person.page.keyboard.press("Escape")
    expect(window).to_have_count(0)
    person.field("src").fill("a dog")  # the next run opens it no more
    person.wait_for_labels("one_head", "x", ["a", "dog"])
    expect(window).to_have_count(0)


def test_a_tap_describes_a_cell_until_the_next_tap_elsewhere(visit: Callable[..., Visitor]) -> None:
    person = visit(address_of("masks", pairs=1, src="a b", tgt="x y", mask="tgt"), **PHONE)
    picture = person.element("one_mask")
    picture.scroll_into_view_if_needed()
    box, (x, y) = picture.bounding_box(), person.middle_of("one_mask", 0, 2, 1)
    person.page.touchscreen.tap(box["x"] + x, box["y"] + y)
    person.wait_for_parameter("key", "2")
    person.settle()
    person.page.touchscreen.tap(box["x"] + x, box["y"] + y)
    expect(person.page.locator(".st-key-one_mask .cell-label")).to_contain_text("query x")
    person.page.touchscreen.tap(20, 5)
    expect(person.page.locator(".st-key-one_mask .cell-label")).to_be_hidden()


def test_a_picture_whose_size_never_agrees_with_what_is_around_it_comes_to_rest(
    visit: Callable[..., Visitor],
) -> None:
    """Two sizes may follow from each other for ever, by less than a pixel."""
    person = visit("/attention?weights=translator")
    person.settle()
    drawn = """async () => {
      const plot = document.querySelector(".st-key-one_head .plot");
      const before = Number(plot.dataset.drawn);
      const moves = () => {
        const isOdd = plot.dataset.drawn % 2;
        plot.closest("figure").style.setProperty("--stage", isOdd ? "350px" : "600px");
        plot.parentElement.style.paddingLeft = isOdd ? "1px" : "2px";
      };
      new MutationObserver(moves).observe(plot, { attributeFilter: ["data-drawn"] });
      moves();
      await new Promise((done) => setTimeout(done, 2000));
      return plot.dataset.drawn - before;
    }"""
    assert 1 < person.page.evaluate(drawn) < 20
