"""Beam search against every answer that there is."""

from functools import cache
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.decoding import Hypothesis, beam, greedy, words
from explorer.names import USUAL_IDS
from explorer.transformer import Transformer
from tests.properties.strategies import seeds
from tests.tiny_model import SRC, WORDS, few, forward, tiny


@cache
def log_probability(model: Transformer, ids: tuple[int, ...]) -> float:
    """Of the words from BOS on, PAD and BOS not among the choices."""
    if len(ids) == 1:
        return 0.0
    logits = forward(model, SRC, ids[:-1])
    last = float(logits[ids[-1]] - logits[list(range(2, len(logits)))].logsumexp(0))
    return log_probability(model, ids[:-1]) + last


def grow(model: Transformer, **how: Any) -> list[Hypothesis]:
    """The whole tree, the root included."""
    root = Hypothesis(0, None, USUAL_IDS.bos, 0.0, 0.0, 0, True, False)
    return [root, *(node for grown in beam(model, SRC, **how) for node in grown)]


def penalty(length: int, alpha: float) -> float:
    return float(((5 + length) / 6) ** alpha)


ALPHAS = pytest.mark.parametrize("alpha", [0.0, 0.6])


class TestBeam:
    @few
    @given(seeds)
    def test_a_width_of_one_is_greedy(self, seed: int) -> None:
        model = tiny(seed, pad_bos_bias=2.0)
        nodes = grow(model, width=1, limit=5)
        assert [node.token for node in nodes[1:]] == [
            step.chosen for step in greedy(model, SRC, limit=5)
        ]

    @ALPHAS
    @few
    @given(seed=seeds, eos=st.floats(-4.0, 1.0))
    def test_a_wide_beam_finds_the_best_of_all_answers(
        self, alpha: float, seed: int, eos: float
    ) -> None:
        model, limit = tiny(seed, eos_bias=eos, pad_bos_bias=1.0), 3
        scores = {
            (USUAL_IDS.bos, *ids, USUAL_IDS.eos): log_probability(
                model, (USUAL_IDS.bos, *ids, USUAL_IDS.eos)
            )
            / penalty(length + 1, alpha)
            for length in range(limit)
            for ids in product(WORDS[1:], repeat=length)
        }
        best = max(scores, key=scores.__getitem__)
        nodes = grow(model, width=64, alpha=alpha, limit=limit)
        ended = {words(nodes, node): node.score for node in nodes if node.kept and node.ended}
        assert ended.keys() == scores.keys()
        assert max(ended, key=ended.__getitem__) == best
        assert ended[best] == pytest.approx(scores[best])
        narrow_tree = grow(model, width=2, alpha=alpha, limit=limit)
        assert all(node.score <= scores[best] + 1e-9 for node in narrow_tree if node.ended)

    @ALPHAS
    @few
    @given(seed=seeds, width=st.integers(1, 5))
    def test_every_score_is_the_log_probability_of_its_words(
        self, alpha: float, seed: int, width: int
    ) -> None:
        model = tiny(seed, pad_bos_bias=2.0)
        nodes = grow(model, width=width, alpha=alpha, limit=3)
        for node in nodes[1:]:
            ids = words(nodes, node)
            assert len(ids) == node.length + 1
            assert node.log_probability == pytest.approx(log_probability(model, ids))
            assert node.score == pytest.approx(node.log_probability / penalty(node.length, alpha))

    @few
    @given(seeds, st.integers(1, 5), st.floats(0, 1.5))
    def test_the_tree_is_one_and_never_wider_than_it_should_be(
        self, seed: int, width: int, alpha: float
    ) -> None:
        model, branches = tiny(seed, eos_bias=1.0), min(width, len(WORDS))
        nodes = [Hypothesis(0, None, USUAL_IDS.bos, 0.0, 0.0, 0, True, False)]
        for length, grown in enumerate(beam(model, SRC, width=width, alpha=alpha, limit=5), 1):
            assert len(grown) == branches
            assert sum(node.kept for node in grown) <= width
            scores = [node.score for node in grown]
            assert scores == sorted(scores, reverse=True)
            assert [node.kept for node in grown] == sorted(
                (node.kept for node in grown), reverse=True
            )  # what is kept is the best
            ended = [node.score for node in nodes if node.kept and node.ended]
            for place, node in enumerate(grown):
                better = place + sum(score > node.score for score in ended)
                assert node.kept == (better < width)
                assert node.parent is not None
                assert node.parent < node.number
                parent = nodes[node.parent]
                assert parent.kept
                assert not parent.ended
                assert node.length == length == parent.length + 1
                assert node.log_probability < parent.log_probability
                assert node.ended == (node.token == USUAL_IDS.eos)
                assert node.token not in (USUAL_IDS.pad, USUAL_IDS.bos)
            nodes += grown
            assert [node.number for node in nodes] == list(range(len(nodes)))
            open_ends = sum(node.kept and not node.ended for node in grown)
            branches = open_ends * min(width, len(WORDS))
        assert length == 5 or not open_ends
