"""What is written with low probabilities is doubted."""

import math

import pytest

from explorer.weights.sureness import bound_of, doubt, mean_log


def test_the_mean_is_that_of_the_logarithms() -> None:
    assert mean_log([0.5, 0.125]) == pytest.approx(-2 * math.log(2))
    assert mean_log([]) == 0.0
    assert mean_log([0.0]) > -30  # a rounded probability


def test_what_is_unlikely_is_doubted_and_says_why() -> None:
    assert doubt([0.9, 0.8, 0.95], -0.4) == ""
    assert doubt([0.9, 0.2, 0.1], -0.4) == ("it was sure of only 1 of the 3 pieces that it wrote")


def test_nothing_written_is_not_doubted() -> None:
    assert doubt([], -0.4) == ""


def test_few_good_translations_are_below_the_bound() -> None:
    good = [-number / 100 for number in range(100)]
    bound = bound_of(good)
    assert sum(mean < bound for mean in good) == 3
