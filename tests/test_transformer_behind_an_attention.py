"""The module and the inputs behind an attention of the whole model, found by kind and layer."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import torch
from torch import Tensor

from explorer.names import AttentionKind
from explorer.transformer import Transformer
from tests.small_model import CONFIG, SRC, TGT


@pytest.fixture(scope="module")
def model() -> Transformer:
    return Transformer(CONFIG)


KINDS: tuple[AttentionKind, ...] = ("encoder", "decoder", "cross")


class TestBehindAnAttention:
    """Its module and its inputs, named by kind and layer as its trace is."""

    def test_the_module(self, model: Transformer) -> None:
        for layer in range(3):
            assert model.attention("encoder", layer) is model.encoder[layer].attention
        for layer in range(2):
            assert model.attention("decoder", layer) is model.decoder[layer].attention
            assert model.attention("cross", layer) is model.decoder[layer].cross

    def test_the_inputs_with_post_norm_are_what_the_sublayer_before_left(
        self, model: Transformer
    ) -> None:
        trace = model(SRC, TGT)
        below = [trace.src_embedding.out, trace.encoder[0].out, trace.encoder[1].out]
        for layer, x in enumerate(below):
            for given in trace.attention_inputs("encoder", layer):
                assert torch.equal(given, x)
        for layer, x in enumerate([trace.tgt_embedding.out, trace.decoder[0].out]):
            for given in trace.attention_inputs("decoder", layer):
                assert torch.equal(given, x)
            query, memory = trace.attention_inputs("cross", layer)
            assert torch.equal(query, trace.decoder[layer].attention_residual.out)
            assert torch.equal(memory, trace.memory)

    def test_the_inputs_with_pre_norm_are_normalised(self) -> None:
        """Memory once, at the encoder's end; all else at the sub-layer's door."""
        trace = Transformer(replace(CONFIG, norm_first=True))(SRC, TGT)

        def norm(x: Tensor) -> Tensor:
            centred = x - x.mean(dim=-1, keepdim=True)
            return centred / (centred.square().mean(dim=-1, keepdim=True) + 1e-5).sqrt()

        for kind, layer, x in (
            ("encoder", 0, trace.src_embedding.out),
            ("encoder", 2, trace.encoder[1].out),
            ("decoder", 0, trace.tgt_embedding.out),
            ("decoder", 1, trace.decoder[0].out),
        ):
            for given in trace.attention_inputs(kind, layer):
                torch.testing.assert_close(given, norm(x))
        for layer in range(2):
            query, memory = trace.attention_inputs("cross", layer)
            torch.testing.assert_close(query, norm(trace.decoder[layer].attention_residual.out))
            torch.testing.assert_close(memory, norm(trace.encoder[-1].out))

    @pytest.mark.parametrize("kind", KINDS)
    @pytest.mark.parametrize("norm_first", [False, True], ids=["post-norm", "pre-norm"])
    def test_module_and_inputs_make_the_trace_again(
        self, kind: AttentionKind, norm_first: bool
    ) -> None:
        model = Transformer(replace(CONFIG, norm_first=norm_first))
        trace = model(SRC, TGT)
        for layer in range(2):
            attention = model.attention(kind, layer)
            query, memory = trace.attention_inputs(kind, layer)
            expected = trace.attention(kind, layer)
            for number, (x, own) in enumerate(
                ((query, expected.q), (memory, expected.k), (memory, expected.v))
            ):
                rows = slice(8 * number, 8 * number + 8)  # its biases are still 0
                heads = (x @ attention.w_qkv.weight[rows].T).unflatten(-1, (2, 4)).transpose(1, 2)
                torch.testing.assert_close(own, heads)
            again = attention(query, memory, expected.mask)
            torch.testing.assert_close(again.weights, expected.weights)
            torch.testing.assert_close(again.out, expected.out)

    @pytest.mark.parametrize(
        ("kind", "layer", "last"),
        [("encoder", 3, 2), ("decoder", 2, 1), ("cross", 2, 1), ("cross", -1, 1)],
    )
    def test_a_layer_that_is_not_there(
        self, model: Transformer, kind: Any, layer: int, last: int
    ) -> None:
        trace = model(SRC, TGT)
        for ask in (model.attention, trace.attention_inputs):
            with pytest.raises(ValueError, match=f"lie in 0 … {last} for {kind}.* got {layer}"):
                ask(kind, layer)

    def test_a_kind_that_is_not_there(
        self, model: Transformer, unchecked: Callable[[Any], Any]
    ) -> None:
        trace = model(SRC, TGT)
        wanted = r"one of \('encoder', 'decoder', 'cross'\), got 'self'"
        with pytest.raises(ValueError, match=wanted):
            unchecked(Transformer.attention)(model, "self", 0)
        with pytest.raises(ValueError, match=wanted):
            unchecked(type(trace).attention_inputs)(trace, "self", 0)
