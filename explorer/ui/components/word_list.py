"""The words of the field as a list to search in; the address has the word that was asked for."""

import unicodedata

from explorer.choices.pages import PAGES
from explorer.choices.parameters import Glossary
from explorer.glossary import WORDS
from explorer.languages import tr
from explorer.ui.components.component import component
from explorer.ui.controls.choices import on_show, value
from explorer.ui.frame.registry import open_page

_component = component(
    "word_list",
    '<div class="word-list"><label><span></span> <input type="search" autocomplete="off"></label>'
    '<span class="found" aria-live="polite"></span><div class="entries"></div></div>',
    prose=True,
)


def word_list() -> None:
    """Draw the list; a word leads to the pages that show it."""
    entries = [
        {
            "anchor": anchor,
            "name": word.name,
            "says": tr(word.says),
            "section": tr("Section {section}", section=word.section) if word.section else "",
            # People who read another language also look for the English word.
            "forms": [word.forms.partition("|")[0], *word.in_texts],
            "pages": [[page, tr(PAGES[page][1])] for page in word.pages],
        }
        for anchor, word in WORDS.items()
    ]
    entries.sort(key=lambda entry: _in_order(str(entry["name"])))
    texts = {
        "search": tr("Search"),
        "nothing": tr("No word found: try a shorter one."),
        "found": tr("{number} found"),
        "page": tr("{title}: the page that shows {word}"),
    }
    on_show()[Glossary.term.key] = asked = value(Glossary.term)
    data = {"words": entries, "texts": texts, "asked": asked}
    _component(key="word_list", data=data, on={"opened": open_page, "asked": open_word})


def open_word(word: str) -> None:
    """Open the list at this word."""
    if word in WORDS:
        open_page("glossary", term=word)


def _in_order(name: str) -> str:
    """The sort key of a name: its letters, without accents."""
    letters = unicodedata.normalize("NFD", name.casefold())
    return "".join(letter for letter in letters if not unicodedata.combining(letter))
