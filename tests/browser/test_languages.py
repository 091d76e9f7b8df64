"""The page in the browser's language, or in the chosen one: read, written, remembered, undone."""

from collections.abc import Callable

from babel.messages.pofile import read_po
from playwright.sync_api import expect

from explorer.languages import CATALOGUES
from tests.browser.visitor import Visitor, address_of

QUESTION = "What may each word look at?"


def translated(language: str, text: str) -> str:
    """A text as the catalogue has it."""
    if language == "en":
        return text
    with (CATALOGUES / f"{language}.po").open("rb") as file:
        found = read_po(file)[text].string
    assert isinstance(found, str)
    assert found != text
    return found


def expect_language(person: Visitor, language: str) -> None:
    """Title, navigation, controls and the page's own mark are of this language."""
    page = person.page
    expect(page.locator("h1")).to_have_text(translated(language, QUESTION))
    expect(page.locator(".head .pages")).to_contain_text(translated(language, "Positions"))
    expect(page.locator(".st-key-more_sentences")).to_contain_text(
        translated(language, "More sentences")
    )
    expect(page.locator("html")).to_have_attribute("lang", language)
    expect(page.locator(".corner select")).to_have_value(language)


def test_the_browsers_language_until_another_is_chosen(visit: Callable[..., Visitor]) -> None:
    person = visit(address_of("masks", src="a b", tgt="x y"), fresh=True, locale="de-AT")
    expect_language(person, "de")
    assert "lang" not in person.parameters
    person.field("src").fill("a b c")
    person.wait_for_parameter("src", "a b c")
    menu = person.page.locator(".corner select")
    menu.focus()
    person.page.keyboard.press("ArrowDown")  # Deutsch → Español
    person.wait_for_parameter("lang", "es")
    expect_language(person, "es")
    expect(person.field("src")).to_have_value("a b c")
    person.go_to(translated("es", "Positions"))
    expect(person.page.locator("html")).to_have_attribute("lang", "es")
    for language in ("es", "de"):
        person.page.go_back()
        expect_language(person, language)
        assert person.parameters["src"] == "a b c"
