"""The address has all choices: another page, a colleague and a reload show the same.

Every page is tested in tests/faults/test_anything_in_browser.py.
"""

from collections.abc import Callable

from playwright.sync_api import expect

from explorer.ui.registry import PAGES
from tests.browser.visitor import Visitor, address_of


def set_number(person: Visitor, key: str, value: str) -> None:
    person.field(key).fill(value)
    person.field(key).press("Enter")
    person.fold_away()


def test_the_shown_attention_is_the_same_on_every_page_that_has_one(
    visit: Callable[..., Visitor],
) -> None:
    person = visit(address_of("attention", attention="decoder", layer=2, head=3))
    wanted = {"attention": "decoder", "layer": "2", "head": "3"}
    for page in ("heads", "attention", "steps", "tokens", "heads", "steps"):
        person.go_to(PAGES[page][1])
        if page != "tokens":
            assert {key: person.parameters.get(key) for key in wanted} == wanted, page
            expect(person.page.get_by_role("radio", name="decoder")).to_be_checked()
    person.page.get_by_role("radio", name="encoder").click()
    person.settle()
    person.go_to(PAGES["attention"][1])
    person.wait_for_parameter("attention", "encoder")
    expect(person.page.get_by_role("radio", name="encoder")).to_be_checked()


def test_a_colleague_sees_the_same_numbers(visit: Callable[..., Visitor]) -> None:
    person = visit(address_of("attention"))
    person.field("src").fill("my cat & <b>yours</b>")
    person.wait_for_parameter("src", "my cat & <b>yours</b>")
    set_number(person, "seed", "7")
    person.wait_for_parameter("seed", "7")
    person.page.get_by_role("radio", name="cross").click()
    person.wait_for_parameter("attention", "cross")
    person.settle()
    person.click_cell("all_heads", 2, 0, 0)
    person.wait_for_parameter("head", "3")
    person.settle()
    colleague = visit(person.address)
    assert colleague.address == person.address
    person.settle()
    for key in ("one_head", "all_heads"):
        mine, theirs = person.picture(key), colleague.picture(key)
        assert mine["maps"] == theirs["maps"]
        assert mine["alt"] == theirs["alt"]
    expect(colleague.field("src")).to_have_value("my cat & <b>yours</b>")


def test_defaults_are_left_out_and_a_reload_keeps_everything(visit: Callable[..., Visitor]) -> None:
    person = visit("/attention?weights=reverse")
    assert person.parameters == {"weights": "reverse"}
    set_number(person, "pairs", "1")
    person.field("src").fill("a b c")
    person.wait_for_labels("one_head", "x", ["a", "b", "c"])
    person.wait_for_parameter("src", "a b c")
    before = person.picture("one_head")
    assert before["alt"].startswith("cross attention, layer 2")  # whose heads are the clearest
    person.page.reload()
    person.settle()
    assert person.picture("one_head") == before
    assert person.parameters == {"pairs": "1", "src": "a b c", "weights": "reverse"}


def test_the_first_address_has_no_parameters(visit: Callable[..., Visitor]) -> None:
    assert visit("/").address == "/"


def test_weights_and_typed_targets_are_in_the_address(
    visit: Callable[..., Visitor],
) -> None:
    person = visit("/")
    person.field("weights").click()
    person.page.get_by_role("option", name="copy · small task", exact=True).click()
    person.wait_for_parameter("weights", "copy")
    person.field("src").fill("my cat sleeps")
    person.fold_away()
    person.expect_answer("my cat sleeps", "Model's answer 1 ✓")
    person.settle()
    assert person.parameters == {"weights": "copy", "src": "my cat sleeps"}
    colleague = visit(person.address)
    colleague.expect_answer("my cat sleeps")
    colleague.reach("typed_target").get_by_text("Type targets").click()
    colleague.wait_for_parameter("typed_target", "true")
    colleague.field("tgt").fill("meine Katze")
    colleague.wait_for_parameter("tgt", "meine Katze")
    colleague.settle()
    other = visit(colleague.address)
    expect(other.field("tgt")).to_have_value("meine Katze")
    assert other.answer.count() == 0


def test_a_replaced_sentence_stays_when_its_field_is_folded_away(
    visit: Callable[..., Visitor],
) -> None:
    """The browser has not drawn the field since, and still sends the old sentence."""
    person = visit("/masks?weights=translator&src=The+dog+sleeps.")
    person.page.get_by_role("button", name="Show the 8×8 toy batch").click()
    person.wait_for_parameter("pair", "6")
    person.settle()
    before = person.parameters
    assert before["src"] == "2 3 4 5 6 7 8 9"
    for title in ("Attention", "Tokens"):
        person.go_to(title)
        assert {key: value for key, value in person.parameters.items() if key in before} == before
