"""The questions that a visitor was asked, and what was answered; kept for the session only."""

import zlib
from dataclasses import dataclass
from typing import Any, Final

import streamlit as st

from explorer.choices.parameters import SEEDS, All, Predict
from explorer.exercises.draw import SET_SIZE, ask_in_set, kinds_in_turn
from explorer.exercises.facts import KINDS, Asked
from explorer.exercises.question import Answer, Question, Result, Topic
from explorer.languages import LANGUAGES, speaking, spoken, tr
from explorer.runtime.engine import Run
from explorer.ui.controls.choices import choose, value
from explorer.ui.frame.running import on_page
from explorer.ui.frame.session import memory, session

_STATE: Final = "predict"


@dataclass(frozen=True, slots=True)
class Answered:
    """A question that was answered, and the sentence that it was about."""

    asked: Asked
    answer: Answer
    source: str

    def result(self) -> Result:
        """The result, in the language spoken now."""
        return Result(question=self.asked.worded(), answer=self.answer)


def question_at(
    run: Run, topic: Topic | All, seed: int, number: int, kind: str | None = None
) -> Asked | None:
    """The question at one place of a set, counted from 1; of this kind, if one is given."""
    state, place = _state(), (topic, seed, number)
    about = run.request, run.key, run.src_labels, run.tgt_labels, run.batch.src.shape
    if state.get("about") != about:  # somebody types: what was worked out is of the past
        state |= {"about": about, "asked": {}}
    found: Asked | None = state["asked"].get(place)
    if found is None or kind not in (None, found.kind):
        with on_page(), st.spinner(tr("Working out the answers …"), show_time=True):
            found = ask_in_set(run, seed, number, None if topic == "all" else topic, kind)
        state["asked"][place] = found
    return found


def hides_answer() -> bool:
    """Whether the model's answer on top would give away what is asked now."""
    if session().page != "predict":
        return False
    topic, seed, at = value(Predict.topic), value(Predict.questions), value(Predict.question)
    kinds = kinds_in_turn(seed, None if topic == "all" else topic)[:SET_SIZE]
    asked = value(Predict.kind) or "".join(kinds[at - 1 : at])
    is_open = SET_SIZE * seed + at - 1 not in answers(topic)
    return is_open and asked in KINDS and KINDS[asked].topic == "decoding"


def key_of(asked: Asked) -> str:
    """The key of its widget: the same in all languages, and another for another sentence."""
    return f"answer_{asked.kind}_{asked.draw}_{zlib.crc32(repr(asked.facts).encode()):08x}"


def in_other_languages(asked: Asked) -> dict[str, Question]:
    """The question in all languages but the one spoken now."""
    others = {}
    for language in LANGUAGES.keys() - {spoken()}:
        with speaking(language):
            others[language] = asked.worded()
    return others


def answers(topic: Topic | All) -> dict[int, Answered]:
    """The answers to the questions of a topic's sets, by their draws."""
    found: dict[int, Answered] = _state().setdefault("answers", {}).setdefault(topic, {})
    return found


def answers_in_set(topic: Topic | All, seed: int) -> dict[int, Answered]:
    """The answers in a set, by the number of the question."""
    first = SET_SIZE * seed - 1
    every = answers(topic).items()
    return {draw - first: one for draw, one in sorted(every) if 0 < draw - first <= SET_SIZE}


def go_to(number: int) -> None:
    """Show this question of the set."""
    choose(Predict.question, number)
    choose(Predict.kind, None)


def begin() -> None:
    """Show the first question of the set."""
    go_to(1)


def new_set() -> None:
    """Take the next set of questions."""
    choose(Predict.questions, (value(Predict.questions) + 1) % (SEEDS.high + 1))
    begin()


def repeat(number: int) -> None:
    """Ask a question once more."""
    del answers(value(Predict.topic))[SET_SIZE * value(Predict.questions) + number - 1]
    drafts().clear()
    go_to(number)


def drafts() -> dict[str, Any]:
    """What was typed, chosen or marked so far, by the key of the question."""
    found: dict[str, Any] = _state().setdefault("drafts", {})
    return found


def _state() -> dict[str, Any]:
    found: dict[str, Any] = memory().setdefault(_STATE, {})
    return found
