"""Scaled dot-product attention worked by hand."""

import re
from collections.abc import Callable
from typing import Any

import pytest
import torch

from explorer.attention import drop, scaled_dot_product
from explorer.masks import causal_mask

KEYS = torch.tensor([[10.0, 0, 0], [0, 10, 0], [0, 0, 10], [0, 0, 10]])
VALUES = torch.tensor([[1.0, 0, 1], [10, 0, 2], [100, 5, 0], [1000, 6, 0]])


def seeded(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


class TestScaledDotProduct:
    def test_scores_are_shown_from_before_the_mask(self) -> None:
        query = torch.tensor([[0.0, 0, 10]])
        hidden = torch.tensor([[True, True, True, False]])
        masked = scaled_dot_product(query, KEYS, VALUES, hidden)
        assert torch.equal(masked.scores, scaled_dot_product(query, KEYS, VALUES).scores)

    def test_a_query_that_may_attend_to_nothing_gets_zeros(self) -> None:
        queries = torch.tensor([[0.0, 10, 0], [0.0, 10, 0]])
        mask = torch.tensor([[False] * 4, [True] * 4])
        attended = scaled_dot_product(queries, KEYS, VALUES, mask)
        assert attended.weights[0].tolist() == [0.0] * 4
        assert attended.context[0].tolist() == [0.0] * 3
        torch.testing.assert_close(attended.context[1], torch.tensor([10.0, 0, 2]))

    def test_a_hidden_key_has_weight_0_however_low_the_other_scores_are(self) -> None:
        query, keys = torch.tensor([[1e6]]), torch.tensor([[-1e6], [0.0]])
        attended = scaled_dot_product(query, keys, torch.eye(2), torch.tensor([[True, False]]))
        torch.testing.assert_close(attended.scores, torch.tensor([[-1e12, 0.0]]))
        assert attended.weights.tolist() == [[1.0, 0.0]]

    def test_half_precision_can_be_masked(self) -> None:
        x = torch.eye(2, dtype=torch.float16)
        attended = scaled_dot_product(x, x, x, causal_mask(2)[0, 0])
        assert attended.weights[0].tolist() == [1.0, 0.0]

    def test_huge_scores_do_not_overflow(self) -> None:
        attended = scaled_dot_product(1e4 * KEYS, 1e4 * KEYS, VALUES)
        torch.testing.assert_close(attended.context[:2], VALUES[:2])


class TestDropout:
    def test_kept_elements_are_scaled_up(self) -> None:
        x = torch.full((10_000,), 3.0)
        dropped = drop(x, 0.25, seeded(0))
        assert sorted(dropped.unique().tolist()) == pytest.approx([0.0, 4.0])
        assert (dropped == 0).float().mean().item() == pytest.approx(0.25, abs=0.02)

    def test_weights_are_shown_from_before_the_dropout(self) -> None:
        """With v the identity, the context is the weights as they were used."""
        x = torch.rand(6, 4, generator=seeded(3))
        attended = scaled_dot_product(x, x, torch.eye(6), dropout=0.5, generator=seeded(4))
        torch.testing.assert_close(attended.weights.sum(dim=-1), torch.ones(6))
        zeroed = attended.context == 0
        assert 0 < int(zeroed.sum()) < 36
        doubled = (2 * attended.weights).masked_fill(zeroed, 0.0)
        torch.testing.assert_close(attended.context, doubled)


WIDE, HIGH = ((2, 3), (2, 4), (2, 4)), ((3, 2, 3), (3, 4, 3), (3, 4, 3))


@pytest.mark.parametrize(
    ("shapes", "mask", "said"),
    [
        (WIDE, None, "same width d_k, got q (2, 3) and k (2, 4)"),
        (((2, 3), (5, 3), (4, 3)), None, "every key needs one value, got k (5, 3) and v"),
        (((2, 3),) * 3, torch.zeros(2, 2), "boolean, True = may attend, got torch.float32"),
        *(
            (HIGH, torch.ones(shape, dtype=torch.bool), "must broadcast to (…, query, key)")
            for shape in ((2, 3), (5,), (1, 4, 4), (7, 1, 2, 4))
        ),
    ],
)
def test_what_does_not_fit_is_named(
    shapes: tuple[tuple[int, ...], ...],
    mask: torch.Tensor | None,
    said: str,
    unchecked: Callable[[Any], Any],
) -> None:
    with pytest.raises(ValueError, match=re.escape(said)):
        unchecked(scaled_dot_product)(*map(torch.rand, shapes), mask)
