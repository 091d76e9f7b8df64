"""A GPU computes the same as the CPU. Without a GPU, these tests are skipped."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
import torch

import explorer
from explorer.analysis.what_if import AttentionChange
from explorer.export.arrays import trace_arrays
from explorer.notebook.output import Output
from explorer.runtime.engine import Engine
from explorer.runtime.generation import DecodingOptions, answer_to, generate
from explorer.text import Sentences
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
