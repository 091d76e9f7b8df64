"""Weights are a distribution over the keys that a query may attend to."""

import torch
from hypothesis import given

from explorer.attention import AttentionTrace
from tests.properties.strategies import Case, cases


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
