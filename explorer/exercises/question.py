"""One question in words, its right answer, and how an answer is judged."""

from dataclasses import dataclass
from typing import Any, Final, Literal, get_args

from explorer.languages import arrow, numeral, tr
from explorer.numerals import read_number, read_whole

Topic = Literal["masks", "positions", "attention", "steps", "stack", "decoding", "why"]
TOPICS: Final[tuple[Topic, ...]] = get_args(Topic)
Form = Literal["cells", "choice", "number"]
Cell = tuple[int, int]  # row and column
Answer = frozenset[Cell] | int | float  # cells; the index of an option; a number


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """The cells to mark: rows are queries, columns are keys."""

    rows: tuple[str, ...]
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mask:
    """A target mask to be drawn once the question is answered; codes as in `explorer.masks`."""

    labels: tuple[str, ...]
    codes: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question about one sentence pair and one model, in the language of its reader.

    All texts are plain: what a person typed stands in them as typed.
    """

    text: str
    hint: str
    explanation: str  # why the answer is right, with the numbers of this sentence
    right: Answer
    options: tuple[str, ...] = ()  # of a choice
    tolerance: float = 0.0  # of a number
    grid: Grid | None = None
    bars: tuple[float, ...] = ()  # a number for each option, drawn once the question is answered
    measure: str = ""  # the name of these numbers
    mask: Mask | None = None
    kind: str = ""
    topic: Topic = "masks"
    title: str = ""  # what it is about, in a few words

    @property
    def form(self) -> Form:
        """The form of its answer."""
        if self.options:
            return "choice"
        return "cells" if isinstance(self.right, frozenset) else "number"

    @property
    def whole(self) -> bool:
        """Whether the answer is a whole number."""
        return self.form == "number" and isinstance(self.right, int)


@dataclass(frozen=True, slots=True, kw_only=True)
class Grade:
    """The parts of an answer that are right, missed, or too much.

    The items are cells; the index of an option; or a number.
    """

    right: frozenset[Any]
    missed: frozenset[Any]
    too_much: frozenset[Any]

    @property
    def is_right(self) -> bool:
        """Whether nothing is missed and nothing is too much."""
        return not self.missed and not self.too_much


def grade(question: Question, answer: Answer) -> Grade:
    """Compare an answer with the right one."""
    wanted, given = _items(question.right), _items(answer)
    if question.form == "number":
        assert isinstance(answer, int | float)
        assert isinstance(question.right, int | float)
        if abs(answer - question.right) <= question.tolerance + 1e-9:
            given = wanted
    return Grade(right=wanted & given, missed=wanted - given, too_much=given - wanted)


def in_words(question: Question, answer: Answer) -> str:
    """An answer as plain text."""
    if isinstance(answer, frozenset):
        if question.grid is None:
            raise ValueError("cells need a grid to be named, got a question without one")
        rows, columns = question.grid.rows, question.grid.columns
        cells = [
            columns[column] if len(rows) == 1 else arrow(rows[row], columns[column])
            for row, column in sorted(answer)
        ]
        return ", ".join(cells) or tr("no cell")
    if question.form == "choice":
        return question.options[int(answer)]
    return numeral(answer, "z,.0f" if question.whole else "z.3f")


def read_answer(question: Question, text: str) -> Answer:
    """The number that somebody typed in their language.

    Raises:
        NumberError: if it is none; says what to write.
    """
    return read_whole(text) if question.whole else read_number(text)


def as_typed(answer: int | float) -> str:
    """A number as `read_answer` reads it."""
    return numeral(int(answer) if float(answer).is_integer() else answer)


def _items(answer: Answer) -> frozenset[Any]:
    return answer if isinstance(answer, frozenset) else frozenset({answer})


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """One answered question."""

    question: Question
    answer: Answer

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
