"""One question, its right answer, and how an answer is judged."""

import re
from dataclasses import dataclass
from typing import Any, Final, Literal, get_args

from explorer.languages import arrow, numeral, tr
from explorer.names import AttentionKind
from explorer.numerals import NumberError, plain, read_number, read_whole

Topic = Literal["masks", "positions", "attention", "steps", "stack", "decoding", "why"]
TOPICS: Final[tuple[Topic, ...]] = get_args(Topic)
# What answers it: the tour; pen and paper, with the formulas of the paper; the shapes of the code.
Level = Literal["tour", "paper", "builders"]
LEVELS: Final[tuple[Level, ...]] = get_args(Level)
SET_SIZE: Final = 10  # questions
Form = Literal["cells", "choice", "number", "shape"]
Cell = tuple[int, int]  # row and column
# Cells; the index of an option; a number; or the sizes of a tensor.
Answer = frozenset[Cell] | int | float | tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """The cells to mark: rows are queries, columns are keys."""

    rows: tuple[str, ...]
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Bars:
    """The numbers behind a question, to be drawn once it is answered."""

    name: str  # of the numbers
    labels: tuple[str, ...]
    values: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mask:
    """A mask to be drawn once the question is answered; codes as in `explorer.masks`."""

    name: str
    queries: tuple[str, ...]
    keys: tuple[str, ...]
    codes: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Focus:
    """The place in the model that shows the answer; everything counts from 0."""

    kind: AttentionKind | None = None
    layer: int | None = None
    head: int | None = None
    query: int | None = None
    key: int | None = None
    step: str | None = None  # of one attention
    stop: int | None = None  # of the whole stack
    word: int | None = None
    aspect: str | None = None  # of positions
    method: str | None = None  # of decoding
    at: int | None = None  # the word of the answer
    ask: str | None = None  # of causes


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question about one sentence pair and one model.

    All texts are plain: what a person typed stands in them as typed. They are in the language of
    the reader they were made for, except the title.
    """

    text: str
    hint: str
    explanation: str  # why the answer is right, with the numbers of this sentence
    right: Answer
    options: tuple[str, ...] = ()  # of a choice
    axes: tuple[str, ...] = ()  # of a shape: what each size counts
    tolerance: float = 0.0  # of a number
    grid: Grid | None = None
    bars: Bars | None = None
    mask: Mask | None = None
    focus: Focus = Focus()
    kind: str = ""  # these three are set by `ask`
    topic: Topic = "masks"
    title: str = ""  # what it is about, in a few words; `tr` looks it up where it is shown

    @property
    def form(self) -> Form:
        """The form of its answer."""
        if self.options:
            return "choice"
        if isinstance(self.right, frozenset):
            return "cells"
        return "shape" if isinstance(self.right, tuple) else "number"

    @property
    def whole(self) -> bool:
        """Whether the answer is a whole number."""
        return self.form == "number" and isinstance(self.right, int)


@dataclass(frozen=True, slots=True, kw_only=True)
class Grade:
    """The parts of an answer that are right, missed, or too much.

    The items are cells; the index of an option; a number; or (axis, size) of a shape.
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
    if isinstance(answer, tuple):
        return f"({', '.join(map(str, answer))})"
    if question.form == "choice":
        return question.options[int(answer)]
    return number(answer, whole=question.whole)


def number(value: float, digits: int = 3, *, whole: bool = False) -> str:
    """A number as the reader's language writes it, without a sign on zero."""
    return numeral(value, "z,.0f" if whole else f"z.{digits}f")


def read_answer(question: Question, text: str) -> Answer:
    """The number or the shape that somebody typed in their language.

    Raises:
        NumberError: if it is none; says what to write.
    """
    if question.form == "shape":
        sizes = read_shape(text)
        if sizes is None:
            typed = text.strip()
            raise NumberError(
                tr("Write sizes such as {example}, not “{typed}”.", example="2, 4, 5", typed=typed)
            )
        return sizes
    return read_whole(text) if question.whole else read_number(text)


def as_typed(answer: int | float | tuple[int, ...]) -> str:
    """A number or a shape as `read_answer` reads it."""
    if isinstance(answer, tuple):
        return ", ".join(map(str, answer))
    return numeral(int(answer) if float(answer).is_integer() else answer)


def read_shape(text: str) -> tuple[int, ...] | None:
    """The sizes that somebody typed, as in “2, 4, 5, 5” or “(2 × 4)”; None if it is no shape."""
    text = plain(text)
    if not re.fullmatch(r"[0-9\s,;、·*xX()\[\]]{1,60}", text):
        return None
    sizes = re.findall(r"[0-9]+", text)
    return tuple(map(int, sizes)) if 0 < len(sizes) <= 6 and max(map(len, sizes)) < 8 else None


def _items(answer: Answer) -> frozenset[Any]:
    if isinstance(answer, frozenset):
        return answer
    if isinstance(answer, tuple):
        return frozenset(enumerate(answer))
    return frozenset({answer})
