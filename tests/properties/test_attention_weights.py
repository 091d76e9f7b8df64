"""Weights are a distribution over the keys that a query may attend to."""

import torch
from hypothesis import given
from hypothesis import strategies as st

from explorer.attention import AttentionTrace, scaled_dot_product
from explorer.masks import causal_mask, padding_mask, target_mask
from tests.properties.strategies import Case, cases, ids, seeds


def check(trace: AttentionTrace) -> None:
    assert trace.mask is not None
    mask = trace.mask.expand_as(trace.weights)
    assert trace.weights[~mask].eq(0).all()
    assert trace.weights.ge(0).all()
    sees_something = mask.any(dim=-1)
    sums = trace.weights.sum(dim=-1)
    torch.testing.assert_close(sums, sees_something.to(sums))
    assert trace.context[~sees_something].eq(0).all()
    # of two keys that a query sees, the higher score has the higher weight
    seen = trace.scores.masked_fill(~mask, -torch.inf)
    best = trace.weights.gather(-1, seen.argmax(dim=-1, keepdim=True))
    assert best.ge(trace.weights - 1e-6).all()


@given(cases())
def test_in_every_attention_of_a_model(case: Case) -> None:
    trace = case.model(case.src, case.tgt)
    for encoder_layer in trace.encoder:
        check(encoder_layer.attention)
    for decoder_layer in trace.decoder:
        check(decoder_layer.attention)
        check(decoder_layer.cross)
    assert trace.logits.isfinite().all()


@given(seeds, st.integers(1, 4), st.integers(1, 5), st.integers(1, 5), st.data())
def test_any_mask_at_all(
    seed: int, batch: int, queries: int, keys: int, data: st.DataObject
) -> None:
    stream = torch.Generator().manual_seed(seed)
    q = 10 * torch.randn(batch, queries, 3, generator=stream)
    k, v = (torch.randn(batch, keys, 3, generator=stream) for _ in "kv")
    cells = st.lists(st.booleans(), min_size=keys, max_size=keys)
    mask = torch.tensor(data.draw(st.lists(cells, min_size=queries, max_size=queries)))
    attended = scaled_dot_product(q, k, v, mask)
    for b in range(batch):
        for i in range(queries):
            seen = mask[i].nonzero().flatten()
            alone = torch.zeros(keys)
            if len(seen):
                scores = k[b, seen] @ q[b, i] / 3**0.5
                alone[seen] = scores.softmax(dim=0)
            torch.testing.assert_close(attended.weights[b, i], alone)
            torch.testing.assert_close(attended.context[b, i], alone @ v[b])


@given(ids(2, 6, 5, 1), st.integers(0, 4))
def test_the_target_mask_is_both_masks_at_once(tgt: torch.Tensor, pad_id: int) -> None:
    mask = target_mask(tgt, pad_id)
    for row, query, key in torch.cartesian_prod(*(torch.arange(n) for n in (2, 6, 6))).tolist():
        expected = key <= query and int(tgt[row, key]) != pad_id
        assert bool(mask[row, 0, query, key]) == expected
    assert torch.equal(mask, padding_mask(tgt, pad_id) & causal_mask(6))
