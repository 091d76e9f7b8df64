"""From sentences to the heads that a model needs."""

import doctest

import numpy as np
import pytest

import explorer
from explorer.notebook import heads_needed


def test_the_example_in_the_docstring() -> None:
    results = doctest.testmod(heads_needed)
    assert results.attempted > 0
    assert results.failed == 0


def test_the_order_of_sentences_does_not_matter() -> None:
    sentences = ["one two three", "six", "four two"]
    one, other = (explorer.need("reverse", some) for some in (sentences, sentences[::-1]))
    assert one.words == 9  # with EOS
    assert one.sentences == 3
    for kind in one:
        assert one[kind] == pytest.approx(other[kind], abs=1e-6)


def test_a_pair_is_measured_by_its_target() -> None:
    """An answer that the model would not give: other numbers than for its own."""
    own = explorer.need("reverse", ["one two three"])
    same = explorer.need("reverse", [("one two three", "three two one")])
    other = explorer.need("reverse", [("one two three", "one two three")])
    for kind in own:
        assert same[kind] == pytest.approx(own[kind], abs=1e-6)
    assert np.abs(other["cross"] - own["cross"]).max() > 0.1


def test_without_a_sentence_there_is_nothing_to_measure() -> None:
    with pytest.raises(ValueError, match="sentences are needed"):
        explorer.need("reverse", [])
