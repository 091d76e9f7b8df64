"""Checks on the first sentence of a trace, with faults put in by hand."""

from dataclasses import replace

import pytest
import torch

from explorer.attention import AttentionTrace, MultiHeadAttention, check_attention
from explorer.masks import target_mask

# Of the first sentence: 000 / 010 / 011.
MASK = target_mask(torch.tensor([[0, 5, 6], [7, 8, 9]]), pad_id=0)


def attended(mask: torch.Tensor | None) -> AttentionTrace:
    x = torch.rand(2, 3, 4, generator=torch.Generator().manual_seed(0))
    return MultiHeadAttention(4, 2)(x, x, mask)


def test_a_correct_trace_passes_all_checks() -> None:
    checks = check_attention(attended(MASK))
    assert checks.row_error < 1e-6
    assert (checks.hidden, checks.empty, checks.leaked) == (6, 1, 0)


def test_without_a_mask_nothing_is_hidden() -> None:
    checks = check_attention(attended(None))
    assert checks.row_error < 1e-6
    assert (checks.hidden, checks.empty, checks.leaked) == (0, 0, 0)


def test_faults_are_found_in_any_head() -> None:
    trace = attended(MASK)
    weights = trace.weights.detach().clone()
    weights[0, 1, 1] = torch.tensor([0.0, 0.75, 0.0])
    weights[0, 1, 2] = torch.tensor([1e-9, 0.5, 0.5])
    weights[1] = 7.0  # another sentence does not matter
    checks = check_attention(replace(trace, weights=weights))
    assert checks.row_error == pytest.approx(0.25)
    assert checks.leaked == 1


def test_nan_is_never_right() -> None:
    trace = attended(MASK)
    broken = replace(trace, weights=torch.full_like(trace.weights, torch.nan))
    assert not check_attention(broken).row_error < 1e-5
