"""The distance of two runs: by hand, cell by cell and word by word."""

import math
from dataclasses import replace

import numpy as np
import torch

from explorer.analysis.attention import Attention
from explorer.analysis.side_by_side import total_variation, weights_apart
from tests.analysis.test_head_roles import attention as of_weights

RNG = np.random.default_rng(0)


def attention(queries: str, keys: str) -> Attention:
    rows, columns = queries.split(), keys.split()
    return of_weights(RNG.random((2, len(rows), len(columns))), rows, columns, kind="cross")


def test_cells_of_the_same_words_are_subtracted_pad_included() -> None:
    a, b = attention("x y PAD", "u PAD"), attention("x y PAD", "u PAD")
    found = weights_apart(a, b, 1)
    assert found is not None
    np.testing.assert_array_equal(found.difference, b.weights[1] - a.weights[1])
    cells = [
        abs(float(b.weights[1, i, j]) - float(a.weights[1, i, j]))
        for i in range(2) for j in range(2)  # the row of PAD does not count
    ]  # fmt: skip
    assert cells[2 * found.where[0] + found.where[1]] == max(cells)


def test_the_row_of_pad_is_never_the_one_that_differs_most() -> None:
    a = b = attention("x PAD", "u v")
    b = replace(a, weights=a.weights + np.array([[0.0, 0.25], [0.5, 0.9]], np.float32))
    found = weights_apart(a, b, 0)
    assert found is not None
    assert found.where == (0, 1)


def test_words_are_matched_if_pad_is_on_another_side() -> None:
    a, b = attention("x y PAD PAD", "u v w"), attention("PAD PAD x y", "u v w")
    found = weights_apart(a, b, 0)
    assert found is not None
    np.testing.assert_array_equal(found.difference, b.weights[0][2:] - a.weights[0][:2])
    assert found.b.query_positions == (2, 3)


def test_extra_words_at_the_end_of_one_are_left_out() -> None:
    a, b = attention("BOS x EOS PAD", "u v"), attention("PAD PAD BOS x", "u v z")
    found = weights_apart(a, b, 0)
    assert found is not None
    assert found.a.query_labels == found.b.query_labels == ("BOS", "x")
    assert found.a.key_labels == found.b.key_labels == ("u", "v")
    np.testing.assert_array_equal(found.difference, b.weights[0][2:, :2] - a.weights[0][:2])


def test_as_many_other_words_are_subtracted_by_position() -> None:
    a, b = attention("x y", "u v"), attention("x z", "w v")
    found = weights_apart(a, b, 1)
    assert found is not None
    np.testing.assert_array_equal(found.difference, b.weights[1] - a.weights[1])


def test_sentences_of_different_lengths_have_no_difference() -> None:
    assert weights_apart(attention("x y", "u v"), attention("z y x", "u v"), 0) is None


def test_probabilities_by_hand() -> None:
    a = [[0.0, math.log(3.0)], [2.0, 2.0], [0.0, -3000.0]]
    b = [[0.0, 0.0], [2.0, 2.0], [0.0, 0.0]]  # shares ¼ ¾ against ½ ½, ½ ½ twice, 1 0 against ½ ½
    found = total_variation(torch.tensor(a), torch.tensor(b))
    np.testing.assert_allclose(found, [0.25, 0.0, 0.5], atol=1e-7)
