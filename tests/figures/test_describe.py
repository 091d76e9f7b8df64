"""Pictures in words: the same facts, counted by hand."""

from typing import Any

import numpy as np

from explorer.figures.describe import (
    allowed_in_words,
    attention_in_words,
    mask_in_words,
    share_in_words,
    why_in_words,
)

WEIGHTS = np.array([[0.2, 0.8, 0.0], [0.5, 0.125, 0.375]])


def test_every_query_with_its_largest_key() -> None:
    text = attention_in_words(WEIGHTS, ["er", "lief"], ["he", "ran", "PAD"])
    assert "2 queries (rows) by 3 keys (columns)" in text
    assert "er: ran 0.80; lief: he 0.50" in text


def test_words_that_occur_twice_have_their_positions() -> None:
    weights = np.array([[0.2, 0.8], [0.9, 0.1]])
    assert "0 · a: 1 · b 0.80; 1 · a: 0 · b 0.90" in attention_in_words(weights, "aa", "bb")
    left_out = attention_in_words(weights, "aa", "bb", ([3, 5], [2, 4]))
    assert "3 · a: 4 · b 0.80; 5 · a: 2 · b 0.90" in left_out
    codes = np.zeros((2, 2), dtype=np.uint8)
    assert "0 · a 2; 1 · a 2" in mask_in_words(codes, ["a", "a"])


def test_a_query_without_keys_attends_to_nothing() -> None:
    # Every key of this query is masked: its weights are all 0.
    assert "PAD: nothing" in attention_in_words(np.zeros((1, 2)), ["PAD"], ["PAD", "a"])


def test_a_small_share_is_not_0() -> None:
    assert [share_in_words(share) for share in (0.0, 1e-9, 0.0049, 0.5)] == [
        "0.00", "< 0.01", "< 0.01", "0.50"
    ]  # fmt: skip
    assert [share_in_words(share, 1, "%") for share in (0.0, 0.0004, 0.0049, 1.0)] == [
        "0.0%", "< 0.1%", "0.5%", "100.0%"
    ]  # fmt: skip
    assert [share_in_words(share, 3) for share in (0.0, 0.0004, 0.0049)] == [
        "0.000", "< 0.001", "0.005"
    ]  # fmt: skip


def test_mask_counts_by_reason() -> None:
    codes = np.array([[2, 1, 3], [2, 0, 3], [2, 0, 2]], dtype=np.uint8)
    text = mask_in_words(codes, ["PAD", "a", "b"])
    assert "3 queries by 3 keys" in text
    assert "2 cells may attend, 1 are future, 4 are PAD keys, 2 are both" in text
    assert "PAD 0; a 1; b 1" in text


def test_open_keys_of_each_sentence() -> None:
    allowed = np.array([[True, True, False], [False, False, False]])
    assert "sentence 1 2; sentence 2 0" in allowed_in_words(allowed)


def test_why_a_cell_is_open_or_not() -> None:
    def why(code: int, kind: str = "decoder", **more: Any) -> str:
        return why_in_words(code, "“Hund”", "“den”", kind=kind, **more)

    assert why(0) == "“Hund” may look at “den”: it comes earlier, and has been read already."
    assert why(0, same=True).startswith("“Hund” may look at itself")
    assert "the whole source" in why(0, "cross")
    assert "before and after" in why(0, "encoder")
    assert "Here the decoder has to guess “den”." in why(1, writes="den")
    assert "guess" not in why(1)
    for code in (1, 2, 3):
        assert why(code).startswith("“Hund” may not look at “den”: it ")
        assert ("comes later" in why(code), "is PAD" in why(code)) == (code != 2, code != 1)
