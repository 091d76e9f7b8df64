"""The sentences that the translator is judged by, which it never learns from.

`HUNDRED` has five columns: a group, the English, a German translation that is right, what the
translator wrote, and the judgement of a person: right, nearly, wrong, or nothing yet.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from explorer.weights.translator import Translator

_FOLDER: Final = Path(__file__).parent / "judged"
HUNDRED: Final = _FOLDER / "hundred.tsv"
# 150 sentences like those that the translator learnt from, and 150 that are unlike them.
WITHIN_FILE: Final = _FOLDER / "within.txt"
BEYOND_FILE: Final = _FOLDER / "beyond.txt"
NAMES: Final = _FOLDER / "names.txt"
_JUDGEMENTS: Final = ("right", "nearly", "wrong", "")


@dataclass(frozen=True, slots=True)
class Judged:
    """A sentence, the answer to it, and a person's judgement."""

    group: str
    english: str
    german: str  # one that is right
    answer: str = ""
    judgement: str = ""

    def answered(self, answer: str) -> "Judged":
        """With a new answer; a judgement holds only for the answer that was judged."""
        if answer == self.german:
            return replace(self, answer=answer, judgement="right")
        kept = self.judgement if answer == self.answer else ""
        return replace(self, answer=answer, judgement=kept)


def judged_sentences() -> list[str]:
    """All judged sentences, in English or the language that they are written in."""
    more = [line for file in (WITHIN_FILE, BEYOND_FILE)
            for line in file.read_text(encoding="utf-8").splitlines()]  # fmt: skip
    return [one.english for one in read_judged(HUNDRED)] + more


def read_judged(path: Path) -> list[Judged]:
    """The sentences of a file."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return [Judged(*line.split("\t")) for line in lines]


def judge(translator: Translator, path: Path = HUNDRED) -> list[Judged]:
    """Let the translator answer, write that down, and keep the judgements that still hold."""
    sentences = read_judged(path)
    answers = translator.answer([one.english for one in sentences])
    judged = [one.answered(answer) for one, answer in zip(sentences, answers, strict=True)]
    path.write_text(
        "".join("\t".join((one.group, one.english, one.german, one.answer, one.judgement)) + "\n"
                for one in judged),
        encoding="utf-8",
    )  # fmt: skip
    return judged


def table(judged: Sequence[Judged]) -> str:
    """The number of right answers of each group, in Markdown."""
    groups = list(dict.fromkeys(one.group for one in judged))
    lines = ["| | right | nearly | wrong | not judged |", "|---|---|---|---|---|"]
    for name in (*groups, "all"):
        marks = [one.judgement for one in judged if name in (one.group, "all")]
        lines.append(f"| {name} | {' | '.join(str(marks.count(kind)) for kind in _JUDGEMENTS)} |")
    return "\n".join(lines)
