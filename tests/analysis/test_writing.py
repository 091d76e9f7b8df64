"""The steps in which an answer is written: weights, probabilities, and the most telling step."""

import numpy as np
import pytest
import torch

from explorer.analysis.attention import Attention
from explorer.analysis.writing import RIVALS, Writing, WritingStep, writing
from explorer.config import ModelConfig
from explorer.text import Batch
from explorer.transformer import Transformer
from tests.analysis.test_head_roles import attention
from tests.properties.strategies import perturbed

SOURCES, TARGETS = ["the dog sleeps", "she has seen the old cat"], ["der Hund", "sie sah die alte"]


@pytest.fixture(scope="module")
def batch() -> Batch:
    return Batch.from_text(SOURCES, TARGETS)


def written(batch: Batch, head: int | None) -> tuple[Writing, np.ndarray, np.ndarray]:
    """The first pair, which is padded, with its cross-attention and its probabilities."""
    config = ModelConfig(d_model=16, n_heads=2, n_encoder_layers=1, n_decoder_layers=2, d_ff=8,
                         src_vocab_size=batch.src_vocab.size,
                         tgt_vocab_size=batch.tgt_vocab.size)  # fmt: skip
    model = perturbed(Transformer(config))
    with torch.no_grad():
        trace = model(batch.src[:1], batch.tgt_in[:1])
    assert batch.tgt_out is not None
    found = writing(
        Attention.of(trace, batch, 0, "cross", 1),
        trace.logits[0],
        dict(enumerate(batch.tgt_out[0, :3].tolist())),
        head,
    )
    logits = trace.logits[0].double().numpy()
    shares = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    return found, trace.attention("cross", 1).weights[0].numpy(), shares


@pytest.mark.parametrize("head", [None, 0, 1])
def test_every_step_equals_the_trace(batch: Batch, head: int | None) -> None:
    found, weights, shares = written(batch, head)
    assert found.keys == ("the", "dog", "sleeps")  # without PAD
    reads = [(step.reads, step.writes, step.position) for step in found.steps]
    assert reads == [("BOS", "der", 0), ("der", "Hund", 1), ("Hund", "EOS", 2)]
    expected = weights.mean(axis=0) if head is None else weights[head]
    assert batch.tgt_out is not None
    for at, step in enumerate(found.steps):
        np.testing.assert_allclose(step.looks, expected[at, :3], atol=1e-6)
        np.testing.assert_allclose(step.probability, shares[at, batch.tgt_out[0, at]], atol=1e-6)
        best = np.argsort(-shares[at])[:RIVALS]
        if batch.tgt_out[0, at] not in best:
            best[-1] = batch.tgt_out[0, at]
        assert [name for name, _ in step.rivals] == best.tolist()
        np.testing.assert_allclose([share for _, share in step.rivals], shares[at][best], atol=1e-6)
        np.testing.assert_allclose(step.rest, np.delete(shares[at], best).sum(), atol=1e-6)


def step(writes: str, looks: list[float]) -> WritingStep:
    return WritingStep(
        reads="x",
        writes=writes,
        position=0,
        row=0,
        probability=1.0,
        looks=np.array(looks, float),
        rivals=(),
    )


@pytest.mark.parametrize(
    ("steps", "telling"),
    [
        # The verb attends to an earlier word; EOS to a still earlier one, but it writes no word.
        ([step("er", [1, 0, 0]), step("gegessen", [0.9, 0.1, 0]), step("EOS", [1, 0, 0])], 1),
        ([step("gesehen", [0, 0, 1]), step("gegessen", [0, 1, 0]), step("EOS", [0, 0, 1])], 0),
        ([step("a", [0, 0, 1]), step("Haus", [0.2, 0, 0.8]), step("EOS", [0, 0, 1])], 1),
        # Five steps, three keys: each is counted in shares of its own sentence.
        ([step("gehen", looks) for looks in ([0.0, 1, 0], [1.0, 0, 0], [0.0, 1, 0], [0.0, 1, 0])]
         + [step("EOS", [0, 0, 1])], 0),
        ([step("EOS", [1, 0, 0])], 0),
        ([step("wort", []), step("EOS", [])], 0),
    ],
)  # fmt: skip
def test_the_telling_step(steps: list[WritingStep], telling: int) -> None:
    assert (
        Writing(keys=("a", "b", "c"), key_positions=(0, 1, 2), steps=tuple(steps)).telling
        == telling
    )


def test_an_encoder_alone_guesses_the_masked_word() -> None:
    words = ["a", "[MASK]", "sleeps"]
    weights = [[[0.1, 0.2, 0.7], [0.3, 0.3, 0.4], [0.9, 0.1, 0.0]]]
    seen = attention(weights, words, words)
    logits = torch.tensor([[0.0, 1.0], [2.0, 1.0], [0.0, 0.0]])
    found = writing(seen, logits, dict.fromkeys(range(3)), None)
    assert found.telling == found.end == 1
    assert np.isnan([step.probability for step in found.steps]).all()
    (first, share), (second, rest) = found.steps[1].rivals
    assert (first, second) == (0, 1)
    assert share == pytest.approx(1 / (1 + np.exp(-1)))
    assert share + rest == pytest.approx(1)
    assert found.steps[1].rest == 0  # there are no others
    without = writing(seen, torch.zeros(3, 0), dict.fromkeys(range(3)), None)
    assert [step.rivals for step in without.steps] == [()] * 3
