"""A GPU computes the same as the CPU. Without a GPU, these tests are skipped."""

import itertools
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

import explorer
from explorer.analysis.what_if import AttentionChange
from explorer.config import ModelConfig
from explorer.export.arrays import trace_arrays
from explorer.notebook.output import Output
from explorer.runtime.engine import Engine
from explorer.runtime.generation import DecodingOptions, answer_to, generate
from explorer.text import Sentences
from explorer.training.translator.corpus import Corpus, Pair
from explorer.training.translator.loss import Dropout, loss_of
from explorer.training.translator.mixture import Mixture
from explorer.training.translator.recipe import Recipe
from explorer.training.translator.training import Training
from explorer.transformer import Transformer
from explorer.weights.catalogue import Shipped
from explorer.weights.catalogue import request as requested

GPU = "cuda:0"
pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="this machine has no GPU")

Seen = explorer.Exploration
PICTURES: dict[str, Callable[[Seen], Output]] = {
    "attention": lambda seen: seen.attention("cross", 0),
    "heads": lambda seen: seen.heads("encoder", 0),
    "masks": lambda seen: seen.masks(),
    "inputs": lambda seen: seen.positions(),
    "steps": lambda seen: seen.steps("softmax"),
    "context": lambda seen: seen.steps("context", form="matrix"),
    "stack": lambda seen: seen.stack(3),
    "greedy": lambda seen: seen.decode(),
    "beam": lambda seen: seen.decode("beam", width=3),
    "words": lambda seen: seen.why("words", 1),
    "parts": lambda seen: seen.why("parts", 1),
    "heads off": lambda seen: seen.why("heads", 1),
    "score": lambda seen: seen.why_score("cross", 0, 1, 1, 1),
}  # fmt: skip


@pytest.fixture(scope="module", params=["translator", "reverse"])
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def on_cpu(name: str) -> Seen:
    sentence = "the cat sleeps on the sofa" if name == "translator" else "three one two"
    return on("cpu", explorer.explore(sentence, model=name), name)


@pytest.fixture(scope="module")
def on_gpu(on_cpu: Seen, name: str) -> Seen:
    found = on(GPU, on_cpu, name)
    assert found.trace.logits.device == torch.device(GPU)
    return found


def on(device: str, seen: Seen, name: str) -> Seen:
    """The same as the app computes it on a device."""
    moved = replace(seen, engine=Engine(), request=requested(Shipped(name), device=device))
    ran = moved.run()
    return replace(moved, model=ran.loaded.model, trace=ran.trace)


def test_a_trace_holds_the_same_numbers(on_cpu: Seen, on_gpu: Seen) -> None:
    wanted, found = (trace_arrays(seen.run().trace) for seen in (on_cpu, on_gpu))
    assert found.keys() == wanted.keys()
    for name, array in found.items():
        np.testing.assert_allclose(array, wanted[name], rtol=1e-3, atol=1e-3, err_msg=name)
    difference = on_gpu.run().difference_to_torch()
    assert difference is not None
    assert difference < 1e-3


def test_a_change_and_the_lens_are_the_same(on_cpu: Seen, on_gpu: Seen) -> None:
    change = AttentionChange(scaled=False, masked=False, without_head=1)
    wanted, found = (seen.run().what_if("decoder", 0, change) for seen in (on_cpu, on_gpu))
    torch.testing.assert_close(found.logits.cpu(), wanted.logits, rtol=1e-3, atol=1e-3)
    lenses = [seen.run().logit_lens() for seen in (on_cpu, on_gpu)]
    assert np.array_equal(lenses[0].best, lenses[1].best)


def test_the_answers_are_the_same(on_cpu: Seen, on_gpu: Seen) -> None:
    alone = on_cpu.batch.sources
    for src in (alone, Sentences(alone.ids.repeat(3, 1), alone.words.repeat(3, 1))):
        words = [
            answer_to(seen.engine, seen.request, src, specials=seen.batch.specials, limit=12)
            for seen in (on_cpu, on_gpu)
        ]
        assert words[0].ids == words[1].ids
        assert words[0].probabilities == pytest.approx(words[1].probabilities, rel=1e-3)
    drawn = DecodingOptions("sampling", seed=3, limit=6)
    sampled = generate(
        on_gpu.engine, on_gpu.request, on_gpu.batch.sources, drawn, specials=on_gpu.batch.specials
    )
    assert sampled.words


@pytest.mark.parametrize("picture", PICTURES)
def test_a_picture_shows_the_same_numbers(picture: str, on_cpu: Seen, on_gpu: Seen) -> None:
    wanted, found = (numbers(PICTURES[picture](seen)) for seen in (on_cpu, on_gpu))
    assert len(wanted) > 10
    np.testing.assert_allclose(found, wanted, rtol=1e-3, atol=2e-3)


def numbers(drawn: Output) -> list[float]:
    """All numbers in the tables of the pictures, the positions and counts among them."""
    cells = [cell for one in drawn.pictures for row in one.rows for cell in row]
    return [float(cell) for cell in cells if isinstance(cell, int | float | np.number)]


def test_the_loss_of_the_training_is_the_same() -> None:
    config = ModelConfig(
        d_model=64, n_heads=8, n_encoder_layers=2, n_decoder_layers=2, d_ff=64, dropout=0.0,
        src_vocab_size=600, tgt_vocab_size=600, norm_first=True, tying="all",
    )  # fmt: skip
    dice = torch.Generator().manual_seed(1)
    src, tgt = (torch.randint(4, 600, (40, width), generator=dice) for width in (9, 11))
    losses = []
    for device in ("cpu", GPU):
        model = Transformer(config, seed=2).to(device)
        loss = loss_of(
            model, src.to(device), tgt.to(device), smoothing=0.1, generator=dice,
            dropout=Dropout(0.0, 0, device), copying=0.1, looking=0.1, agreeing=1.0,
        )  # fmt: skip
        torch.autograd.backward(loss)
        losses.append((loss.item(), model.src_embedding.token.weight.grad))
    assert losses[0][0] == pytest.approx(losses[1][0], rel=1e-2)
    slopes = [slope.cpu().flatten() for _, slope in losses if slope is not None]
    assert torch.cosine_similarity(slopes[0], slopes[1], dim=0) > 0.99


def test_a_training_on_a_gpu_can_be_interrupted(tmp_path: Path) -> None:
    pairs = tuple(Pair(f"{a} {b}", f"{b} {a}") for a in "abcdef" for b in "abcdef")
    corpus, state = Corpus(pairs, pairs[:1]), tmp_path / "kept.state"
    config = ModelConfig(
        d_model=32, n_heads=4, n_encoder_layers=1, n_decoder_layers=1, d_ff=64,
        src_vocab_size=270, tgt_vocab_size=270, norm_first=True, tying="all",
    )  # fmt: skip
    recipe = Recipe(tokens=200, mixture=Mixture(drawn=0.0))
    training = Training(corpus, recipe, config, device=GPU)
    first = [float(loss) for loss in itertools.islice(training.run(), 5)]
    training.save(state)
    again = Training.resumed(state, corpus, recipe, config, device=GPU, workers=1)
    rest = [float(loss) for loss in itertools.islice(again.run(), 40)]
    assert rest[-1] < first[0]
    assert again.translator().model.device == torch.device("cpu")
    assert again.translator().answer(["a b"])
