"""The names of words, and options in random order."""

import numpy as np
import pytest

from explorer.exercises.reading import clear_best, counted_tokens, mixed, names, quoted, softmax


def test_words_that_repeat_have_their_position() -> None:
    assert names(("the", "cat", "the", "PAD")) == ("0 · the", "cat", "2 · the", "PAD")
    assert quoted(("the", "cat", "the"), 2) == "“2 · the”"
    assert quoted(("“PAD”",), 0) == "“PAD”"


def test_long_words_that_begin_alike_stay_apart() -> None:
    long = names(("a" * 40, "a" * 41))
    assert len(set(long)) == 2
    assert max(map(len, long)) < 25


@pytest.mark.parametrize("seed", range(20))
def test_the_right_option_is_there_once_and_anywhere(seed: int) -> None:
    options, right = mixed(np.random.default_rng(seed), "r", ["a", "b", "r", "a", "c", "d"])
    assert options[right] == "r"
    assert len(options) == len(set(options)) == 4


def test_the_right_option_is_not_always_in_one_place() -> None:
    places = {mixed(np.random.default_rng(seed), 0, range(4))[1] for seed in range(40)}
    assert places == {0, 1, 2, 3}


def test_only_a_clear_best_is_asked_for() -> None:
    assert clear_best([0.1, 0.8, 0.4]) == 1
    assert clear_best([0.1, 0.27, 0.23]) is None  # a lottery
    assert clear_best([-3.0, -1.0, -2.0]) == 1
    assert clear_best([1.0]) is None


def test_one_token_has_no_plural() -> None:
    texts = [counted_tokens(n) for n in (1, 2, 1000)]
    assert texts == ["1 token", "2 tokens", "1,000 tokens"]


def test_softmax_of_the_reference_scores() -> None:
    np.testing.assert_allclose(softmax(np.array([112, 96]) / 8), [0.8808, 0.1192], atol=5e-5)
