"""How a set of questions went, and the file that keeps it."""

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from explorer.exercises.question import Answer, Grade, Question, grade, in_words
from explorer.languages import ENGLISH, speaking, tr

HEADER: Final = ("number", "topic", "question", "your answer", "right answer", "result", "source")
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r", "\n")  # how a spreadsheet's formula may begin


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """One answered question."""

    question: Question
    answer: Answer
    source: str  # the sentence that it was asked about

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


def as_csv(results: Sequence[tuple[int, Result]]) -> bytes:
    """The results as a table, by the numbers of the questions, in English: files can be joined.

    The questions are in the language in which they were asked.

    No cell can be read as a formula: one that begins like one gets an apostrophe before it.
    """
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(HEADER)
    with speaking(ENGLISH):
        for number, result in results:
            question = result.question
            row = (
                str(number),
                question.topic,
                question.text,
                in_words(question, result.answer),
                in_words(question, question.right),
                result.verdict,
                result.source,
            )
            writer.writerow(map(safe_cell, row))
    return text.getvalue().encode("utf-8-sig")


def safe_cell(text: str) -> str:
    """A cell that no spreadsheet reads as a formula: an apostrophe stands before one."""
    return f"'{text}" if text.startswith(_FORMULA) else text
