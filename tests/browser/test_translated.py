"""The page as a browser translates it: what changes is replaced whole, and data stays as it is."""

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.browser.visitor import Visitor, address_of
from tests.support.marks import rest

# What Google Translate does to a page, now and with what comes later: texts outside of what is
# marked give way to <font> elements with the translation (here: in capitals).
TRANSLATE = """moves => {
  const LEFT = '.notranslate, [translate="no"], font, script, style';
  const made = [];
  const translate = (text) => {
    const parent = text.parentElement;
    if (!text.data.trim() || !parent || parent.closest(LEFT)) return;
    const [outer, inner] = [document.createElement("font"), document.createElement("font")];
    made.push([outer, text, text.data]);
    outer.append(inner);
    if (moves) {
      text.before(outer);
      text.data = text.data.toUpperCase();
      inner.append(text);
    } else {
      inner.textContent = text.data.toUpperCase();
      text.replaceWith(outer);
    }
  };
  const all = (node) => {
    if (node.nodeType === Node.TEXT_NODE) return translate(node);
    const walker = document.createTreeWalker(node, NodeFilter.SHOW_TEXT);
    const texts = [];
    while (walker.nextNode()) texts.push(walker.currentNode);
    texts.forEach(translate);
  };
  all(document.body);
  const observer = new MutationObserver((records) => {
    for (const { target, addedNodes } of records) {
      if (target.nodeType === Node.TEXT_NODE && target.isConnected) translate(target);
      addedNodes.forEach((node) => node.isConnected && all(node));
    }
  });
  observer.observe(document.body, { subtree: true, childList: true, characterData: true });
  window.showOriginal = () => {
    observer.disconnect();
    for (const [outer, text, was] of made) {
      if (moves) text.data = was;
      outer.replaceWith(text);
    }
  };
}"""
# A sentence of several texts is added to the page; then one of them is written anew.
PROSE = """() => {
  const sentence = document.createElement("p");
  sentence.innerHTML = "plain <b>words</b> here";
  sentence.dataset.testid = "stMarkdownContainer";
  document.querySelector(".st-key-page [data-testid=stMarkdownContainer]").after(sentence);
}"""
QUOTES = """() => {
  const { childNodes } = document.querySelector("p[data-testid=stMarkdownContainer]");
  [...childNodes].findLast((node) => node.nodeType === Node.TEXT_NODE).data = " say “a”";
}"""
LINES = """() => document.querySelector(".stMainBlockContainer").innerText
  .split("\\n").map((line) => line.trim()).filter(Boolean)"""
DATA = ".plot, .heads, .answer-pieces, .table-scroll, .stText, pre, code, .katex"
WITH_DATA = """data => [...document.querySelectorAll("font")].filter((font) => font.closest(data)
  || (font.closest(".stMarkdown") && /[“”\\d]/.test(font.closest("p")?.textContent ?? "")))
  .map((font) => font.textContent)"""


@pytest.mark.parametrize(
    "moves",
    [True, *rest(False)],
    ids=["moves texts", "replaces texts"],
)
def test_a_translated_page_shows_what_the_page_itself_shows(
    visit: Callable[..., Visitor], moves: bool
) -> None:
    """The right texts are those of the same address, opened without a translator."""
    person = visit(address_of("masks", src="a cat", tgt="x", pairs=1, attention="decoder"))
    person.page.evaluate(TRANSLATE, moves)
    expect(person.page.locator("h1")).to_have_text("WHAT MAY EACH WORD LOOK AT?")
    person.field("src").fill("a dog sleeps well")
    person.wait_for_parameter("src", "a dog sleeps well")
    for attention in ("cross", "encoder"):  # an answer with marked words, and texts between them
        person.page.locator(".st-key-attention button").filter(has_text=attention.upper()).click()
        person.wait_for_parameter("attention", attention)
        person.settle()
    for titles in ((), ("ATTEND", "STEP BY STEP")):
        for title in titles:
            link = person.page.get_by_role("link", name=title, exact=True).first
            link.click()
            expect(link).to_have_attribute("aria-current", "page")
            person.settle()
        seen = [line.casefold() for line in person.page.evaluate(LINES)]
        itself = visit(person.address).page.evaluate(LINES)
        assert seen == [line.casefold() for line in itself]
        assert person.page.evaluate(WITH_DATA, DATA) == []
        assert person.page.locator("font").count() > 20


@pytest.mark.parametrize(
    "moves",
    [True, *rest(False)],
    ids=["moves texts", "replaces texts"],
)
def test_what_becomes_data_and_what_is_no_longer_translated_is_as_it_was_written(
    visit: Callable[..., Visitor], moves: bool
) -> None:
    page = visit(address_of("masks", src="a cat", tgt="x", pairs=1, attention="decoder")).page
    page.evaluate(TRANSLATE, moves)
    page.evaluate(PROSE)
    sentence = page.locator("p[data-testid=stMarkdownContainer]")
    expect(sentence).to_have_text("PLAIN WORDS HERE")
    page.evaluate(QUOTES)
    expect(sentence).to_have_text("plain words say “a”")
    assert sentence.locator("font").count() == 0
    expect(page.locator("h1")).to_have_text("WHAT MAY EACH WORD LOOK AT?")
    page.evaluate("() => showOriginal()")
    expect(page.locator("h1")).to_have_text("What may each word look at?")
    assert page.locator("font").count() == 0
