"""Questions and answers as plain data, and the answers of a room counted."""

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import product
from typing import Any, Final

from explorer.exercises.question import Answer, Cell, Grid, Question, grade, in_words
from explorer.export.tables import DecimalSign, to_csv
from explorer.languages import ENGLISH, for_programs, speaking, tr

MAX_BARS: Final = 12
LARGEST: Final = 1e12
TOLD: Final = ("text", "explanation", "options", "grid")  # in the reader's language


def to_json(question: Question, in_others: Mapping[str, Question] | None = None) -> dict[str, Any]:
    """A question as plain data for a room; `in_others` has it in other languages."""
    whole = asdict(question)
    others = {language: asdict(other) for language, other in (in_others or {}).items()}
    return {
        **{name: whole[name] for name in (*TOLD, "tolerance", "kind")},
        "right": sorted(question.right)
        if isinstance(question.right, frozenset)
        else question.right,
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
    grid, right = merged["grid"], data["right"]
    return Question(
        text=merged["text"],
        hint="",
        explanation=merged["explanation"],
        right=frozenset(map(tuple, right)) if isinstance(right, list) else right,
        options=tuple(merged["options"]),
        tolerance=data["tolerance"],
        grid=grid and Grid(rows=tuple(grid["rows"]), columns=tuple(grid["columns"])),
        kind=data["kind"],
    )


def write_answer(question: Question, answer: Answer) -> bytes | None:
    """An answer as bytes; None if it cannot be one to this question."""
    if not _is_possible(question, answer):
        return None
    plain: object = answer
    if isinstance(answer, frozenset):
        bits = sum(1 << n for n, cell in enumerate(_cells(question)) if cell in answer)
        plain = f"{bits:x}"
    return json.dumps(plain).encode()


def read_answer(question: Question, data: bytes) -> Answer | None:
    """The answer that `write_answer` wrote; None if it is none."""
    try:
        answer: Any = json.loads(data)
        if question.form == "cells":
            bits = int(answer, 16)
            answer = frozenset(cell for n, cell in enumerate(_cells(question)) if bits >> n & 1)
        return answer if _is_possible(question, answer) else None
    except (ValueError, TypeError, RecursionError):
        return None


def _cells(question: Question) -> list[Cell]:
    """All cells, row by row."""
    grid = question.grid
    return [] if grid is None else list(product(range(len(grid.rows)), range(len(grid.columns))))


def _is_possible(question: Question, answer: Answer) -> bool:
    if isinstance(answer, frozenset):
        return answer <= {*_cells(question)}
    if question.form == "choice":
        return answer in range(len(question.options))
    return abs(answer) < LARGEST  # not a number is not less


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """The counted answers of a room."""

    people: int
    right: int  # how many of them
    cells: Mapping[Cell, int]  # how many marked each cell
    bars: tuple[tuple[str, int, bool], ...]  # an answer, how many gave it, whether it is right


def tally(question: Question, given: Sequence[Answer]) -> Tally:
    """Count the answers.

    Options stand in their order, numbers by size; of many different ones, the rarest are counted
    together.
    """
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


def _bars(question: Question, given: Sequence[Answer]) -> list[tuple[str, int, bool]]:
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
    common.sort(key=lambda text: first[text])
    rows = [(text, counts[text], is_right(first[text])) for text in common]
    rest = len(given) - sum(count for _, count, _ in rows)
    return [*rows, (tr("other answers"), rest, False)] if rest else rows


def with_right(
    question: Question, bars: tuple[tuple[str, int, bool], ...]
) -> tuple[tuple[str, int, bool], ...]:
    """The bars with the right answer, even if nobody gave it."""
    if any(right for _, _, right in bars):
        return bars
    return ((in_words(question, question.right), 0, True), *bars)


HEADER: Final = (
    "number", "question", "kind", "sentence", "right answer", "share fully right",
    "seat", "answer", "right",
)  # fmt: skip


def write_asked(question: Mapping[str, Any], source: str) -> bytes:
    """A question and its sentence in English, to be kept beside the answers."""
    english = to_json(from_json(question, ENGLISH))
    return json.dumps([english, source], ensure_ascii=False, separators=(",", ":")).encode()


def as_csv(lesson: Sequence[tuple[bytes, Mapping[str, bytes]]], decimal: DecimalSign) -> bytes:
    """All answers of a lesson in English: for each question, a row for each seat.

    A seat has the same number in all questions, and no name. For each question, `lesson` has what
    `write_asked` wrote, and the answers by person.
    """
    seats = sorted({person for _, answers in lesson for person in answers})
    rows = []
    for number, (asked, answers) in enumerate(lesson, start=1):
        data, source = json.loads(asked)
        question = from_json(data)
        read = {who: read_answer(question, answer) for who, answer in answers.items()}
        given = {who: answer for who, answer in read.items() if answer is not None}
        marks = {who: grade(question, answer).is_right for who, answer in given.items()}
        share = sum(marks.values()) / len(marks) if marks else math.nan
        right = _cell(question, question.right)
        about = (number, question.text, question.kind, source, right, share)
        for seat, who in enumerate(seats, start=1):
            answer = _cell(question, given[who]) if who in marks else ""
            mark = "" if who not in marks else "yes" if marks[who] else "no"
            rows.append((*about, seat, answer, mark))
    return to_csv([HEADER, *rows], decimal)


def _cell(question: Question, answer: Answer) -> object:
    with speaking(ENGLISH):
        text = in_words(question, answer)
        return for_programs(text) if question.form == "number" else text
