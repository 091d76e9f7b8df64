"""The engine with a mistake: the right sentence of the batch."""

import gc
import weakref
from dataclasses import replace
from typing import Any

import pytest
import torch

from explorer.forward import forward
from explorer.mistakes.catalogue import MISTAKES
from explorer.runtime.engine import Engine
from explorer.runtime.memory import MemoryEstimate
from explorer.runtime.mistaken import mistaken_trace, twin
from explorer.text import Batch
from explorer.transformer import Transformer
from explorer.weights.catalogue import Shipped, checkpoint, request

REQUEST = request(Shipped("reverse"))
ENGINE = Engine()


def reverse() -> Transformer:
    trained = checkpoint(Shipped("reverse"))
    assert trained is not None
    return trained.model


def batch() -> Batch:
    trained = checkpoint(Shipped("reverse"))
    assert trained is not None
    src, tgt = trained.task.vocabularies
    words = [["a", "b", "c", "d"], ["x", "y"], ["b", "a"]]
    return Batch.from_words(words, [[*reversed(w)] for w in words], src, tgt)


@pytest.mark.parametrize(("name", "row"), [(name, n % 2) for n, name in enumerate(MISTAKES)])
def test_the_trace_is_that_of_the_row_in_its_batch(name: str, row: int) -> None:
    mistake = MISTAKES[name]
    trace = mistaken_trace(ENGINE, REQUEST, mistake, batch(), row)
    whole = forward(mistake.applied_to(reverse()), batch())
    torch.testing.assert_close(trace.logits[0], whole.logits[row], rtol=1e-4, atol=1e-4)
    for kind in ("encoder", "decoder", "cross"):
        mine, all_rows = (t.attention(kind, 1) for t in (trace, whole))
        assert len(mine.weights) == 1
        torch.testing.assert_close(mine.weights[0], all_rows.weights[row], rtol=1e-4, atol=1e-4)
    again = mistaken_trace(ENGINE, REQUEST, mistake, batch(), row)
    assert torch.equal(again.logits, trace.logits)


def test_another_mistake_or_another_row_is_another_trace() -> None:
    traces = [
        mistaken_trace(ENGINE, REQUEST, MISTAKES[name], batch(), row).logits
        for name in ("columns", "sequence_first") for row in (0, 1)
    ]  # fmt: skip
    for n, one in enumerate(traces):
        assert not any(torch.equal(one, other) for other in traces[n + 1 :])


def test_dropout_follows_its_seed() -> None:
    request_with_dropout = replace(REQUEST, config=replace(REQUEST.config, dropout=0.3))
    mistake = MISTAKES["dropout_after_norm"]
    one, again, other = (
        mistaken_trace(ENGINE, request_with_dropout, mistake, batch(), 0, dropout_seed=seed).logits
        for seed in (1, 1, 2)
    )
    assert torch.equal(one, again)
    assert not torch.allclose(one, other)


def test_a_model_that_is_gone_takes_its_mistaken_twins_along() -> None:
    own = Engine()
    mistaken_trace(own, REQUEST, MISTAKES["base_1000"], batch(), 0)
    model: Any = weakref.ref(
        own.use(
            REQUEST, MemoryEstimate(model=0, trace=0, encoded=0), lambda loaded, key: loaded.model
        )
    )
    made = weakref.ref(twin(model(), MISTAKES["base_1000"]))
    assert made() is twin(model(), MISTAKES["base_1000"])
    own.give_up_memory()
    gc.collect()
    assert model() is None
    assert made() is None
