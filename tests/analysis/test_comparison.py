"""What a change of one attention does, in numbers."""

import pytest
import torch

from explorer.analysis.comparison import difference
from explorer.analysis.what_if import AttentionChange, changed
from explorer.runtime.engine import forward
from explorer.text import Batch
from tests.analysis.test_attention import MODEL

# Two words and BOS; then EOS, which asks for nothing.
BATCH = Batch.from_text(["the cat sat", "a"], ["die Katze", "x y z"])
SRC, TGT = [True, True, True], [True, True, True, False]


def test_two_equal_runs() -> None:
    trace = forward(MODEL, BATCH, row=0)
    same = difference(trace, trace, "cross", 1, SRC, TGT)
    assert same is not None
    assert (same.output, same.logits, same.next_words) == (0.0, 0.0, 0)
    assert (same.n_tokens, same.n_positions) == (3, 3)


def test_by_hand_over_words_alone() -> None:
    before = forward(MODEL, BATCH, row=0)
    twin = changed(MODEL, "encoder", 0, AttentionChange(without_head=1))
    after = forward(twin, BATCH, row=0)
    found = difference(before, after, "encoder", 0, SRC, TGT)
    assert found is not None
    old, new = (trace.attention("encoder", 0).out[0] for trace in (before, after))
    moved = [float(torch.dist(new[n], old[n]) / old[n].norm()) for n in range(3)]
    assert found.output == pytest.approx(sum(moved) / 3, rel=1e-5)
    gaps = (after.logits - before.logits)[0, :3].abs()  # the fourth position is not counted
    assert found.logits == pytest.approx(float(gaps.max()))
    assert found.next_words == sum(
        int(after.logits[0, n].argmax() != before.logits[0, n].argmax()) for n in range(3)
    )


def test_nothing_but_pad() -> None:
    trace = forward(MODEL, BATCH, row=0)
    assert difference(trace, trace, "decoder", 0, SRC, [False] * 4) is None
