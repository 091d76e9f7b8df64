"""Rows of a table that point in nearly the same direction."""

import math

import numpy as np
import pytest
import torch

from explorer.analysis.nearest import nearest_rows

# Directions at 0, 60, 90 and 10 degrees; lengths do not matter.
TABLE = torch.tensor(
    [
        [length * math.cos(math.radians(turn)), length * math.sin(math.radians(turn))]
        for length, turn in ((1, 0), (5, 60), (2, 90), (0.1, 10))
    ]
)


def test_the_nearest_is_the_one_with_the_smallest_angle() -> None:
    (first, second) = nearest_rows(TABLE, [0, 1], np.ones(4, bool), 2)
    assert [row for row, _ in first] == [3, 1]
    assert [share for _, share in first] == pytest.approx(
        [math.cos(math.radians(10)), 0.5], abs=1e-6
    )
    assert [row for row, _ in second] == [2, 3]


def test_only_the_allowed_rows_are_named() -> None:
    among = np.array([True, True, False, False])
    assert [[row for row, _ in line] for line in nearest_rows(TABLE, [0, 1], among)] == [[1], [0]]
    assert nearest_rows(TABLE, [0], np.zeros(4, bool)) == [[]]
