"""Typing, letter by letter: pictures follow, and nothing moves that the person did not move."""

from collections.abc import Callable

import numpy as np
import pytest
from playwright.sync_api import expect

from explorer.exploration import explore
from tests.browser.visitor import Visitor, address_of, rows_of

pytestmark = pytest.mark.browser
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
    for head in range(4):
        np.testing.assert_allclose(person.numbers("all_heads", head), weights[head], atol=6e-5)
    person.wait_for_parameter("src", TYPED)
    assert "it: " in person.picture("one_head")["alt"]
    for _ in range(3):
        person.page.keyboard.press("Backspace")
    person.wait_for_labels("one_head", "x", ["my", "cats", "&"])


def test_cross_attention_follows_the_target(visit: Callable[..., Visitor]) -> None:
    person = visit(address_of("attention", pairs=1, src="my cats", tgt="", attention="cross"))
    person.field("tgt").click()
    person.page.keyboard.type("meine Katzen", delay=20)
    person.wait_for_labels("one_head", "y", rows_of("meine", "Katzen"))
    assert person.labels("one_head", "x") == ["my", "cats"]
    weights = explore(["my cats"], ["meine Katzen"]).trace.attention("cross", 0).weights[0]
    np.testing.assert_allclose(person.numbers("one_head"), weights[0].numpy(), atol=6e-5)


def test_the_models_answer_follows_every_letter(visit: Callable[..., Visitor]) -> None:
    person = visit(
        address_of("attention", weights="copy", pairs=1, src="", attention="cross", layer=2)
    )
    expect(person.answer.locator("li")).to_have_count(0)
    person.field("src").click()
    for count, letter in enumerate(TYPED, start=1):
        person.page.keyboard.type(letter)
        words = TYPED[:count].split()
        person.expect_answer(" ".join(words), "Model's answer 1 ✓")
        person.wait_for_labels("one_head", "x", words)
        person.wait_for_labels("one_head", "y", rows_of(*words))
    person.wait_for_parameter("src", TYPED)
    assert not {"tgt", "typed_target"} & person.parameters.keys()


def test_tokens_and_ids_follow_every_letter(visit: Callable[..., Visitor]) -> None:
    person = visit(address_of("tokens", pairs=1, src="a b", tgt="x"))
    person.field("src").click()
    person.page.keyboard.press("End")
    # PAD 0, BOS 1, EOS 2, UNK 3; then words by first appearance, the same word the same id.
    for letter, cells in (
        (" ", ["a, id 4", "b, id 5"]),
        ("a", ["a, id 4", "b, id 5", "a, id 4"]),
        ("b", ["a, id 4", "b, id 5", "ab, id 6"]),
        ("!", ["a, id 4", "b, id 5", "ab, id 6", "!, id 7"]),
    ):
        person.page.keyboard.type(letter)
        person.page.wait_for_function(
            """wanted => {
              const { picture } = document.querySelector(".st-key-src_ids .plot");
          const [{ fields: { customdata: { words, at } } }] = picture.hover.maps;
          const row = at.slice(0, wanted.length).map(n => words[n]);
              return JSON.stringify(row) === JSON.stringify(wanted);
            }""",
            arg=cells,
        )
    assert "a=4 b=5 ab=6 !=7" in person.picture("src_ids")["alt"]


def test_masks_follow_the_target(visit: Callable[..., Visitor]) -> None:
    person = visit(address_of("masks", pairs=2, src="a", tgt="x", src2="b", tgt2="y z w"))
    grey = person.labels("one_mask", "x")[3:]
    assert len(grey) == 1  # BOS x EOS and a PAD up to the length of BOS y z w
    assert grey == ["PAD"]
    person.field("tgt").click()
    person.page.keyboard.press("End")
    person.page.keyboard.type(" v")
    person.wait_for_labels("one_mask", "x", ["BOS", "x", "v", "EOS"])
    future = np.triu(np.ones((4, 4)), 1)
    np.testing.assert_array_equal(person.numbers("one_mask", 2), future)


def test_a_menu_names_the_word_as_it_is_typed(visit: Callable[..., Visitor]) -> None:
    person = visit(
        address_of("masks", pairs=1, src="a b", tgt="x y", attention="decoder", query=2, key=1)
    )
    menu = person.page.locator(".st-key-query input").first
    expect(menu).to_have_value("2 · y")
    person.field("tgt").click()
    person.page.keyboard.press("End")
    person.page.keyboard.type("es")
    expect(menu).to_have_value("2 · yes")


@pytest.mark.parametrize(
    ("name", "field", "keys", "weights"),
    [
        ("attention", "src", ["one_head", "all_heads"], "reverse"),
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
