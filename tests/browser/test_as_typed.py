"""Typed text is shown as typed, and nothing in it is executed."""

import re
from collections.abc import Callable

from playwright.sync_api import expect

from tests.browser.visitor import Visitor, address_of

LONG = "Rindfleischetikettierungsüberwachungsaufgabenübertragungsges"
STRANGE = f"<b>x</b> <pad> 👩‍🔬 שלום {LONG} a&b &lt;"
NUMBER = re.compile(r"\d\.\d\d")
TOKENS = ["<b>", "x", "</b>", "<pad>", "👩‍🔬", "שלום", LONG, "a", "&", "b", "&", "lt", ";"]


def test_strange_words_are_labels_as_typed(visit: Callable[..., Visitor]) -> None:
    assert len(LONG) == 60
    person = visit(address_of("attention", pairs=1, src=STRANGE, tgt="ja", attention="encoder"))
    labels = person.labels("one_head", "x")
    assert labels[:6] == TOKENS[:6]
    assert labels[8] == "8 · &"
    texts = [text for text, _ in person.written("one_head") if not NUMBER.fullmatch(text)]
    texts = texts[texts.index(TOKENS[0]) :]  # after the titles of the axes
    for seen in (texts[: len(TOKENS)], texts[len(TOKENS) : 2 * len(TOKENS)]):
        assert seen[:6] == TOKENS[:6]
        head, tail = seen[6].split("…")
        assert LONG.startswith(head)
        assert LONG.endswith(tail)
        assert len(head) > len(tail) > 3
        assert seen[7:] == ["a", "8 · &", "b", "10 · &", "lt", ";"]
    for token in TOKENS:  # and so in the text alternative
        assert f"{token[:8]}" in person.picture("one_head")["alt"]


def test_strange_words_are_cells_and_rows_as_typed(visit: Callable[..., Visitor]) -> None:
    person = visit(address_of("tokens", pairs=1, src=STRANGE, tgt="ja"))
    seen = " ".join(text for text, _ in person.written("src_ids"))
    for word in ("<b>", "</b>", "<pad>", "👩‍🔬", "שלום", "&", "lt"):
        assert word in seen
    expect(person.field("src")).to_have_value(STRANGE)
    person.page.locator("summary").filter(has_text="Token by token").click()
    rows = person.page.locator(".st-key-src-tokens tbody tr")
    rows.nth(len(TOKENS) - 1).wait_for()
    assert [row.locator("th, td").nth(1).text_content() for row in rows.all()] == TOKENS


def test_notes_show_markdown_as_typed(visit: Callable[..., Visitor]) -> None:
    typed = "**b**_i_:red[x]$y$"
    person = visit(address_of("tokens", pairs=1, src=f"2 {typed}", tgt="3", tokens="ids"))
    note = person.page.get_by_test_id("stAlert").first
    assert "“**b**_i_:red" in note.inner_text()
    person = visit(address_of("tokens", d_model="`a`*b*<i>c</i>www.x.com"))
    note = person.page.get_by_test_id("stAlert").first.get_by_test_id("stMarkdownContainer")
    assert "d_model=`a`*b*<i>c</i>www.x.com is not" in note.inner_text().replace("\u2060", "")
    assert note.locator("a, em, code, i").count() == 0
