"""Pictures in words: the same facts, counted by hand."""

import re

import numpy as np

from explorer.figures.describe import (
    allowed_in_words,
    attention_in_words,
    looks_most,
    mask_in_words,
)

WEIGHTS = np.array([[0.2, 0.8, 0.0], [0.5, 0.125, 0.375]])


def test_the_strongest_look() -> None:
    text = looks_most(WEIGHTS, ["er", "lief"], ["he", "ran", "PAD"])
    assert re.search("er.*position 0.* looks most at .*ran.*position 1.*0.80", text)


def test_padding_and_a_single_key_have_nothing_to_tell() -> None:
    weights = np.array([[1.0, 0.0, 0.0], [0.4, 0.6, 0.0], [0.0, 0.9, 0.1]])
    text = looks_most(weights, ["BOS", "er", "PAD"], ["BOS", "er", "PAD"])
    assert re.search("er.*position 1.* looks most at .*er.*position 1.*0.60", text)
    assert "looks most" not in looks_most(np.array([[1.0]]), ["BOS"], ["BOS"])


def test_every_query_with_its_largest_key() -> None:
    text = attention_in_words(WEIGHTS, ["er", "lief"], ["he", "ran", "PAD"])
    assert "2 queries (rows) by 3 keys (columns)" in text
    assert "er: ran 0.80; lief: he 0.50" in text


def test_a_query_without_any_key_looks_at_nothing() -> None:
    # Every key of this query is masked: its weights are all 0.
    assert "PAD: nothing" in attention_in_words(np.zeros((1, 2)), ["PAD"], ["PAD", "a"])


def test_mask_counts_by_reason() -> None:
    codes = np.array([[2, 1, 3], [2, 0, 3], [2, 0, 2]], dtype=np.uint8)
    text = mask_in_words(codes, ["PAD", "a", "b"])
    assert "3 queries by 3 keys" in text
    assert "2 cells may attend, 1 are future, 4 are PAD keys, 2 are both" in text
    assert "PAD 0; a 1; b 1" in text


def test_open_keys_of_each_sentence() -> None:
    allowed = np.array([[True, True, False], [False, False, False]])
    assert "sentence 1 2; sentence 2 0" in allowed_in_words(allowed)
