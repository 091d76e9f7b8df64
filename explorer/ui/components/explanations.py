"""The explanations of marked words, shown by pointing, by focus and by touch."""

from explorer.languages import tr
from explorer.ui.components.component import component
from explorer.ui.words import WORDS

_component = component(
    "explanations", '<div class="explanation" popover="manual"></div>', prose=True
)


def explanations() -> bool:
    """Explain all marked words of the page; returns whether the Glossary was asked for."""
    texts = {anchor: [tr(word.name), tr(word.says)] for anchor, word in WORDS.items()}
    asked = _component(key="explanations", data=texts, on_opened_change=lambda: None)
    return bool(asked.opened)
