"""The shipped numbers of needed heads were measured on the shipped weights."""

import numpy as np
import pytest

from explorer.notebook.heads_needed import need
from explorer.weights.catalogue import SHIPPED_NAMES
from explorer.weights.loaded import load
from explorer.weights.needed import need_in_steps, shipped_need

AGAIN = "measure again: python -m tests.weights.measuring"


@pytest.mark.parametrize("name", SHIPPED_NAMES)
def test_it_was_measured_on_these_weights(name: str) -> None:
    found = shipped_need(name)
    assert found is not None, AGAIN
    config = load(name).config
    for kind in config.attention_kinds:
        shape = (config.layers_of(kind), config.n_heads)
        for grid in (found[kind], found.errors[kind]):
            assert grid.shape == shape
            assert np.isfinite(grid).all()
    assert max(np.abs(grid).max() for grid in found.values()) > 0


def test_step_by_step_the_result_is_the_same() -> None:
    sentences = ["one two three", "four five"]
    steps = list(need_in_steps(load("reverse"), sentences))
    shares = [share for share, _ in steps]
    assert shares == sorted(shares)
    assert all(found is None for _, found in steps[:-1])
    share, found = steps[-1]
    assert share == 1.0
    assert found is not None
    whole = need("reverse", sentences)
    for kind in found:
        np.testing.assert_array_equal(found[kind], whole[kind])
