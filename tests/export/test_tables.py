"""Files that a spreadsheet opens: right words, right numbers, nothing that it would run."""

import csv
import io
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from explorer.drawing.drawing import Cells, Quantity
from explorer.drawing.grid import Grid, Side, steps
from explorer.drawing.labels import plain
from explorer.export.tables import picture_rows, to_csv
from explorer.figures.attention import Heads, one_head
from explorer.figures.masks import mask_row


def opened(content: bytes) -> list[list[str]]:
    assert content.startswith(b"\xef\xbb\xbf")  # so that a spreadsheet reads UTF-8
    return list(csv.reader(io.StringIO(content.decode("utf-8-sig"))))


@pytest.mark.parametrize("word", ["=1+1", "+cmd", "-", "@SUM(A1)", "＝1", "\t=1", "−x=", '="a,b"'])
def test_a_word_is_never_a_formula(word: str) -> None:
    ((cell, plain),) = opened(to_csv([[word, "x"]]))
    assert not cell.startswith(("=", "+", "-", "@", "＝", "\t"))
    assert cell.endswith(word.strip("\t").replace("−", "-")) or word in cell
    assert plain == "x"


def test_numbers_stay_numbers() -> None:
    rows = (["word", "a", "b"], ["ü → „x“", -0.125, "−0.500"], ["naïve, isn't it", 1e-9, "+3"])
    table = pd.read_csv(io.BytesIO(to_csv(rows)))
    assert table["a"].tolist() == [-0.125, 1e-9]
    assert table["b"].tolist() == [-0.5, 3.0]
    assert table["word"].tolist() == ["ü → „x“", "naïve, isn't it"]


def test_with_commas_in_numbers_cells_end_with_semicolons() -> None:
    """A German spreadsheet takes 1.12 for a date, and does not end a cell at a comma: pandas is
    told the same signs. A word stays as it was typed, even where it looks like a number."""
    rows = (
        ["word", "a", "b"],
        ["x; y, „z“", -1.12, Decimal("-0.500")],
        ["=1+1", 1e-9, Decimal("1.5e+07")],
        ["1.5", 0.5, Decimal("1234567.8125")],
    )
    content = to_csv(rows, ",")
    assert b"1.12" not in content
    table = pd.read_csv(io.BytesIO(content), sep=";", decimal=",")
    assert table["a"].tolist() == [-1.12, 1e-9, 0.5]
    assert table["b"].tolist() == [-0.5, 1.5e7, 1234567.8125]
    assert table["word"].tolist() == ["x; y, „z“", "'=1+1", "1.5"]


def some_heads() -> Heads:
    weights = np.random.default_rng(0).dirichlet(np.ones(3), (2, 2)).astype(np.float32)
    return Heads(
        weights=weights,
        scores=np.log(weights),
        may_attend=np.ones((2, 3), bool),
        query_labels=["<b>", "=1"],
        key_labels=["a", "a", "PAD"],
    )


def test_a_heatmap_has_its_labels_and_all_it_shows() -> None:
    heads = some_heads()
    rows = picture_rows(one_head(heads, 1, kind="encoder"))
    assert rows[0] == ["2 weight", "0 · a", "1 · a", "PAD"]
    assert [row[0] for row in rows[1:3]] == ["<b>", "=1"]
    np.testing.assert_allclose(np.array([row[1:] for row in rows[1:3]]), heads.weights[1])
    assert heads.scores is not None
    assert rows[4][0] == "2 score"
    np.testing.assert_allclose(np.array([row[1:] for row in rows[5:7]]), heads.scores[1])


def test_a_mask_has_its_reasons_in_words() -> None:
    codes = np.array([[0, 1], [0, 2]], np.uint8)
    rows = picture_rows(mask_row([("mask", codes)], ["a", "b"], ["c", "d"]))
    assert rows == [
        ["mask", "c", "d"],
        ["a", "may attend", "future"],
        ["b", "may attend", "key is PAD"],
    ]


def test_a_column_beside_another_one_joins_it_and_numbers_are_never_lost() -> None:
    def column(name: str, *exact: float) -> Cells:
        return Cells(
            values=np.zeros((2, 1)),
            colors=steps(["#fff"]),
            rows=["r", "s"],
            columns=[name],
            name=name,
            tells=[Quantity(values=[["a"], ["b"]], exact=np.array(exact)[:, None])],
        )

    parts = [column("p", 1, 2), column("q", 3, np.nan), column("q", np.nan, 4)]
    assert picture_rows(Grid(parts, Side(), Side())) == [["", "p", "q"], ["r", 1, 3], ["s", 2, 4]]
    again = picture_rows(Grid([parts[0], parts[0]], Side(), Side()))
    assert again == [["", "p"], ["r", 1], ["s", 2], [], ["", "p"], ["r", 1], ["s", 2]]


def test_two_lines_of_a_label_stay_two_words() -> None:
    assert plain("Ich, id 393<br>position 1 of <b>tgt</b>") == "Ich, id 393, position 1 of tgt"
