"""A table in the browser, and its file."""

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.browser.visitor import PHONE, Visitor, address_of

# The heights of a table's rows, and the width of the fade at its right, in pixels.
ROWS_AND_FADE = """scrolled => [
  [...scrolled.querySelectorAll("tbody tr")].map(row => row.offsetHeight),
  parseFloat(getComputedStyle(scrolled).getPropertyValue("--faded")),
]"""


def test_on_a_phone_row_names_fit_in_one_line_and_the_cut_edge_fades(
    visit: Callable[..., Visitor],
) -> None:
    person = visit(address_of("attention", drawer="heads", weights="translator"), **PHONE)
    table = person.page.locator(".st-key-cross-heads .table-scroll")
    heights, faded = table.evaluate(ROWS_AND_FADE)
    assert max(heights) < 40
    assert faded == pytest.approx(28)
    table.evaluate("scrolled => { scrolled.scrollLeft = scrolled.scrollWidth; }")
    expect(table).to_have_css("--faded", "0px")
