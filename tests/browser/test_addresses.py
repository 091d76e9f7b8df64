"""The address has all choices: another page, a colleague and a reload show the same.

Every page is tested in tests/faults/test_anything_in_browser.py.
"""

from collections.abc import Callable

from playwright.sync_api import expect

from tests.browser.heads import thumbnail
from tests.browser.visitor import Visitor, address_of


def set_number(person: Visitor, key: str, value: str) -> None:
    person.field(key).fill(value)
    person.field(key).press("Enter")
    person.fold_away()


def test_a_colleague_sees_the_same_numbers(visit: Callable[..., Visitor]) -> None:
    person = visit(address_of("attention"))
    person.field("src").fill("my cat & <b>yours</b>")
    person.wait_for_parameter("src", "my cat & <b>yours</b>")
    set_number(person, "seed", "7")
    person.wait_for_parameter("seed", "7")
    thumbnail(person, "cross", 1, 3).click()
    person.wait_for_parameter("attention", "cross")
    person.wait_for_parameter("head", "3")
    person.settle()
    colleague = visit(person.address)
    assert colleague.address == person.address
    person.settle()
    mine, theirs = person.picture("one_head"), colleague.picture("one_head")
    assert mine["maps"] == theirs["maps"]
    assert mine["alt"] == theirs["alt"]
    expect(colleague.field("src")).to_have_value("my cat & <b>yours</b>")


def test_defaults_are_left_out_and_a_reload_keeps_everything(visit: Callable[..., Visitor]) -> None:
    person = visit("/attention?weights=reverse&v=2")
    assert person.parameters == {"weights": "reverse", "v": "2"}
    set_number(person, "pairs", "2")
    person.field("src").fill("a b c")
    person.wait_for_labels("one_head", "x", ["a", "b", "c"])
    person.wait_for_parameter("src", "a b c")
    before = person.picture("one_head")
    assert before["alt"].startswith("cross attention, layer 2")  # whose heads are the clearest
    person.page.reload()
    person.settle()
    assert person.picture("one_head") == before
    assert person.parameters == {"pairs": "2", "src": "a b c", "weights": "reverse", "v": "2"}
