"""Files with decimal commas have the same numbers as those with points: pandas reads both."""

import io
import zipfile
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pandas as pd
import pytest

from explorer.drawing.theme import LIGHT
from explorer.exercises.question import Question
from explorer.export.tables import DecimalSign
from explorer.languages import ENGLISH, numeral, speak
from explorer.rooms import questions
from explorer.ui.components import table
from explorer.ui.taking.files import Files
from explorer.ui.taking.noted import Noted

Make = Callable[[DecimalSign], bytes]
MANY = Question(text="How many?", hint="", explanation="", right=1234)
SHARE = Question(text="Which share?", hint="", explanation="", right=0.125, tolerance=0.01)


@pytest.fixture(autouse=True)
def _german() -> Iterator[None]:
    speak("de")
    yield
    speak(ENGLISH)


def room(_: pytest.MonkeyPatch) -> Make:
    lesson = []
    for question in (MANY, SHARE):
        answer = questions.write_answer(question, question.right)
        assert answer is not None
        asked = questions.write_asked(questions.to_json(question), "a")
        lesson.append((asked, {"one": answer}))
    return partial(questions.as_csv, lesson)


def one_table(monkeypatch: pytest.MonkeyPatch) -> Make:
    made: list[Make] = []
    monkeypatch.setattr(table, "show_table", lambda **_: None)
    monkeypatch.setattr(table, "csv_button", lambda _, make, *more, **named: made.append(make))
    rows = [["1.5", numeral(1234, ","), "x"], ["y", numeral(0.125), "x"]]
    table.table(["word", "answer", "more"], rows, key="t", caption="")
    return made[0]


def archive(_: pytest.MonkeyPatch) -> Make:
    rows: Any = [["word", "answer"], ["1.5", 1234], ["y", 0.125]]
    noted = Noted(name="t", rows=lambda: rows, picture=None)

    def make(decimal: DecimalSign) -> bytes:
        files = Files(
            found={"a": noted}, page="", about=[], choices=[], colours=LIGHT, decimal=decimal
        )
        with zipfile.ZipFile(io.BytesIO(files.make_all()())) as made:
            return made.read("t.csv")

    return make


@pytest.mark.parametrize("file", [room, one_table, archive])
@pytest.mark.parametrize("decimal", [".", ","])
def test_numbers_are_numbers_and_words_are_words(
    file: Callable[[pytest.MonkeyPatch], Make],
    decimal: DecimalSign,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    content = io.BytesIO(file(monkeypatch)(decimal))
    read = pd.read_csv(content, sep=";" if decimal == "," else ",", decimal=decimal)
    for name in {"answer", "your answer", "right answer"} & {*read}:
        assert read[name].tolist() == [1234, 0.125]
    if "word" in read:
        assert read["word"].tolist() == ["1.5", "y"]
