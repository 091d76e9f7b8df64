"""Heads switched off over many sentences."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from explorer.analysis.causes.need import HeadNeed, heads_needed
from explorer.analysis.what_if import AttentionChange, changed
from explorer.text import Batch
from explorer.transformer import Transformer
from tests.analysis.causes.sentences import sentence

SOURCES, TARGETS = ["4 5 6", "7 8 9 4", "5 5"], ["1 3 4", "1 6 7 5", "1 2 8"]


def batch_of(model: Transformer, rows: slice = slice(None)) -> Batch:
    config = model.config
    count = len(SOURCES[rows])
    batch = Batch.from_ids(
        SOURCES[rows] if config.has_encoder else [""] * count,
        TARGETS[rows] if config.has_decoder else [""] * count,
        vocab_size=11,
    )
    if config.has_decoder:
        return batch
    tgt, words = batch.tgt[:, :0], batch.tgt_words[:, :0]  # as a pretrained encoder reads
    return replace(batch, tgt=tgt, tgt_in=tgt, tgt_words=words, tgt_labels=((),) * count)


def needed(model: Transformer, *batches: Batch) -> HeadNeed:
    *_, (done, found) = heads_needed(model, batches)
    assert done == 1.0
    assert found is not None
    return found


@pytest.mark.parametrize("variant", ["the paper", "T5", "a decoder alone", "masked words"])
@torch.no_grad()
def test_against_one_head_after_the_other(variant: str) -> None:
    """Each sentence alone, by a model that computes without the head."""
    model = sentence(variant).model
    found = needed(model, batch_of(model))
    assert tuple(found) == model.config.attention_kinds
    log_p = []
    changes: dict[Any, list[float]] = {}
    for row in range(3):
        batch = batch_of(model, slice(row, row + 1))
        inputs = (
            batch.src if model.config.has_encoder else None,
            batch.tgt_in if model.config.has_decoder else None,
        )
        before = model(*inputs).logits[0].log_softmax(-1)
        best = before.argmax(-1)
        log_p.append(len(best))
        for kind in found:
            for layer, head in np.ndindex(found[kind].shape):
                without = changed(model, kind, layer, AttentionChange(without_head=head))
                after = without(*inputs).logits[0].log_softmax(-1)
                at = torch.arange(len(best))
                change = (after - before)[at, best].sum()
                changes.setdefault((kind, layer, head), []).append(float(change))
    assert found.words == sum(log_p)
    assert found.sentences == 3
    for (kind, layer, head), some in changes.items():
        assert found[kind][layer, head] == pytest.approx(sum(some) / found.words, abs=1e-9)
    assert max(np.abs(found[kind]).max() for kind in found) > 1e-3


def test_several_batches_give_the_same_as_one() -> None:
    model = sentence().model
    whole = needed(model, batch_of(model))
    parts = needed(model, *(batch_of(model, slice(row, row + 1)) for row in range(3)))
    for kind in whole:
        assert parts[kind] == pytest.approx(whole[kind], abs=1e-9)
        assert parts.errors[kind] == pytest.approx(whole.errors[kind], abs=1e-9)
        assert whole[kind].shape == whole.errors[kind].shape == (2, 3)


def test_the_error_is_that_of_a_mean_over_equal_sentences() -> None:
    """Of sentences of as many words, it is the standard error of the mean of their means."""
    model = sentence().model
    batches = [Batch.from_ids([source], ["1 3 4"], vocab_size=11) for source in SOURCES]
    each = [needed(model, batch)["cross"] for batch in batches]
    expected = np.std(each, axis=0, ddof=1) / np.sqrt(3)
    assert needed(model, *batches).errors["cross"] == pytest.approx(expected, abs=1e-12)
    assert expected.max() > 0


@torch.no_grad()
def test_pad_does_not_count() -> None:
    model = sentence().model
    short = Batch.from_ids(SOURCES[:1], TARGETS[:1], vocab_size=11)
    padded = Batch.from_ids(SOURCES[:1], TARGETS[:1], vocab_size=11, length=7)
    one, other = (needed(model, batch) for batch in (short, padded))
    assert one.words == other.words == 3
    for kind in one:
        assert one[kind] == pytest.approx(other[kind], abs=1e-9)


def test_progress_is_reported() -> None:
    model = sentence().model
    steps = heads_needed(model, [batch_of(model, slice(0, 1)), batch_of(model, slice(1, 3))])
    shares = [done for done, found in steps if found is None]
    assert shares == pytest.approx(np.arange(1, 13) / 12)


def test_impossible_questions_are_refused() -> None:
    model = sentence().model
    with pytest.raises(ValueError, match="sentences are needed"):
        next(heads_needed(model, []))
    silent = sentence("an encoder alone").model
    with pytest.raises(ValueError, match="predicts no words"):
        next(heads_needed(silent, [batch_of(silent)]))
