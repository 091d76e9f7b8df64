"""Questions and answers as plain data, and the answers of a room counted."""

import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from itertools import product
from typing import Any, Final

from explorer.exercises.question import Answer, Cell, Grid, Question, grade, in_words
from explorer.export.tables import DecimalSign, to_csv
from explorer.languages import arrow, for_programs, tr

MAX_BARS: Final = 12
MAX_ANSWER: Final = 5000  # bytes: all cells of the largest mask, 128 × 128, a bit each
LARGEST: Final = 1e12
TOLD: Final = ("text", "explanation", "options", "axes", "grid")  # in the reader's language


def to_json(question: Question, in_others: Mapping[str, Question] | None = None) -> dict[str, Any]:
    """A question as plain data for a room; `in_others` has it in other languages."""
    whole = asdict(question)
    others = {language: asdict(other) for language, other in (in_others or {}).items()}
    return {
        **{name: whole[name] for name in (*TOLD, "tolerance", "kind")},
        "form": question.form,
        "right": answer_to_json(question.right),
        "in_others": {
            language: {name: other[name] for name in TOLD if other[name] != whole[name]}
            for language, other in others.items()
        },
    }


def from_json(data: Mapping[str, Any], language: str = "") -> Question:
    """The question that `to_json` wrote, in this language if it has it.

    Another version of the explorer, on another replica, may have written more fields.
    """
    merged = {**data, **data.get("in_others", {}).get(language, {})}
    grid = merged["grid"]
    return Question(
        text=merged["text"],
        hint="",
        explanation=merged["explanation"],
        right=_answer(data["form"], data["right"]),
        options=tuple(merged["options"]),
        axes=tuple(merged["axes"]),
        tolerance=data["tolerance"],
        grid=grid and Grid(rows=tuple(grid["rows"]), columns=tuple(grid["columns"])),
        kind=data["kind"],
    )


def answer_to_json(answer: Answer) -> Any:
    """An answer as plain data."""
    if isinstance(answer, frozenset):
        return sorted(map(list, answer))
    return list(answer) if isinstance(answer, tuple) else answer


def write_answer(question: Question, answer: Answer) -> bytes | None:
    """An answer as bytes; None if it cannot be one to this question."""
    if not _is_possible(question, answer):
        return None
    plain = answer_to_json(answer)
    if isinstance(answer, frozenset):
        bits = sum(1 << n for n, cell in enumerate(_cells(question)) if cell in answer)
        plain = f"{bits:x}"
    data = json.dumps(plain, separators=(",", ":")).encode()
    return data if len(data) <= MAX_ANSWER else None


def read_answer(question: Question, data: bytes) -> Answer | None:
    """The answer that `write_answer` wrote; None if it is none."""
    try:
        plain = json.loads(data[:MAX_ANSWER])
        if question.form == "cells":
            bits, cells = int(plain, 16), _cells(question)
            if not 0 <= bits < 1 << len(cells):
                return None
            plain = [cell for n, cell in enumerate(cells) if bits >> n & 1]
        found = _answer(question.form, plain)
    except (ValueError, TypeError, RecursionError):
        return None
    return found if _is_possible(question, found) else None


def _cells(question: Question) -> list[Cell]:
    """All cells, row by row."""
    grid = question.grid
    return [] if grid is None else list(product(range(len(grid.rows)), range(len(grid.columns))))


def _answer(form: str, plain: Any) -> Answer:
    if form == "cells":
        return frozenset((int(row), int(column)) for row, column in plain)
    if form == "shape":
        return tuple(map(int, plain))
    return int(plain) if form == "choice" or isinstance(plain, int) else float(plain)


def _is_possible(question: Question, answer: Answer) -> bool:
    if question.form == "cells":
        if question.grid is None or not isinstance(answer, frozenset):
            return False
        rows, columns = len(question.grid.rows), len(question.grid.columns)
        return all(0 <= row < rows and 0 <= column < columns for row, column in answer)
    if question.form == "shape":
        if not isinstance(answer, tuple):
            return False
        return 0 < len(answer) <= 6 and all(0 <= size < LARGEST for size in answer)
    if isinstance(answer, frozenset | tuple | bool):
        return False
    if question.form == "choice":
        return answer in range(len(question.options))
    return math.isfinite(answer) and abs(answer) < LARGEST


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """The counted answers of a room."""

    people: int
    right: int  # how many of them
    cells: Mapping[Cell, int]  # how many marked each cell
    bars: tuple[tuple[str, int, bool], ...]  # an answer, how many gave it, whether it is right


def tally(question: Question, answers: Iterable[Answer]) -> Tally:
    """Count the answers.

    Options stand in their order, numbers and shapes by size; of many different ones, the rarest
    are counted together.
    """
    given = list(answers)
    cells: Counter[Cell] = Counter()
    for answer in given:
        if isinstance(answer, frozenset):
            cells.update(answer)
    return Tally(
        people=len(given),
        right=sum(grade(question, answer).is_right for answer in given),
        cells=cells,
        bars=() if question.form == "cells" else tuple(_bars(question, given)),
    )


def _bars(question: Question, given: list[Answer]) -> list[tuple[str, int, bool]]:
    def is_right(answer: Answer) -> bool:
        return grade(question, answer).is_right

    if question.form == "choice":
        chosen = Counter(given)
        return [(option, chosen[at], is_right(at)) for at, option in enumerate(question.options)]
    first: dict[str, Answer] = {}
    counts: Counter[str] = Counter()
    for answer in given:
        text = in_words(question, answer)
        first.setdefault(text, answer)
        counts[text] += 1
    common = [text for text, _ in counts.most_common(MAX_BARS)]
    common.sort(key=lambda text: _size(first[text]))
    rows = [(text, counts[text], is_right(first[text])) for text in common]
    rest = len(given) - sum(count for _, count, _ in rows)
    return [*rows, (tr("other answers"), rest, False)] if rest else rows


def with_right(
    question: Question, bars: tuple[tuple[str, int, bool], ...]
) -> tuple[tuple[str, int, bool], ...]:
    """The bars with the right answer, even if nobody gave it."""
    if question.form == "cells" or any(right for _, _, right in bars):
        return bars
    return ((in_words(question, question.right), 0, True), *bars)


def _size(answer: Answer) -> tuple[float, ...]:
    if isinstance(answer, tuple):
        return tuple(map(float, answer))
    assert isinstance(answer, int | float)  # sets are answers to questions about cells
    return (float(answer),)


HEADER: Final = ("question", "answer", "people", "right", "source")


def as_csv(question: Question, found: Tally, source: str, decimal: DecimalSign = ".") -> bytes:
    """The counts as a table."""
    rows: list[tuple[str, int, bool]] = list(found.bars)
    if question.grid is not None:
        right = question.right if isinstance(question.right, frozenset) else frozenset()
        names, columns = question.grid.rows, question.grid.columns
        rows = [
            (arrow(name, key), found.cells.get((row, column), 0), (row, column) in right)
            for row, name in enumerate(names)
            for column, key in enumerate(columns)
        ]
    read = for_programs if question.form == "number" else str
    lines = [
        (question.text, read(answer), people, "yes" if is_right else "no", source)
        for answer, people, is_right in rows
    ]
    return to_csv([HEADER, *lines], decimal)
