"""Step by step in the browser: rows, keys, cells, steps, numbers to type, and links."""

import re
from collections.abc import Callable
from typing import Any

import numpy as np
from playwright.sync_api import Locator, expect

from tests.browser.visitor import Visitor, address_of
from tests.figures.test_arithmetic import read_number

PAIR: dict[str, Any] = {"pairs": 1, "src": "the cat saw it", "tgt": "die Katze sah es"}
WORDS: list[str] = PAIR["src"].split()
NUMBERS_CONTAIN = """wanted =>
  document.querySelector(".st-key-by_hand code")?.innerText
    .includes(wanted)"""


def numbers_of(person: Visitor) -> str:
    """The written calculation of the step."""
    return person.page.locator(".st-key-by_hand code").inner_text()


def wait_for_numbers(person: Visitor, text: str) -> None:
    person.page.wait_for_function(NUMBERS_CONTAIN, arg=text)
    person.settle()


def rows(person: Visitor) -> Locator:
    """The rows of the table, one for each key."""
    return person.page.locator(".st-key-step_table tbody tr")


def column(person: Visitor, number: int) -> list[float]:
    """The numbers of a column of the table."""
    cells = rows(person).locator(f"td:nth-child({number + 1})")
    return [read_number(text).value for text in cells.all_inner_texts()]


def check_pair(person: Visitor, query: int, key: int) -> None:
    """Check that the table, the address and the calculation show this pair."""
    expect(rows(person).nth(key)).to_have_class(re.compile("chosen"))
    assert person.page.locator(".st-key-step_table tr.chosen").count() == 1
    person.wait_for_parameter("key", str(key))
    wait_for_numbers(person, f"“{WORDS[query]}” ({query}) → “{WORDS[key]}” ({key})")


def test_rows_are_chosen_with_a_mouse_and_without(visit: Callable[..., Visitor]) -> None:
    person = visit(address_of("steps", **PAIR, step="dots"))
    assert "key" not in person.parameters
    rows(person).nth(0).locator("td").nth(1).click()
    check_pair(person, 3, 0)
    assert "query" not in person.parameters  # nobody has chosen one
    person.page.locator(".st-key-step_table tbody button").first.focus()
    for key in (1, 2):
        person.page.keyboard.press("ArrowDown")
        person.page.keyboard.press("Enter")
        check_pair(person, 3, key)
        button = rows(person).nth(key).locator("button")
        expect(button).to_be_focused()  # still there after the redraw
        expect(button).to_have_attribute("aria-pressed", "true")


def test_a_click_on_a_cell_chooses_query_and_key(visit: Callable[..., Visitor]) -> None:
    person = visit(address_of("steps", **PAIR, form="matrix", step="scores"))
    for picture, trace, query, key in (("step_picture", 1, 2, 0), ("head_weights", 0, 3, 1)):
        person.click_cell(picture, trace, key, query)
        person.wait_for_parameter("query", str(query))
        person.wait_for_parameter("key", str(key))
        wait_for_numbers(person, f"“{WORDS[query]}” ({query}) → “{WORDS[key]}” ({key})")


def test_an_incomplete_number_changes_nothing(visit: Callable[..., Visitor]) -> None:
    person = visit(address_of("steps", case="toy", query=0, key=1, step="context"))
    before = numbers_of(person)
    field = person.page.get_by_label("Values, value 2, column 1", exact=True)
    field.fill("")
    person.page.wait_for_timeout(600)
    person.settle()
    assert numbers_of(person) == before
    assert "toy_v" not in person.parameters
    field.fill("0.0001234567")
    person.wait_for_parameter("toy_v", "1 0 1;0.0001234567 0 2;100 5 0;1000 6 0")
    wait_for_numbers(person, "1.000·0.000 + ")


def test_a_weight_in_the_heatmap_leads_to_its_steps(
    visit: Callable[..., Visitor],
) -> None:
    person = visit(address_of("attention", **PAIR, attention="decoder", layer=2, head=3))
    weights = person.numbers("one_head")
    person.click_cell("one_head", 0, 1, 3)
    expect(person.page.get_by_text(f"with weight {weights[3, 1]:.4f}").first).to_be_visible()
    person.settle()
    person.page.get_by_role("button", name="Where does this number come from?").click()
    expect(person.page.locator("h1")).to_have_text("How does one weight come about?")
    person.settle()
    person.wait_for_parameter("query", "3")
    person.wait_for_parameter("key", "1")
    expect(rows(person).nth(1)).to_have_class(re.compile("chosen"))
    np.testing.assert_allclose(column(person, 5), weights[3], atol=0.00051)


def test_the_chosen_key_is_scrolled_into_view_and_the_page_does_not_scroll(
    visit: Callable[..., Visitor],
) -> None:
    words = " ".join(f"w{number}" for number in range(40))
    address = address_of("steps", case="model", attention="encoder", src=words, tgt="x", key=39)
    person = visit(address)
    chosen = person.page.locator(".step-table .chosen")
    expect(chosen).to_contain_text("w39")
    head = person.page.locator(".step-table thead tr:first-child > :first-child")  # it sticks
    frame, bar = (person.page.locator(name) for name in (".st-key-step_table", ".toolbar"))
    row, above, around, below = (part.bounding_box() for part in (chosen, head, frame, bar))
    assert row is not None
    assert above is not None
    assert around is not None
    assert below is not None
    assert above["y"] + above["height"] <= row["y"] + 2
    assert row["y"] + row["height"] <= around["y"] + around["height"] + 2 <= below["y"] + 4
    assert person.page.locator('[data-testid="stMain"]').evaluate("main => main.scrollTop") == 0
