"""The first page in a browser: the answer plays, steps and follows what is typed; the tour."""

import re
from collections.abc import Callable
from itertools import pairwise

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.visitor import LAPTOP, Visitor, address_of

CALM = {"reduced_motion": "reduce"}
PHONE = {"viewport": {"width": 390, "height": 844}, **CALM}
# What the text of each stop of the tour names: an element, or the frame in a picture.
NAMED = (
    ".st-key-src_ids .plot",
    "frame in stop_picture",
    ".st-key-order .plot",
    ".step-table tr.chosen",
    ".heads .model-view canvas",
    "frame in one_mask",
    "frame in lens_picture",
    "frame in one_head",
    ".st-key-next_words .plot",
    ".st-key-tree .plot",
    ".st-key-learning_head .plot",
    ".st-key-why_off .plot",
    ".st-key-hidden_picture .plot",
)


# Where the first frame of a picture begins on the screen, and how high it is.
FRAME = """key => {
  const plot = document.querySelector(`.st-key-${key} .plot`);
  const { top, height } = plot.querySelector(".area > rect").getBoundingClientRect();
  return { y: top, height };
}"""


def focused_piece(person: Visitor) -> Locator:
    """The piece of the answer that is in focus."""
    return person.page.locator(".writing .written .now text:not(.from)")


# Whether the piece in focus and the word that it looks at most fit on the screen, and are there.
BOTH = """() => {
  const frame = document.querySelector(".writing .words").getBoundingClientRect();
  const looks = [...document.querySelectorAll(".writing .keys .word")].map(
    (item) => [item.style.getPropertyValue("--look"), item]);
  const [, most] = looks.sort(([one], [other]) => other - one)[0];
  const both = [document.querySelector(".writing .written .now"), most];
  const boxes = both.map((item) => item.getBoundingClientRect());
  const left = Math.min(...boxes.map(({ left }) => left));
  const right = Math.max(...boxes.map(({ right }) => right));
  const there = left >= frame.left - 1 && right <= frame.right + 1;
  return { fit: right - left < frame.width, there };
}"""


def test_both_words_of_a_long_sentence_are_in_sight(visit: Callable[..., Visitor]) -> None:
    text = (
        "I think that the old man has never seen the sea, but my brother knows that he has often "
        "read the long book about the ship."
    )
    person = visit(address_of("", weights="translator", src=text, pairs=1), **PHONE)
    stage = person.page.locator(".writing.long")
    stage.focus()
    stage.press("Home")
    both = []
    for _ in range(6):
        stage.press("ArrowRight")
        stage.press("ArrowRight")
        person.settle()
        both.append(person.page.evaluate(BOTH))
    assert any(one["fit"] for one in both)
    assert all(one["there"] for one in both if one["fit"])


# Of every line of the decoder that is in sight: the query that it leads to.
IN_SIGHT = """() => document.querySelector(".writing").stage.lines.decoder.flatMap(
  (lines, query) => lines.filter((line) => line.checkVisibility()).map(() => query))"""


def test_it_steps_by_keyboard_follows_what_is_typed_and_a_click_asks_why(
    visit: Callable[..., Visitor],
) -> None:
    """Words that are not yet written have no lines."""
    person = visit("/?weights=translator&src=She+has+read+the+book.&pairs=1", **CALM)
    expect(person.page.locator(".writing .written .later")).to_have_count(0)
    stage = person.page.locator(".writing")
    stage.focus()
    stage.press("Home")
    expect(focused_piece(person)).to_have_text("Sie")
    assert set(person.page.evaluate(IN_SIGHT)) == {0}
    stage.press("ArrowRight")
    expect(focused_piece(person)).to_have_text("hat")
    assert set(person.page.evaluate(IN_SIGHT)) == {0, 1}
    bar = person.page.locator(".writing .bar.chosen")
    expect(bar).to_contain_text("hat")
    assert re.search(
        r"“hat”.* the attention drawn here goes most to “(She|has|read|book)”",
        stage.inner_text().replace("\n", " "),
    )
    assert person.page.locator(".writing .cross path").count() > 1
    person.field("src").fill("We have read the book.")
    expect(person.page.locator(".writing .written .word text").nth(2)).to_have_text("Wir")
    expect(focused_piece(person)).to_have_text("haben")  # the step stays
    pieces = person.page.locator(".writing .written .word")
    expect(pieces.nth(2).locator(".from")).to_have_text("have")  # haben
    pieces.nth(2).click()  # after BOS and Wir
    person.wait_for_parameter("why_at", "1")
    assert person.address.startswith("/why")


def test_an_answer_plays_once_by_itself_and_ends_at_its_end(visit: Callable[..., Visitor]) -> None:
    person = visit("/?weights=translator&src=She+sleeps.&pairs=1")
    later, count = (person.page.locator(f".writing {part}") for part in (".later", ".count"))
    for _ in range(2):  # the first sentence, and then another
        expect(later.first).to_be_attached()
        expect(later).to_have_count(0)
        first, last = count.inner_text().split(" / ")
        assert first == last
        expect(person.page.locator(".writing .written .word").last).to_have_class(re.compile("now"))
        expect(person.page.get_by_role("button", name="Play from the beginning")).to_be_visible()
        person.field("src").fill("He works.")


# How often the drawing changes within a moment.
CHANGES = """() => new Promise((done) => {
  let changes = 0;
  const watch = new MutationObserver(() => { changes += 1; });
  watch.observe(document.querySelector(".writing .words"), { attributes: true, subtree: true });
  setTimeout(() => done(changes), 300);
})"""


@pytest.mark.parametrize("size", [LAPTOP, PHONE["viewport"]])
def test_no_word_touches_another(visit: Callable[..., Visitor], size: dict[str, int]) -> None:
    text = "The international organisations have responsibilities."
    address = address_of("", weights="translator", src=text, pairs=1)
    person = visit(address, **CALM, viewport=size)
    for side in ("keys", "written"):
        words = person.page.locator(f".writing .{side} text:not(.from)")
        # The places of turned words overlap where the words do not: their lines lie apart.
        middles = words.evaluate_all(
            "all => all.map(text => [text.getScreenCTM(), text.getComputedTextLength()])"
            ".map(([{ a, b, e }, length]) => [a, b, e, length])"
        )
        for (a, b, x, length), (_, _, next_x, next_length) in pairwise(middles):
            apart = (next_x - x) * abs(b) if b else next_x - x - (length + next_length) / 2 * a
            assert apart >= (15 if b else 3), (side, x, next_x)
    assert person.page.evaluate(CHANGES) == 0  # it is not drawn again and again


def test_the_tour_by_keyboard_alone(visit: Callable[..., Visitor]) -> None:
    """At every stop, what its text names is on the first screen of a laptop; whole, on a stage.

    From stop to stop, the focus stays on the same button.
    """
    size = {"width": 1366, "height": 768}
    person = visit("/tour?weights=translator", **CALM, viewport=size)
    person.page.get_by_role("button", name="1. What does the model read?").press("Enter")
    place = person.page.locator(".st-key-tour")
    for number, named in enumerate(NAMED, start=1):
        expect(place).to_contain_text(f"stop {number} of {len(NAMED)}")
        expect(place).to_contain_text("Try:")
        person.settle()
        assert person.parameters["tour"] == str(number)
        framed = named.removeprefix("frame in ")
        if framed == named:
            box = person.page.locator(named).first.bounding_box()
        else:
            box = person.page.evaluate(FRAME, framed)
        assert box is not None, number
        toolbar = person.page.locator(".toolbar").bounding_box()
        in_drawer = number in (2, 12, 13)
        assert in_drawer or box["y"] + box["height"] <= toolbar["y"], (number, box)
        assert box["y"] + min(box["height"], 200) <= 768, f"stop {number}: {box}"
        button = person.page.locator(".st-key-tour_next button")
        if number == 1:
            button.focus()
        expect(button).to_be_focused()
        if number < len(NAMED):
            person.page.keyboard.press("Enter" if number % 2 else "Alt+n")
    person.page.keyboard.press("Alt+p")
    expect(place).to_contain_text(f"stop {len(NAMED) - 1} of {len(NAMED)}")
    assert not person.problems
