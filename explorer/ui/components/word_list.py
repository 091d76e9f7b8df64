"""The words of the field as a list to search in."""

from explorer.ui.components.component import as_json, component
from explorer.ui.registry import PAGES
from explorer.ui.words import WORDS

_component = component(
    "word_list",
    '<div class="word-list"><label>Search <input type="search" autocomplete="off"></label>'
    '<span class="found" aria-live="polite"></span><div class="entries"></div></div>',
)


def word_list() -> str:
    """Draw the list; returns the name of the page that was asked for, or nothing."""
    entries = [
        {
            "anchor": anchor,
            "name": word.name,
            "says": word.says,
            "section": word.section,
            "forms": word.in_texts,
            "pages": [[page, PAGES[page][1]] for page in word.pages],
        }
        for anchor, word in sorted(WORDS.items(), key=lambda item: item[1].name.lower())
    ]
    asked = _component(
        key="word_list", data=as_json({"words": entries}), on_opened_change=lambda: None
    )
    return asked.opened if asked.opened in PAGES else ""
