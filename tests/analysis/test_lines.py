"""The lines of a stack: only large means over heads, and not too many."""

import numpy as np
import pytest
import torch

from explorer.analysis.lines import MIN_WEIGHT, lines
from explorer.config import ModelConfig
from explorer.names import PaddingSide
from explorer.text import Batch
from explorer.transformer import Transformer, TransformerTrace
from tests.properties.strategies import perturbed

SOURCES, TARGETS = ["the dog sleeps", "she has seen the old cat"], ["der Hund", "sie sah die alte"]


def traced(batch: Batch) -> TransformerTrace:
    """The first pair of a batch, read by a small model."""
    config = ModelConfig(d_model=16, n_heads=2, n_encoder_layers=2, n_decoder_layers=1, d_ff=8,
                         src_vocab_size=batch.src_vocab.size,
                         tgt_vocab_size=batch.tgt_vocab.size)  # fmt: skip
    with torch.no_grad():
        trace: TransformerTrace = perturbed(Transformer(config))(batch.src[:1], batch.tgt_in[:1])
    return trace


@pytest.mark.parametrize("side", ["left", "right"])
def test_words_are_counted_without_pad(side: PaddingSide) -> None:
    batch = Batch.from_text(SOURCES, TARGETS, side=side)
    trace = traced(batch)
    found = lines(trace, "encoder", batch.src_labels[0])
    assert found.words == ("the", "dog", "sleeps")
    assert lines(trace, "encoder", batch.src_labels[0], 2).words == ("the", "dog")
    first = 3 if side == "left" else 0
    for layer in (0, 1):
        means = trace.attention("encoder", layer).weights[0].mean(dim=0).numpy()
        means = means[first : first + 3, first : first + 3]
        of_layer = found.places[:, 0] == layer
        drawn = {tuple(place): weight for place, weight in zip(
            found.places[of_layer, 1:].tolist(), found.weights[of_layer].tolist(), strict=True
        )}  # fmt: skip
        expected = {(q, k): means[q, k] for q, k in np.argwhere(means >= MIN_WEIGHT).tolist()}
        assert drawn == pytest.approx(expected)


def test_only_the_strongest_lines_are_drawn_if_there_are_too_many(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    batch = Batch.from_text(SOURCES[1:], TARGETS[1:])
    trace = traced(batch)
    usual = lines(trace, "encoder", batch.src_labels[0])
    monkeypatch.setattr("explorer.analysis.lines.MAX_LINES", 10)
    fewer = lines(trace, "encoder", batch.src_labels[0])
    strongest = np.sort(usual.weights)[::-1]
    assert len(strongest) > 11  # otherwise there would be nothing to leave out
    np.testing.assert_array_equal(np.sort(fewer.weights)[::-1], strongest[:10])
