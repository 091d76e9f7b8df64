"""The file of results, safe for spreadsheets."""

import csv
import io

import pytest

from explorer.exercises.question import Grid, Question
from explorer.exercises.results import HEADER, Result, as_csv

CELLS = frozenset({(0, 0), (0, 1)})
QUESTION = Question(
    text="Mark every key.",
    hint="",
    explanation="",
    right=CELLS,
    grid=Grid(rows=("it",), columns=("=1+1", "the", "PAD")),
)


def rows(*results: tuple[int, Result]) -> list[list[str]]:
    return list(csv.reader(io.StringIO(as_csv(results).decode("utf-8-sig"))))


def test_one_line_for_each_answer() -> None:
    result = Result(question=QUESTION, answer=frozenset({(0, 1), (0, 2)}), source="it was, “x”\n&")
    header, row = rows((3, result))
    assert header == list(HEADER)
    assert row == [
        "3",
        "masks",
        "Mark every key.",
        "the, PAD",
        "'=1+1, the",
        "1 right, 1 missed, 1 too much",
        "it was, “x”\n&",
    ]


@pytest.mark.parametrize("source", ["=SUM(A1)", "＝1", "+x", "-x", "@x", "\tx", "\rx"])
def test_no_cell_is_a_formula(source: str) -> None:
    _, row = rows((1, Result(question=QUESTION, answer=CELLS, source=source)))
    assert row[-1] == f"'{source}"
    assert row[-2] == "right"


def test_a_plain_sentence_stays_as_it_is() -> None:
    _, row = rows((1, Result(question=QUESTION, answer=CELLS, source="a = b")))
    assert row[-1] == "a = b"
