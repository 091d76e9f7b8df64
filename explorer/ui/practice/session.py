"""The questions of a set, and what a visitor has answered; kept for the session only."""

from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import Any, Final

import streamlit as st

from explorer.exercises.draw import draw, work_out_again
from explorer.exercises.question import SET_SIZE, Level, Question, Topic
from explorer.exercises.results import Result
from explorer.languages import LANGUAGES, speaking, spoken, tr
from explorer.runtime.engine import Run
from explorer.ui.controls.choices import choose, value
from explorer.ui.parameters import SEEDS, All, Practice
from explorer.ui.running import on_page, run_if_possible
from explorer.ui.session import memory
from explorer.ui.settings import Settings

_STATE: Final = "practice"


@dataclass(slots=True)
class Drawn:
    """A set of questions, each of them about the latest sentence that it was shown for."""

    chosen: Hashable  # the set and the model
    language: str
    questions: list[Question]
    about: list[Hashable]  # the sentence that each question is about


def questions_about(run: Run) -> list[Question]:
    """The questions of the chosen set.

    A set keeps its kinds of questions while someone types: only the question on show is worked out
    for the run on show, and each of the others when its turn comes.
    """
    seed, topic, level = chosen_set()
    chosen = (seed, topic, level, run.request)
    sentence = (run.key, run.src_labels, run.tgt_labels, run.batch.src.shape)
    kept: Drawn | None = _state().get("drawn")
    if kept is not None and kept.chosen == chosen and kept.language != spoken():
        _translate(kept, sentence, seed, run)
    if kept is None or kept.chosen != chosen or not _update_shown(kept, sentence, seed, run):
        with on_page(), st.spinner(tr("Working out the answers …"), show_time=True):
            drawn = draw(
                seed,
                SET_SIZE,
                run,
                None if topic == "all" else topic,
                None if level == "all" else level,
            )
        about: list[Hashable] = [sentence] * max(1, len(drawn))
        kept = _state()["drawn"] = Drawn(chosen, spoken(), drawn, about)
    return kept.questions


def _update_shown(kept: Drawn, sentence: Hashable, seed: int, run: Run) -> bool:
    """Work out the question on show for this sentence; False if the set has to be drawn anew."""
    at = min(int(value(Practice.question)), len(kept.about)) - 1
    if kept.about[at] == sentence:
        return True
    if len(kept.questions) < SET_SIZE:  # this sentence may leave more to ask
        return False
    with on_page():
        found = work_out_again(kept.questions, at, seed, run)
    if found is None:
        return False
    kept.questions[at], kept.about[at] = found, sentence
    return True


def _translate(kept: Drawn, sentence: Hashable, seed: int, run: Run) -> None:
    """Put the questions about this sentence, and those answered, into the language spoken now.

    A question about an earlier sentence is worked out when its turn comes.
    """
    kept.language = spoken()
    before = list(kept.questions)
    for at, question in enumerate(before):
        if kept.about[at] != sentence:
            kept.about[at] = None
            continue
        with on_page():
            found = work_out_again(before, at, seed, run)
        if found is None or found.kind != question.kind:
            continue
        kept.questions[at] = found
        answered = results().get(at + 1)
        if answered is not None and answered.question == question:
            results()[at + 1] = replace(answered, question=found)


def in_other_languages(question: Question, at: int, settings: Settings) -> dict[str, Question]:
    """The question at a place, counted from 1, in all languages but the one spoken now.

    One that was answered for an earlier sentence has no other language.
    """
    run, seed = run_if_possible(settings), chosen_set()[0]
    kept: Drawn | None = _state().get("drawn")
    others: dict[str, Question] = {}
    if run is None or kept is None or kept.questions[at - 1] != question:
        return others
    for language in LANGUAGES.keys() - {spoken()}:
        with speaking(language):
            found = work_out_again(kept.questions, at - 1, seed, run)
        if found is not None and (found.kind, found.right) == (question.kind, question.right):
            others[language] = found
    return others


def sentence_of(number: int) -> Hashable:
    """A key of the sentence that a question is about, the same in every language."""
    kept: Drawn | None = _state().get("drawn")
    return None if kept is None or not 0 < number <= len(kept.about) else kept.about[number - 1]


def chosen_set() -> tuple[int, Topic | All, Level | All]:
    """The number of the set, its topic and its level."""
    return value(Practice.questions), value(Practice.topic), value(Practice.level)


def results() -> dict[int, Result]:
    """The answers in the chosen set, by the number of the question."""
    found: dict[int, Result] = _state().setdefault("results", {}).setdefault(chosen_set(), {})
    return found


def drafts() -> dict[str, Any]:
    """What was typed, chosen or marked so far, by the key of the question."""
    found: dict[str, Any] = _state().setdefault("drafts", {})
    return found


def go_to(number: int) -> None:
    """Show this question."""
    choose(Practice.question, number)


def repeat(number: int) -> None:
    """Ask a question once more."""
    results().pop(number, None)
    drafts().clear()
    go_to(number)


def begin() -> None:
    """Show the first question of the set."""
    go_to(1)


def new_set() -> None:
    """Take the next set of questions."""
    choose(Practice.questions, (chosen_set()[0] + 1) % (SEEDS.high + 1))
    begin()


def _state() -> dict[str, Any]:
    found: dict[str, Any] = memory().setdefault(_STATE, {})
    return found
