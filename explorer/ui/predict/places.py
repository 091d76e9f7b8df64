"""The page on which the answer to a question can be seen, and the way back from it."""

from typing import Final

from explorer.exercises.facts import KINDS, Asked
from explorer.languages import tr
from explorer.ui.controls.buttons import page_button
from explorer.ui.frame.registry import open_page
from explorer.ui.frame.session import memory, session

_LOOKED_AT: Final = "looked_at"  # the page that a question has led to


def open_answer_page(asked: Asked) -> None:
    """Open the page of a question's topic where its answer can be seen."""
    topic = KINDS[asked.kind].topic
    if session().page != topic:
        memory()[_LOOKED_AT] = topic
    open_page(topic, **asked.facts.look)


def show_way_back(on_show: str) -> None:
    """Offer the way back from the page that a question has led to, until another one is opened."""
    if memory().get(_LOOKED_AT) != on_show:
        memory().pop(_LOOKED_AT, None)
    else:
        label = tr("Back to the question")
        page_button(label, "predict", icon=":material/undo:", key="question_return")
