"""Whether an answer is right, wrong, or beyond what the model learnt."""

from dataclasses import dataclass
from typing import Literal

from explorer.languages import tr, tr_n
from explorer.tasks.grammar import Words
from explorer.tasks.tasks import Memorise, Rearrange, Task

Kind = Literal["right", "wrong", "outside", "doubted", "cut off"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The verdict on one answer."""

    kind: Kind
    right: Words | None  # the right answer, if there is one
    why: str = ""  # why the source is outside of what was learnt, or the answer doubted; translated


def judge(task: Task, source: Words, answer: Words, *, ended: bool, unknown: Words = ()) -> Verdict:
    """Judge the answer to a source; `unknown` are source words that the model read as UNK.

    A wrong answer to a source that the model was not trained for is not called wrong.
    """
    right = task.answer(source)
    if right is not None and not unknown and answer == right and ended:
        return Verdict(kind="right", right=right)
    if why := why_not_learnt(task, source, unknown):
        return Verdict(kind="outside", right=right, why=why)
    return Verdict(kind="wrong" if ended else "cut off", right=right)


def why_not_learnt(task: Task, source: Words, unknown: Words = ()) -> str:
    """Why the model was not trained for this source, or nothing."""
    if unknown:
        return tr("it never learnt “{word}”", word=unknown[0])
    if isinstance(task, Rearrange) and len(source) > task.longest:
        return tr_n(
            "it learnt up to {n} word, and this source has {length}",
            "it learnt up to {n} words, and this source has {length}",
            task.longest,
            length=len(source),
        )
    right = task.answer(source)
    if right is None and isinstance(task, Memorise):
        return tr("it learnt other sentences by heart")
    if right is None:
        return tr("it never learnt such sentences")
    return ""
