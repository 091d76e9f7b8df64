"""The page on which the answer to a question can be seen, and the way back from it."""

from typing import Final

from explorer.exercises.question import Question
from explorer.languages import tr
from explorer.ui.controls.buttons import page_button
from explorer.ui.registry import open_page
from explorer.ui.session import memory

_LOOKED_AT: Final = "looked_at"  # the page that a question has led to


def open_answer_page(question: Question) -> None:
    """Open the page of a question's topic where its answer can be seen."""
    memory()[_LOOKED_AT] = question.topic
    open_page(question.topic, **choices_for(question))


def show_way_back(on_show: str) -> None:
    """Offer the way back from the page that a question has led to, until another one is opened."""
    if memory().get(_LOOKED_AT) != on_show:
        memory().pop(_LOOKED_AT, None)
    else:
        label = tr("Back to the question")
        page_button(label, "practice", icon=":material/undo:", key="question_return")


def choices_for(question: Question) -> dict[str, object]:
    """The choices for that page; those that the question does not name stay as they are."""
    focus = question.focus
    found: dict[str, object | None] = {}
    if question.topic in ("masks", "attention", "steps"):
        found = {
            "attention": focus.kind,
            "layer": _from_one(focus.layer),
            "head": _from_one(focus.head),
            "query": focus.query,
            "key": focus.key,
        }
    if question.topic == "steps":
        found |= {"case": "model", "step": focus.step}
    elif question.topic == "stack":
        found = {"stack_shows": "stop", "stop": focus.stop, "word": focus.word}
    elif question.topic == "positions":
        found = {"aspect": focus.aspect}
    elif question.topic == "decoding":
        found = {"method": focus.method, "at": _from_one(focus.at)}
    elif question.topic == "why":
        found = {"ask": focus.ask, "why_at": focus.word}
    return {key: choice for key, choice in found.items() if choice is not None}


def _from_one(counted: int | None) -> int | None:
    return None if counted is None else counted + 1
