"""The sentences of the grammar, by rules of German."""

import random
import re

from training.grammar.sentences import random_pairs

MANY = random_pairs(random.Random(1), 4000)


def test_the_same_seed_draws_the_same_pairs() -> None:
    assert random_pairs(random.Random(1), 50) == random_pairs(random.Random(1), 50)
    assert random_pairs(random.Random(2), 50) != random_pairs(random.Random(1), 50)


def test_they_are_written_as_sentences() -> None:
    for pair in MANY:
        assert "  " not in pair.source + pair.target
        assert not re.search(r" [.?,]|\.\.", pair.source + pair.target)
        assert pair.source.endswith("?") == pair.target.endswith("?"), pair


def test_few_are_alike() -> None:
    assert len(set(MANY)) > 0.9 * len(MANY)


def test_no_indefinite_object_is_negated_by_nicht() -> None:
    for pair in MANY:
        assert not re.search(r"\beinen ([a-zäöüß]+ )?[A-ZÄÖÜ]\w+ nicht\b", pair.target), pair
