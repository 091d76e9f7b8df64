"""The five numbers of a head, for small matrices made by hand."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from explorer.analysis.head_summary import HeadSummary, right_looks, summarise
from explorer.names import AttentionKind
from tests.properties.strategies import Case, cases

FIELDS = ("entropy", "distance", "diagonal", "previous", "frame")


def shown(summary: HeadSummary, head: int = 0) -> dict[str, float]:
    return {field: float(getattr(summary, field)[head]) for field in FIELDS}


def near(**numbers: float) -> object:
    return pytest.approx(numbers, abs=1e-6)


def by_hand(weights: Tensor, is_word: list[bool], is_frame: list[bool]) -> dict[str, float]:
    """One head in plain Python."""
    rows = [
        (i, row) for i, row in enumerate(weights.tolist()) if is_word[i] and any(w > 0 for w in row)
    ]

    def mean(of_row: list[float]) -> float:
        return math.fsum(of_row) / len(rows) if rows else 0.0

    return {
        "entropy": mean([-w * math.log2(w) for _, row in rows for w in row if w > 0]),
        "distance": mean([w * abs(i - j) for i, row in rows for j, w in enumerate(row)]),
        "diagonal": mean([w for i, row in rows for j, w in enumerate(row) if i == j]),
        "previous": mean([w for i, row in rows for j, w in enumerate(row) if j == i - 1]),
        "frame": mean([w for _, row in rows for j, w in enumerate(row) if is_frame[j]]),
    }


@given(cases(), st.sampled_from(["encoder", "decoder", "cross"]), st.data())
def test_the_heads_of_any_model(case: Case, kind: AttentionKind, data: st.DataObject) -> None:
    config, trace = case.model.config, case.model(case.src, case.tgt)
    queries, pad = (
        (case.src, config.src_pad_id) if kind == "encoder" else (case.tgt, config.tgt_pad_id)
    )
    weights = trace.attention(kind, 0).weights[0].detach()
    is_word = (queries[0] != pad).tolist()
    keys = weights.shape[-1]
    is_frame = data.draw(st.lists(st.booleans(), min_size=keys, max_size=keys))
    summary = summarise(weights, torch.tensor(is_word), torch.tensor(is_frame))
    for head, own in enumerate(weights):
        assert shown(summary, head) == near(**by_hand(own, is_word, is_frame))


class TestRightLooks:
    """Each row's largest weight, against the key that should have it."""

    BACK = torch.tensor([[[0.1, 0.2, 0.7], [0.3, 0.4, 0.3], [0.4, 0.35, 0.25]]])

    def test_by_hand(self) -> None:
        assert right_looks(self.BACK, [2, 1, 0]).tolist() == [1.0]
        assert right_looks(self.BACK, [0, 1, 2]).tolist() == pytest.approx([1 / 3])
        assert right_looks(self.BACK, [1, 0, 1]).tolist() == [0.0]

    def test_rows_after_the_wanted_ones_do_not_count(self) -> None:
        assert right_looks(self.BACK, [2]).tolist() == [1.0]
        assert right_looks(self.BACK, [2, 0]).tolist() == [0.5]
