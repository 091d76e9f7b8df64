"""The results of a set of questions, and their CSV file."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from explorer.exercises.question import Answer, Grade, Question, grade, in_words
from explorer.export.tables import DecimalSign, to_csv
from explorer.languages import ENGLISH, for_programs, speaking, tr

HEADER: Final = ("number", "topic", "question", "your answer", "right answer", "result", "source")


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """One answered question."""

    question: Question
    answer: Answer
    source: str  # the sentence that the question was about

    @property
    def grade(self) -> Grade:
        """The parts of the answer that are right, missed and too much."""
        return grade(self.question, self.answer)

    @property
    def verdict(self) -> str:
        """The grade in words."""
        found = self.grade
        if found.is_right:
            return tr("right")
        if self.question.form != "cells":
            return tr("not right")
        return tr(
            "{right} right, {missed} missed, {too_much} too much",
            right=len(found.right),
            missed=len(found.missed),
            too_much=len(found.too_much),
        )


def as_csv(results: Sequence[tuple[int, Result]], decimal: DecimalSign = ".") -> bytes:
    """The results as CSV, with question numbers; their words are English, to join many files.

    The questions are in the language in which they were asked.
    """
    with speaking(ENGLISH):
        rows = [
            (
                number,
                result.question.topic,
                result.question.text,
                _answer(result.question, result.answer),
                _answer(result.question, result.question.right),
                result.verdict,
                result.source,
            )
            for number, result in results
        ]
    return to_csv([HEADER, *rows], decimal)


def _answer(question: Question, answer: Answer) -> Decimal | str:
    text = in_words(question, answer)
    return for_programs(text) if question.form == "number" else text
