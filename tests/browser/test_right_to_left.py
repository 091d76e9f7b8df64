"""Hebrew words among signs and numbers: everything stands where a reader of the page expects it.

The right order is that of the page, from left to right; a browser knows where each part stands.
"""

from collections.abc import Callable

from playwright.sync_api import Locator, expect

from tests.browser.visitor import Visitor, address_of

CAT, SAT, ON, MAT = "החתול", "ישב", "על", "המחצלת"
ADDRESS = {"pairs": 1, "src": f"{CAT} {SAT} {ON} {MAT}", "tgt": f"{CAT} {ON} {MAT}", "dec": 1}
SMALL = {"enc": 1, "heads": 2, "d_model": 32, "layer": 1, "head": 1}

# The middle of each part of an element's text, from the left; the parts follow each other in it.
MIDDLES = """(element, parts) => {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const letters = [];
  while (walker.nextNode()) {
    const node = walker.currentNode;
    [...node.data].forEach((letter, at) => letters.push([node, at, letter]));
  }
  const text = letters.map(([, , letter]) => letter).join("");
  let from = 0;
  return parts.map((part) => {
    const begin = text.indexOf(part, from);
    if (begin < 0) throw new Error(`${part} is missing in ${text}`);
    from = begin + part.length;
    const range = document.createRange();
    range.setStart(letters[begin][0], letters[begin][1]);
    range.setEnd(letters[from - 1][0], letters[from - 1][1] + 1);
    const { left, right } = range.getBoundingClientRect();
    return (left + right) / 2;
  });
}"""


def assert_in_order(element: Locator, *parts: str) -> None:
    middles = element.evaluate(MIDDLES, list(parts))
    assert middles == sorted(middles), dict(zip(parts, middles, strict=True))


def rows(person: Visitor, key: str) -> Locator:
    return person.page.locator(f".st-key-{key} .plot .rows .names text")


def test_signs_and_numbers_keep_their_places_among_right_to_left_words(
    visit: Callable[..., Visitor],
) -> None:
    person = visit(address_of("attention", **ADDRESS, **SMALL, attention="decoder"))
    assert_in_order(rows(person, "one_head").nth(2), ON, "→", MAT)
    person.click_cell("one_head", 0, 1, 2)
    person.settle()
    said = person.page.locator(".st-key-one_head .cell-label")
    assert_in_order(said.locator("div").nth(0), ON, "→", MAT)
    person.open(address_of("masks", **ADDRESS, **SMALL, attention="decoder"))
    assert_in_order(rows(person, "one_mask").nth(2), ON, "→", MAT)
    person.open(address_of("attention", **ADDRESS, **SMALL, attention="decoder", drawer="lines"))
    assert_in_order(person.page.locator(".heads .queries > *").nth(2), ON, "→", MAT)
    person.page.add_style_tag(content=".heads .cell-in-words { white-space: nowrap }")
    small = person.page.locator(".heads .grid.cross canvas").first
    small.hover(position={"x": 4, "y": 4})
    said = person.page.locator(".heads .cell-in-words")
    assert_in_order(said, "BOS", "→", CAT, CAT, "0.")
    person.open(address_of("lab", **ADDRESS, **SMALL))
    sentence = person.page.get_by_text("looks at").first
    assert_in_order(sentence, "looks at", "“", "”", "0.", "B than")
    person.open(address_of("steps", **ADDRESS, **SMALL))
    names = person.page.locator(".st-key-step_table tbody th button")
    expect(names).to_have_count(4)
    for number, word in enumerate((CAT, SAT, ON, MAT)):
        assert_in_order(names.nth(number), str(number), "·", word)


def test_right_to_left_words_are_not_cut(visit: Callable[..., Visitor]) -> None:
    """Names of rows begin inside of the picture: Hebrew letters are wider than Latin ones."""
    person = visit(address_of("steps", **ADDRESS, **SMALL))
    pictures = person.page.locator("[data-testid='stMain'] .plot").all()
    assert pictures
    for picture in pictures:
        left = picture.bounding_box()["x"]
        starts = picture.locator(".rows .names text").evaluate_all(
            "all => all.map(text => text.getBoundingClientRect().left)"
        )
        assert starts
        assert min(starts) >= left
