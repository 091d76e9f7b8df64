"""All kinds of questions, and sets of them drawn from a seed."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Final

import numpy as np

from explorer.exercises import (
    attention,
    causes,
    decoding,
    mask_cells,
    masks,
    positions,
    stack,
    steps,
)
from explorer.exercises.question import TOPICS, Level, Question, Topic
from explorer.exercises.reading import Kind, NoDataError
from explorer.runtime.engine import Run

KINDS: Final[Mapping[str, Kind]] = {
    **mask_cells.KINDS,
    **masks.KINDS,
    **positions.KINDS,
    **attention.KINDS,
    **steps.KINDS,
    **stack.KINDS,
    **decoding.KINDS,
    **causes.KINDS,
}
_TRIES: Final = 4  # a kind may find no data in one layer or head, and some in another


def ask(kind: str, run: Run, rng: np.random.Generator) -> Question | None:
    """A question of this kind about the run; None if the run has no data for one."""
    asked = KINDS[kind]
    for _ in range(_TRIES):
        with suppress(NoDataError):
            found = asked.make(run, rng)
            return replace(found, kind=kind, topic=asked.topic, title=asked.title)
    return None


def draw(
    seed: int, count: int, run: Run, topic: Topic | None = None, level: Level | None = None
) -> list[Question]:
    """`count` questions, of one topic or of all in turn, of one level or of all.

    The same seed, sentences and model always give the same questions. There are fewer if the run
    has no data for more: no question is asked twice.
    """
    rng = np.random.default_rng(seed)
    # Causes come last in each round: they build on the rest, and a link to a set that was drawn
    # before there were any still begins with the same questions.
    *others, last = TOPICS
    topics = [topic] if topic else [*(others[at] for at in rng.permutation(len(others))), last]
    lines = {one: _shuffled_kinds(rng, one, level) for one in topics}
    drawn: list[Question] = []
    while topics and len(drawn) < count:
        for one in list(topics):
            found = _next(lines[one], run, (seed, len(drawn)), drawn)
            if found is None:
                topics.remove(one)
            elif len(drawn) < count:
                drawn.append(found)
    return drawn


def work_out_again(drawn: Sequence[Question], at: int, seed: int, run: Run) -> Question | None:
    """The question at one place of a drawn set, counted from 0, about another run.

    It is of the same kind as before. If the run has no data for that, it is of another kind of the
    same topic and level, preferably of one that the set does not have; None if there is none.
    """
    now, others = drawn[at], [*drawn[:at], *drawn[at + 1 :]]
    used = {question.kind for question in others}
    kinds = _kinds(now.topic, KINDS[now.kind].level)
    kinds.sort(key=lambda kind: (kind != now.kind, kind in used))
    return _next(kinds, run, (seed, at), others)


def _shuffled_kinds(rng: np.random.Generator, topic: Topic, level: Level | None) -> list[str]:
    """The kinds of a topic, in random order."""
    kinds = _kinds(topic, level)
    return [kinds[at] for at in rng.permutation(len(kinds))]


def _kinds(topic: Topic, level: Level | None) -> list[str]:
    """The kinds of a topic, of one level or of all."""
    return [
        kind
        for kind, about in KINDS.items()
        if about.topic == topic and (level is None or about.level == level)
    ]


def _next(
    line: list[str], run: Run, seed: tuple[int, int], drawn: Sequence[Question]
) -> Question | None:
    """The next question of a topic that can be asked and was not; its kind goes to the end."""
    for kind in list(line):
        line.remove(kind)
        line.append(kind)
        found = ask(kind, run, np.random.default_rng(seed))
        if found is not None and all(found.text != other.text for other in drawn):
            return found
    return None
