"""Numbers typed on a keyboard by a German: with a comma, into a field and into a grid."""

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.browser.visitor import Visitor, address_of

pytestmark = pytest.mark.browser


def test_a_comma_in_a_field(visit: Callable[..., Visitor]) -> None:
    person = visit(address_of("training"), fresh=True, locale="de-DE")
    person.page.locator(".st-key-train_options").get_by_role("button").first.click()
    field = person.page.locator(".st-key-lr input")
    expect(field).to_have_value("0,005")
    field.click()
    field.press("Control+a")
    person.page.keyboard.type("0,003")
    field.press("Enter")
    person.wait_for_parameter("lr", "0.003")
    expect(field).to_have_value("0,003")
    field.press("Control+a")
    person.page.keyboard.type("1.234")
    field.press("Enter")
    expect(
        person.page.get_by_text("“1.234”").or_(person.page.get_by_text("„1.234“"))
    ).to_be_visible()
    expect(field).to_have_value("1.234")
    assert person.parameters["lr"] == "0.003"


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
