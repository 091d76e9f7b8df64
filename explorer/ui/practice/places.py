"""The page that shows the answer to a question, at the telling place."""

from explorer.exercises.question import Question
from explorer.ui.registry import open_page


def look_at(question: Question) -> None:
    """Open the page of a question's topic where its answer can be seen."""
    open_page(question.topic, **choices_for(question))


def choices_for(question: Question) -> dict[str, object]:
    """The choices of that page; what the question does not say stays as it is."""
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
