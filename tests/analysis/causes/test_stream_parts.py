"""The stream as a sum: before every attention and at the end, it equals the stream of the run."""

import pytest
import torch
from hypothesis import given

from explorer.analysis.causes.stream_parts import Part, StreamParts, entering, leaving
from explorer.intervention import Stack
from explorer.languages import speak
from tests.analysis.causes.sentences import Asked, asked, sentence


@given(asked())
def test_the_parts_sum_to_the_stream(about: Asked) -> None:
    seen, at = about.sentence(), about.question().position
    trace, config = seen.trace, seen.model.config
    for kind in config.attention_kinds:
        queries = trace.src_embedding if kind == "encoder" else trace.tgt_embedding
        position = at % queries.out.shape[1]
        for layer in range(config.layers_of(kind)):
            whole = entering(seen, (kind, layer), position).whole
            run, _ = trace.attention_inputs(kind, layer)
            torch.testing.assert_close(whole, run[0, position], rtol=1e-6, atol=1e-9)
    if config.has_encoder:
        end = leaving(seen, "encoder", 0).whole
        torch.testing.assert_close(end, trace.memory[0, 0], rtol=1e-6, atol=1e-9)


def test_the_input_of_the_first_attention_is_the_embedding() -> None:
    seen = sentence()
    made = entering(seen, ("decoder", 0), 2)
    assert made.parts == (Part("biases"), Part("embedding"), Part("position"))
    assert not made.rows[0].any()
    assert torch.equal(made.rows[1], seen.trace.tgt_embedding.scaled[0, 2])
    assert torch.equal(made.rows[2], seen.trace.tgt_embedding.position[2])


def test_a_frozen_norm_scales_all_parts_alike() -> None:
    rows = torch.tensor([[0.0, 0.0], [3.0, 1.0], [5.0, -1.0]], dtype=torch.float64)
    parts = StreamParts((Part("biases"), Part("embedding"), Part("position")), rows)
    norm = torch.nn.LayerNorm(2, eps=0.0).double()
    with torch.no_grad():
        norm.weight[:], norm.bias[:] = torch.tensor([2.0, 3.0]), torch.tensor([0.5, 0.25])
    # The whole is (8, 0): its mean 4, its deviation 4.
    expected = [[0.5, 0.25], [2 * 1 / 4, 3 * -1 / 4], [2 * 3 / 4, 3 * -3 / 4]]
    assert parts.normed(norm).rows.tolist() == expected
    root = torch.nn.RMSNorm(2, eps=0.0).double()
    scaled = parts.normed(root).rows / 32**-0.5  # √((8² + 0²) / 2)
    torch.testing.assert_close(scaled, rows)


def test_names_in_another_language() -> None:
    part = Part("head", "cross", 0, 1)
    assert part.name == "Cross, layer 1, head 2"
    speak("de")
    assert part.name == "Cross, Schicht 1, Kopf 2"
    assert Part("biases").name != "biases"


@pytest.mark.parametrize("stack", ["encoder", "decoder"])
def test_no_gradient_is_kept(stack: Stack) -> None:
    seen = sentence("T5")
    assert not leaving(seen, stack, 0).rows.requires_grad
