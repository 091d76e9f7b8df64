"""Answers with low probabilities are doubted."""

import math
import random

import pytest

from explorer.weights.doubts.sureness import Sureness, mean_log

SURE = Sureness(doubted_below=-0.4, intercept=2.0, slope=8.0)


def test_the_mean_is_that_of_the_logarithms() -> None:
    assert mean_log([0.5, 0.125]) == pytest.approx(-2 * math.log(2))
    assert mean_log([]) == 0.0
    assert mean_log([0.0]) > -30  # a rounded probability


def test_an_unlikely_answer_is_doubted_with_a_reason() -> None:
    assert SURE.doubt([0.9, 0.8, 0.95]) == ""
    reason = SURE.doubt([0.9, 0.2, 0.1])  # the third root of their product
    assert reason == "on average (geometric mean) its pieces had a probability of only 0.26"


def test_nothing_written_is_not_doubted() -> None:
    assert SURE.doubt([]) == ""


def test_few_good_translations_are_below_the_bound() -> None:
    means = [-number / 100 for number in range(100)]
    bound = Sureness.measured([*means, -2.0, -3.0], [True] * 100 + [False] * 2).doubted_below
    assert sum(mean < bound for mean in means) == 5


def test_the_number_of_right_answers_of_ten() -> None:
    dice = random.Random(0)
    means = [-dice.random() for _ in range(20_000)]
    right = [dice.random() < 1 / (1 + math.exp(-2.5 - 7.0 * mean)) for mean in means]
    found = Sureness.measured(means, right)
    for mean in (-0.9, -0.6, -0.4, -0.3, -0.2, -0.05):
        near = [one for at, one in zip(means, right, strict=True) if abs(at - mean) < 0.03]
        share = found.right_of_ten([math.exp(mean)]) / 10
        assert share == pytest.approx(sum(near) / len(near), abs=0.08)


def test_answers_that_separate_perfectly_are_measured_too() -> None:
    found = Sureness.measured([-0.1, -0.2, -0.7, -0.8], [True, True, False, False])
    assert (found.right_of_ten([0.95]), found.right_of_ten([0.3])) == (10, 0)


def test_answers_of_no_probability_at_all_are_measured_too() -> None:
    found = Sureness.measured([-0.1, -0.2, -20.7, -0.3, -20.0], [True, True, False, False, False])
    assert found.right_of_ten([0.0]) == 0


def test_right_and_wrong_answers_are_needed() -> None:
    with pytest.raises(ValueError, match="some must not"):
        Sureness.measured([-0.1, -0.2], [True, True])
