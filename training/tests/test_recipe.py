"""The recipe's learning rate, and the size of the translator's shape."""

import pytest

from training.recipe import CONFIG, Recipe

RECIPE = Recipe(lr=1e-2, warmup=20)


def test_the_rate_rises_and_falls_to_nothing() -> None:
    assert RECIPE.lr_at(1, 0.0) == pytest.approx(RECIPE.lr / 20)
    assert RECIPE.lr_at(20, 0.0) == RECIPE.lr
    assert RECIPE.lr_at(500, 0.5) == pytest.approx(RECIPE.lr / 2)
    assert RECIPE.lr_at(900, 1.0) == 0.0


def test_the_file_will_be_small_enough() -> None:
    assert 2 * CONFIG.n_weights < 19.5e6  # bytes in half precision; the subwords take 0.3 MB
