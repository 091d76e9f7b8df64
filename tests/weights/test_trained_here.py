"""Weights trained here are found by a token that nobody can guess."""

import pytest

from explorer.weights import trained_here
from explorer.weights.checkpoints import Checkpoint, load, shipped


@pytest.fixture(scope="module")
def quotes() -> Checkpoint:
    return load(shipped("quotes"))


def test_every_visitor_gets_a_token_of_their_own(quotes: Checkpoint) -> None:
    tokens = [trained_here.keep(quotes) for _ in range(20)]
    assert len(set(tokens)) == 20
    assert min(map(len, tokens)) >= 12  # 9 random bytes
    for token in tokens:
        trained_here.drop(token)
