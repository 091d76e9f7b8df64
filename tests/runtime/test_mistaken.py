"""The engine with a mistake: the right sentence of the batch."""

import gc
import weakref
from dataclasses import replace
from typing import Any

import pytest
import torch

from explorer.mistakes.catalogue import MISTAKES
from explorer.runtime.engine import Engine, forward
from explorer.runtime.memory import MemoryEstimate
from explorer.runtime.mistaken import mistaken_trace, twin
from explorer.text import Batch
from explorer.transformer import Transformer
from explorer.weights.catalogue import Shipped, checkpoint, request

REQUEST = request(Shipped("reverse"))
ENGINE = Engine()


def reverse() -> Transformer:
    found = checkpoint(Shipped("reverse"))
    assert found is not None
    return found.model


def batch() -> Batch:
    found = checkpoint(Shipped("reverse"))
    assert found is not None
    src, tgt = found.task.vocabularies
    words = [["a", "b", "c", "d"], ["x", "y"], ["b", "a"]]
    return Batch.from_words(words, [[*reversed(w)] for w in words], src, tgt)


@pytest.mark.parametrize("mistake", MISTAKES)
@pytest.mark.parametrize("row", [0, 1])
def test_the_trace_is_that_of_the_row_in_its_batch(mistake: str, row: int) -> None:
    made = MISTAKES[mistake]
    found = mistaken_trace(ENGINE, REQUEST, made, batch(), row)
    whole = forward(made.made(reverse()), batch())
    torch.testing.assert_close(found.logits[0], whole.logits[row], rtol=1e-4, atol=1e-4)
    for kind in ("encoder", "decoder", "cross"):
        mine, all_rows = (t.attention(kind, 1) for t in (found, whole))
        assert len(mine.weights) == 1
        torch.testing.assert_close(mine.weights[0], all_rows.weights[row], rtol=1e-4, atol=1e-4)
    again = mistaken_trace(ENGINE, REQUEST, made, batch(), row)
    assert torch.equal(again.logits, found.logits)


def test_another_mistake_or_another_row_is_another_trace() -> None:
    traces = [
        mistaken_trace(ENGINE, REQUEST, MISTAKES[name], batch(), row).logits
        for name in ("columns", "sequence_first") for row in (0, 1)
    ]  # fmt: skip
    for n, one in enumerate(traces):
        assert not any(torch.equal(one, other) for other in traces[n + 1 :])


def test_dropout_is_as_it_is_seeded() -> None:
    asked = replace(REQUEST, config=replace(REQUEST.config, dropout=0.3))
    made = MISTAKES["dropout_after_norm"]
    one, again, other = (
        mistaken_trace(ENGINE, asked, made, batch(), 0, dropout_seed=seed).logits
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
