"""Numbers typed on a keyboard by a German: with a comma, into a field and into a grid."""

from collections.abc import Callable

from playwright.sync_api import expect

from tests.browser.visitor import Visitor, address_of


def test_a_comma_in_a_cell(visit: Callable[..., Visitor]) -> None:
    person = visit(address_of("steps", case="toy", step="context"), fresh=True, locale="de-DE")
    cell = person.page.locator(".st-key-toy_v_grid input").first
    cell.click()
    cell.press("Control+a")
    person.page.keyboard.type("0,25")
    person.wait_for_parameter("toy_v", "0.25 0 1;10 0 2;100 5 0;1000 6 0")
    person.settle()
    expect(cell).to_have_value("0,25")
    cell.press("Control+a")
    person.page.keyboard.type("0,2x")
    hint = person.page.locator(".st-key-toy_v_grid .number-hint")
    expect(hint).to_be_visible()
    expect(cell).to_have_attribute("aria-invalid", "true")
    expect(cell).to_have_value("0,2x")
    cell.press("Backspace")
    person.wait_for_parameter("toy_v", "0.2 0 1;10 0 2;100 5 0;1000 6 0")
    expect(hint).to_be_hidden()
