"""The address has all choices: another page, a colleague and a reload show the same.

Every page is tested in tests/faults/test_anything_in_browser.py.
"""

from collections.abc import Callable

from tests.browser.visitor import Visitor


def set_number(person: Visitor, key: str, value: str) -> None:
    person.field(key).fill(value)
    person.field(key).press("Enter")
    person.fold_away()


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
