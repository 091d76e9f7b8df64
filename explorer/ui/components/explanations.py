"""The explanations of marked words, shown by pointing, by focus and by touch."""

from explorer.glossary import WORDS, marked
from explorer.languages import tr
from explorer.ui.components.component import component
from explorer.ui.components.word_list import open_word
from explorer.ui.frame.session import session

_component = component(
    "explanations", '<div class="explanation" popover="manual"></div>', prose=True
)


def explained(text: str) -> str:
    """The text with its words marked; `explanations` explains them."""
    text, anchors = marked(text)
    session().marked |= anchors
    return text


def explanations() -> None:
    """Explain all marked words of the page; a click on one opens the Glossary. Draw it last."""
    texts = {
        anchor: [WORDS[anchor].name, tr(WORDS[anchor].says)] for anchor in sorted(session().marked)
    }
    _component(key="explanations", data=texts, on={"opened": open_word})
