"""Back and Forward: one action of a person at a time, in the address, controls and pictures.

One action is what a person would call so: a click, a word that is typed, a page that is turned.
"""

from collections.abc import Callable

from playwright.sync_api import expect

from tests.browser.heads import thumbnail
from tests.browser.visitor import PHONE, Visitor, address_of

PAIRS = {"src": "a b", "tgt": "x y", "src2": "c d e f", "tgt2": "v w"}
# An address without a version has two pairs, and their PAD is drawn.
UNTRAINED = {"weights": "untrained", "pairs": "2", "hide_pad": "false", "v": "2", **PAIRS}
PAD = {"hide_pad": ""}  # hidden, as usual: the address does not say it
DECODER = {"attention": "decoder", "layer": "1", "head": "1"}
COLOURS = {"drawer": "colours"}
MASKS = UNTRAINED | DECODER


def entries(person: Visitor) -> int:
    """How many entries the browser's history has."""
    return int(person.page.evaluate("history.length"))


def words(person: Visitor) -> list[str]:
    """The keys of the picture, without the marks of what is PAD."""
    ticks = person.labels("one_head", "x")
    return ["PAD" if ">PAD<" in tick else tick for tick in ticks]


def check_attention(person: Visitor, parameters: dict[str, str], keys: list[str]) -> None:
    """Check that address, controls and pictures show these choices."""
    person.page.wait_for_function(
        """wanted => {
          const said = new URLSearchParams(location.search);
          said.sort();
          return said.toString() === wanted;
        }""",
        arg="&".join(
            f"{name}={value}".replace(" ", "+")
            for name, value in sorted((UNTRAINED | COLOURS | parameters).items())
            if value
        ),
    )
    kind = parameters.get("attention", "encoder")
    expect(person.page.locator(".model-view .here")).to_have_attribute("data-kind", kind)
    expect(person.field("hide_pad")).to_be_checked(checked="hide_pad" in parameters)
    for key, sentence in (PAIRS | parameters).items():
        if key in PAIRS:
            expect(person.field(key)).to_have_value(sentence)
    person.fold_away()
    person.settle()
    assert words(person) == keys
    assert person.picture("one_head")["alt"].startswith(f"{kind} attention, ")


def test_each_click_is_undone_and_redone_by_itself(visit: Callable[..., Visitor]) -> None:
    person = visit(address_of("attention", **PAIRS, **COLOURS), fresh=True)
    before = entries(person)
    check_attention(person, {}, ["a", "b", "PAD", "PAD"])
    person.page.get_by_text("Hide PAD").click()
    check_attention(person, PAD, ["a", "b"])
    thumbnail(person, "decoder", 1, 1).click()
    check_attention(person, PAD | DECODER, ["BOS", "x", "y"])
    assert entries(person) == before + 2
    person.page.go_back()
    check_attention(person, PAD, ["a", "b"])
    person.page.go_back()
    check_attention(person, {}, ["a", "b", "PAD", "PAD"])
    person.page.go_forward()
    check_attention(person, PAD, ["a", "b"])
    person.page.go_forward()
    check_attention(person, PAD | DECODER, ["BOS", "x", "y"])
    # What is done after Back is an action of its own, too.
    person.page.go_back()
    check_attention(person, PAD, ["a", "b"])
    person.page.get_by_text("Hide PAD").click()
    check_attention(person, {}, ["a", "b", "PAD", "PAD"])
    person.page.go_back()
    check_attention(person, PAD, ["a", "b"])


def test_a_word_is_one_action_however_many_letters_it_has(visit: Callable[..., Visitor]) -> None:
    person = visit(address_of("attention", **PAIRS, **COLOURS), fresh=True)
    before = entries(person)
    field = person.field("src")
    field.press("End")
    field.press_sequentially(" tired", delay=80)  # some are drawn meanwhile
    typed = {"src": "a b tired"}
    check_attention(person, typed, ["a", "b", "tired", "PAD"])
    assert entries(person) == before + 1
    person.page.go_back()
    check_attention(person, {}, ["a", "b", "PAD", "PAD"])
    person.page.go_forward()
    check_attention(person, typed, ["a", "b", "tired", "PAD"])


def test_turning_a_page_is_one_action(visit: Callable[..., Visitor]) -> None:
    person = visit(address_of("masks", **PAIRS, **DECODER), fresh=True)
    person.go_to("Attention")
    person.page.locator(".toolbar [data-drawer=colours]").click()
    check_attention(person, DECODER, ["BOS", "x", "y"])
    before = entries(person)
    person.go_to("Masks")  # where they have been last in that place: one click
    assert entries(person) == before + 1
    assert person.parameters == MASKS
    person.page.go_back()
    expect(person.page.locator("h1")).to_have_text("Who looks at whom?")
    check_attention(person, DECODER, ["BOS", "x", "y"])
    person.page.go_forward()
    expect(person.page.locator("h1")).to_have_text("What may each word look at?")
    person.settle()
    assert person.address.startswith("/masks?")
    assert person.parameters == MASKS
    expect(person.field("src")).to_have_value("a b")
    labels = person.labels("one_mask", "x")
    assert labels == ["BOS", "x", "y"]


def test_a_page_begins_at_its_top_and_back_leads_to_where_it_was(
    visit: Callable[..., Visitor],
) -> None:
    person = visit("/?v=2", **PHONE)
    main = person.page.get_by_test_id("stMain")
    person.page.locator(".map button").nth(5).click()
    scrolled = "main => main.scrollTop"
    person.page.wait_for_url("**/stack?**")
    person.settle()
    assert main.evaluate(scrolled) == 0
    person.page.go_back()
    expect(person.page.locator("h1")).to_have_text("How does a Transformer work?")
    person.settle()
    assert main.evaluate(scrolled) > 844
    person.page.go_forward()
    expect(person.page.locator("h1")).to_have_text("What happens to a word on its way?")
    person.settle()
    assert main.evaluate(scrolled) == 0
