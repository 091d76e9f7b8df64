"""The engine with a mistake: the right sentence of the batch, and the answer that is written."""

import gc
import weakref
from dataclasses import replace
from typing import Any

import pytest
import torch

from explorer.decoding import answers
from explorer.mistakes.catalogue import MISTAKES
from explorer.names import USUAL_IDS
from explorer.runtime.engine import Engine, forward
from explorer.runtime.memory import MemoryEstimate
from explorer.runtime.mistaken import _twin, mistaken_answer, mistaken_trace
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


@pytest.mark.parametrize("mistake", ["no_causal", "base_1000", "columns", "sequence_first"])
def test_the_answer_is_the_one_that_the_mistaken_model_writes(mistake: str) -> None:
    made, read = MISTAKES[mistake], batch().src
    model = made.made(reverse())
    whole = answers(model, read, limit=9)
    for row in range(3):
        alone = answers(model, read[row : row + 1], limit=9)[0]
        found = mistaken_answer(ENGINE, REQUEST, made, read, row, specials=USUAL_IDS, limit=9)
        assert found.ids == (whole[row] if made.across else alone)
        assert len(found.probabilities) == len(found.ids)


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_draft_does_not_change_the_answer(mistake: str) -> None:
    made, read = MISTAKES[mistake], batch().src
    asked: Any = {"specials": USUAL_IDS, "limit": 9}
    plain = mistaken_answer(Engine(), REQUEST, made, read, 0, **asked)
    for draft in ((6, 5, 4, 3), (9, 9, 9, 9, 9, 9, 9), (6, 5, 9, 2, 2), plain.ids):
        drafted = mistaken_answer(Engine(), REQUEST, made, read, 0, draft=draft, **asked)
        assert drafted.ids == plain.ids
        assert drafted.probabilities == pytest.approx(plain.probabilities, abs=1e-5)


def test_a_model_that_is_gone_takes_its_mistaken_twins_along() -> None:
    own = Engine()
    mistaken_answer(
        own, REQUEST, MISTAKES["base_1000"], batch().src, 0, specials=USUAL_IDS, limit=3
    )
    model: Any = weakref.ref(
        own.use(
            REQUEST, MemoryEstimate(model=0, trace=0, encoded=0), lambda loaded, key: loaded.model
        )
    )
    twin = weakref.ref(_twin(model(), MISTAKES["base_1000"]))
    assert twin() is _twin(model(), MISTAKES["base_1000"])
    own.give_up_memory()
    gc.collect()
    assert model() is None
    assert twin() is None
