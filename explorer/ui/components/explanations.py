"""The explanations of marked words, which `run_ends` sends."""

from explorer.glossary import WORDS, marked
from explorer.languages import tr
from explorer.ui.frame.session import session


def explained(text: str) -> str:
    """The text with its words marked; `explanations` explains them."""
    text, anchors = marked(text)
    session().marked |= anchors
    return text


def explanations() -> dict[str, list[str]]:
    """The names and explanations of all words that this run has marked."""
    return {
        anchor: [WORDS[anchor].name, tr(WORDS[anchor].says)] for anchor in sorted(session().marked)
    }
