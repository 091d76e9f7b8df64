"""Masks against hand-written ones; 1 = may attend."""

import math
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

from explorer import masks
from explorer.masks import (
    additive,
    causal_mask,
    cross_reasons,
    padding_mask,
    target_mask,
    why_hidden,
)

# A published toy batch with PAD = 1: at the end, in the middle and at the start.
TOY = torch.tensor(
    [
        [2, 3, 4, 5, 6, 7, 8, 9],
        [2, 7, 7, 4, 2, 4, 3, 4],
        [3, 6, 8, 5, 2, 1, 3, 4],
        [4, 7, 9, 6, 3, 1, 7, 1],
        [5, 7, 2, 7, 3, 1, 8, 1],
        [1, 6, 2, 8, 4, 1, 8, 1],
        [1, 1, 1, 1, 5, 1, 9, 1],
        [1, 1, 1, 1, 5, 1, 1, 1],
    ]
)


def cells(mask: Tensor) -> list[str]:
    """A (query, key) mask as one string a row."""
    return ["".join(str(int(cell)) for cell in row) for row in mask]


def test_causal_mask() -> None:
    assert causal_mask(1).tolist() == [[[[True]]]]
    assert causal_mask(4).shape == (1, 1, 4, 4)
    assert cells(causal_mask(4)[0, 0]) == ["1000", "1100", "1110", "1111"]


def test_additive_mask_laid_over_the_numbers_to_99() -> None:
    masked = torch.arange(100.0).view(10, 10) + additive(causal_mask(10)[0, 0])
    for query in range(10):
        for key in range(10):
            expected = 10.0 * query + key if key <= query else -math.inf
            assert masked[query, key] == expected


def test_the_two_masks_that_make_up_the_target_mask() -> None:
    padding, causal = why_hidden(torch.tensor([[4, 9, 5], [9, 9, 6]]), pad_id=9)
    p, f = masks.KEY_IS_PAD, masks.FUTURE
    assert padding.tolist() == [[[0, p, 0]] * 3, [[p, p, 0]] * 3]
    assert causal.tolist() == [[[0, f, f], [0, 0, f], [0, 0, 0]]] * 2


def test_cross_reasons_hide_pad_keys_from_every_query() -> None:
    reasons = cross_reasons(torch.tensor([[4, 0, 5], [0, 6, 0]]), n_queries=2, pad_id=0)
    pad = masks.KEY_IS_PAD
    assert reasons.tolist() == [[[0, pad, 0], [0, pad, 0]], [[pad, 0, pad], [pad, 0, pad]]]


@pytest.mark.parametrize("make", [padding_mask, target_mask])
@pytest.mark.parametrize("shape", [(4,), (1, 2, 4)])
def test_ids_without_a_batch_are_refused(
    make: Callable[..., Tensor], shape: tuple[int, ...], unchecked: Callable[[Any], Any]
) -> None:
    with pytest.raises(ValueError, match=r"shape \(batch, length\), got .*ids\[None\]") as error:
        unchecked(make)(torch.ones(shape, dtype=torch.long), 0)
    assert str(shape) in str(error.value)
