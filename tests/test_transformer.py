"""The whole model: its trace, its weights and what it refuses."""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import torch
from torch import Tensor

from explorer.attention import AttentionTrace
from explorer.config import ModelConfig
from explorer.layers import DecoderLayerTrace
from explorer.transformer import Transformer
from tests.small_model import CONFIG, SRC, TGT


@pytest.fixture(scope="module")
def model() -> Transformer:
    return Transformer(CONFIG)


class TestTrace:
    def test_its_shapes(self, model: Transformer) -> None:
        trace = model(SRC, TGT)
        assert trace.src_mask.shape == (2, 1, 1, 4)
        assert trace.tgt_mask.shape == (2, 1, 3, 3)
        assert trace.memory.shape == (2, 4, 8)
        assert trace.decoder_out.shape == (2, 3, 8)
        assert trace.logits.shape == (2, 3, 12)  # batch first
        assert (len(trace.encoder), len(trace.decoder)) == (3, 2)

    def test_each_side_has_its_own_pad(self, model: Transformer) -> None:
        trace = model(SRC, TGT)
        assert trace.src_mask[:, 0, 0].int().tolist() == [[1, 1, 1, 1], [1, 0, 1, 0]]
        assert trace.tgt_mask[1, 0].int().tolist() == [[1, 0, 0], [1, 1, 0], [1, 1, 0]]

    def test_what_was_encoded_before_spares_the_encoder(
        self, model: Transformer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        encoded = model.encode(SRC)
        expected = model(SRC, TGT)
        monkeypatch.setattr(model, "encode", None)
        trace = model(SRC, TGT, encoded=encoded)
        assert trace.memory is encoded.memory
        assert torch.equal(trace.logits, expected.logits)
        assert torch.equal(trace.src_mask, expected.src_mask)
        assert torch.equal(
            trace.attention("encoder", 2).weights, encoded.layers[2].attention.weights
        )
        assert torch.equal(trace.src_embedding.out, expected.src_embedding.out)

    def test_attention_is_named_by_kind_and_layer(self, model: Transformer) -> None:
        trace = model(SRC, TGT)
        assert trace.attention("encoder", 2) is trace.encoder[2].attention
        assert trace.attention("decoder", 1) is trace.decoder[1].attention
        assert trace.attention("cross", 1) is trace.decoder[1].cross
        assert trace.attention("encoder", 0).weights.shape == (2, 2, 4, 4)
        assert trace.attention("decoder", 0).weights.shape == (2, 2, 3, 3)
        assert trace.attention("cross", 0).weights.shape == (2, 2, 3, 4)

    @pytest.mark.parametrize(
        ("kind", "layer", "last"),
        [("encoder", 3, 2), ("decoder", 2, 1), ("cross", 2, 1), ("encoder", -1, 2)],
    )
    def test_a_layer_that_is_not_there(
        self, model: Transformer, kind: Any, layer: int, last: int
    ) -> None:
        with pytest.raises(ValueError, match=f"layer must lie in 0 … {last} for {kind}.*{layer}"):
            model(SRC, TGT).attention(kind, layer)

    def test_a_kind_that_is_not_there(
        self, model: Transformer, unchecked: Callable[[Any], Any]
    ) -> None:
        trace = model(SRC, TGT)
        with pytest.raises(ValueError, match=r"one of \('encoder', 'decoder', 'cross'\).*'self'"):
            unchecked(type(trace).attention)(trace, "self", 0)

    def test_the_layers_are_chained(self, model: Transformer) -> None:
        trace = model(SRC, TGT)
        x = trace.src_embedding.out
        for encoder_layer in trace.encoder:
            assert torch.equal(encoder_layer.attention_residual.sublayer_in, x)
            x = encoder_layer.out
        assert torch.equal(trace.memory, x)
        x = trace.tgt_embedding.out
        for decoder_layer, weights in zip(trace.decoder, model.decoder, strict=True):
            assert torch.equal(decoder_layer.attention_residual.sublayer_in, x)
            cross = weights.cross
            again = cross(decoder_layer.cross_residual.sublayer_in, trace.memory, trace.src_mask)
            torch.testing.assert_close(decoder_layer.cross.out, again.out)
            x = decoder_layer.out
        assert torch.equal(trace.decoder_out, x)
        expected = x @ model.to_logits.weight.T + model.to_logits.bias
        torch.testing.assert_close(trace.logits, expected)

    def test_source_and_target_have_tables_of_their_own(self, model: Transformer) -> None:
        trace = model(torch.tensor([[5]]), torch.tensor([[5]]))
        assert torch.equal(trace.src_embedding.embedded[0, 0], model.src_embedding.token.weight[5])
        assert torch.equal(trace.tgt_embedding.embedded[0, 0], model.tgt_embedding.token.weight[5])
        assert not torch.equal(trace.src_embedding.embedded, trace.tgt_embedding.embedded)

    def test_a_pre_norm_stack_ends_with_a_norm(self) -> None:
        config = ModelConfig(d_model=8, n_heads=2, n_encoder_layers=1, n_decoder_layers=1,
                             d_ff=16, norm_first=True)  # fmt: skip
        trace = Transformer(config)(SRC, TGT)
        for out, before in (
            (trace.memory, trace.encoder[-1].out),
            (trace.decoder_out, trace.decoder[-1].out),
        ):
            torch.testing.assert_close(out.mean(dim=-1), torch.zeros(out.shape[:2]), atol=1e-6,
                                       rtol=0)  # fmt: skip
            expected = (before - before.mean(-1, keepdim=True)) / (
                before.var(-1, keepdim=True, correction=0) + 1e-5
            ).sqrt()
            torch.testing.assert_close(out, expected)
        model = Transformer(config)
        expected = trace.decoder_out @ model.to_logits.weight.T  # its bias is still 0
        torch.testing.assert_close(trace.logits, expected)

    def test_a_source_of_nothing_but_pad_gives_numbers(self, model: Transformer) -> None:
        trace = model(torch.tensor([[1, 1]]), torch.tensor([[0, 4]]))
        assert trace.logits.isfinite().all()
        assert trace.attention("encoder", 0).weights.eq(0).all()
        assert trace.attention("cross", 0).weights.eq(0).all()
        assert trace.attention("decoder", 0).weights[0, 0, 1].tolist() == [0.0, 1.0]


class TestWithoutPositions:
    """I like cats more than dogs / I like dogs more than cats."""

    CATS = torch.tensor([[2, 3, 4, 5, 6, 7]])
    DOGS = torch.tensor([[2, 3, 7, 5, 6, 4]])
    SWAP = (0, 1, 5, 3, 4, 2)

    def test_each_word_gets_the_same_vector_wherever_it_stands(self, model: Transformer) -> None:
        cats = model(self.CATS, TGT[:1], positions=False)
        dogs = model(self.DOGS, TGT[:1], positions=False)
        torch.testing.assert_close(dogs.memory, cats.memory[:, self.SWAP])
        torch.testing.assert_close(dogs.logits, cats.logits)

    def test_with_positions_it_does_not(self, model: Transformer) -> None:
        cats, dogs = model(self.CATS, TGT[:1]), model(self.DOGS, TGT[:1])
        assert not torch.allclose(dogs.memory, cats.memory[:, self.SWAP], atol=1e-2)
        assert not torch.allclose(dogs.logits, cats.logits, atol=1e-3)

    def test_the_switch_reaches_both_sides(self, model: Transformer) -> None:
        trace = model(SRC, TGT, positions=False)
        assert torch.equal(trace.src_embedding.out, trace.src_embedding.scaled)
        assert torch.equal(trace.tgt_embedding.out, trace.tgt_embedding.scaled)


class TestDropout:
    """A generator switches dropout on everywhere the paper has it (section 5.4), and inside."""

    def test_it_reaches_every_part_of_every_layer(self) -> None:
        model = Transformer(replace(CONFIG, dropout=0.5))
        trace = model(SRC, TGT, torch.Generator().manual_seed(0))

        def same(a: Tensor, b: Tensor) -> bool:
            return torch.allclose(a, b, atol=1e-4)

        for embedding in (trace.src_embedding, trace.tgt_embedding):
            assert (embedding.out == 0).any()
        layers = [*zip(trace.encoder, model.encoder, strict=True),
                  *zip(trace.decoder, model.decoder, strict=True)]  # fmt: skip
        assert len(layers) == 5
        for layer, module in layers:
            ffn, last = layer.feed_forward, layer.feed_forward_residual
            added = [(layer.attention, layer.attention_residual), (ffn, last)]
            if isinstance(layer, DecoderLayerTrace):
                added.append((layer.cross, layer.cross_residual))
            for sublayer, residual in added:
                assert not same(residual.added, residual.sublayer_in + sublayer.out)
                if isinstance(sublayer, AttentionTrace):
                    assert not same(sublayer.context, sublayer.weights @ sublayer.v)
            assert not same(ffn.out, module.feed_forward.w_2(ffn.hidden))

    def test_without_a_generator_nothing_is_dropped(self) -> None:
        never = Transformer(replace(CONFIG, dropout=0.0))
        off = Transformer(replace(CONFIG, dropout=0.5)).train()
        assert torch.equal(off(SRC, TGT).logits, never(SRC, TGT).logits)


class TestWeights:
    def test_matrices_are_drawn_from_the_xavier_range(self) -> None:
        config = ModelConfig(d_model=64, n_heads=4, n_encoder_layers=1, n_decoder_layers=1,
                             d_ff=192, src_vocab_size=300, tgt_vocab_size=448)  # fmt: skip
        model = Transformer(config)
        layer = model.decoder[0]
        for weight, fans in (
            (layer.cross.w_qkv.weight, 64 + 64),  # three square matrices, stacked
            (layer.cross.w_o.weight, 64 + 64),
            (layer.feed_forward.w_1.weight, 64 + 192),
            (layer.feed_forward.w_2.weight, 192 + 64),
            (model.to_logits.weight, 64 + 448),
            (model.src_embedding.token.weight, 6 * 64 / 3),  # variance 1/64 = bound² / 3
        ):
            bound, weight = math.sqrt(6 / fans), weight.detach()
            assert 0.99 * bound < float(weight.max()) <= bound
            assert -bound <= float(weight.min()) < -0.99 * bound
            assert float(weight.var()) == pytest.approx(bound**2 / 3, rel=0.05)

    def test_biases_start_at_0_and_norms_as_the_identity(self, model: Transformer) -> None:
        for name, parameter in model.named_parameters():
            if name.endswith("norm.weight"):
                assert parameter.eq(1).all(), name
            elif name.endswith("bias"):
                assert parameter.eq(0).all(), name

    def test_no_two_matrices_are_alike(self, model: Transformer) -> None:
        firsts = [p.flatten()[:4].tolist() for p in model.parameters() if p.ndim == 2]
        assert len(firsts) == 2 + 4 * 3 + 6 * 2 + 1
        assert len({tuple(first) for first in firsts}) == len(firsts)

    def test_everything_is_trainable(self, model: Transformer) -> None:
        assert all(p.requires_grad and p.is_leaf for p in model.parameters())
        assert list(model.buffers()) == []

    def test_every_weight_takes_part(self) -> None:
        model = Transformer(CONFIG)
        model(SRC, TGT).logits.square().sum().backward()
        for name, parameter in model.named_parameters():
            assert parameter.grad is not None, name
            assert parameter.grad.abs().sum() > 0, name
        assert model.src_embedding.token.weight.grad is not None
        assert model.src_embedding.token.weight.grad[9].eq(0).all()  # id 9 was not in the batch


class TestErrors:
    @pytest.fixture
    def forward(self, unchecked: Callable[[Any], Any]) -> Callable[..., Any]:
        return unchecked(Transformer.forward)

    def test_source_and_target_come_in_pairs(
        self, model: Transformer, forward: Callable[..., Any]
    ) -> None:
        with pytest.raises(ValueError, match=r"same number of sentences, got src \(2, 4\) and tgt"):
            forward(model, SRC, TGT[:1])

    @pytest.mark.parametrize("side", ["src", "tgt"])
    @pytest.mark.parametrize("bad_id", [-1, 99])
    def test_ids_must_be_in_the_vocabulary(
        self, model: Transformer, side: str, bad_id: int
    ) -> None:
        ids = {"src": torch.tensor([[2, 3]]), "tgt": torch.tensor([[2, 3]])}
        ids[side] = torch.tensor([[2, bad_id]])
        last = 9 if side == "src" else 11
        with pytest.raises(ValueError, match=rf"{side} ids must lie in 0 … {last} ") as error:
            model(ids["src"], ids["tgt"])
        assert f"{side}_vocab_size={last + 1}" in str(error.value)
        assert f"got {min(2, bad_id)} … {max(2, bad_id)}" in str(error.value)

    @pytest.mark.parametrize("side", ["src", "tgt"])
    def test_a_sentence_longer_than_the_model(self, model: Transformer, side: str) -> None:
        ids = {"src": torch.ones(1, 6).long(), "tgt": torch.ones(1, 6).long()}
        assert model(ids["src"], ids["tgt"]).logits.shape == (1, 6, 12)
        ids[side] = torch.ones(1, 7).long()
        with pytest.raises(ValueError, match=rf"{side} .* max_len=6 .* got 7; shorten it or raise"):
            model(ids["src"], ids["tgt"])

    def test_an_empty_sentence(self, model: Transformer) -> None:
        with pytest.raises(ValueError, match=r"src must have shape .* length ≥ 1, got \(2, 0\)"):
            model(SRC[:, :0], TGT)

    def test_ids_without_a_batch(self, model: Transformer, unchecked: Callable[[Any], Any]) -> None:
        with pytest.raises(ValueError, match=r"src must have shape \(batch, length\).*\(4,\)"):
            unchecked(Transformer.encode)(model, SRC[0])


class TestTied:
    """One matrix embeds both sides and makes the logits (paper section 3.4)."""

    config = replace(CONFIG, src_vocab_size=12, tgt_vocab_size=12, src_pad_id=0, tgt_pad_id=0,
                     tying="all")  # fmt: skip

    def test_it_is_one_parameter(self) -> None:
        model = Transformer(self.config)
        one = model.src_embedding.token.weight
        assert model.tgt_embedding.token.weight is one
        assert model.to_logits.weight is one
        assert sum(p.numel() for p in model.parameters()) == self.config.n_weights

    def test_the_logits_are_products_with_the_embeddings(self) -> None:
        model = Transformer(self.config)
        trace = model(SRC, TGT)
        embedded = torch.stack([model.tgt_embedding(torch.tensor([[n]])).embedded[0, 0]
                                for n in range(12)])  # fmt: skip
        torch.testing.assert_close(
            trace.logits, trace.decoder_out @ embedded.T + model.to_logits.bias
        )

    def test_its_weights_are_one_matrix_again_when_they_are_used_anew(self) -> None:
        model = Transformer(self.config, seed=4)
        once = dict(model.named_parameters())  # names the matrix once
        for weights in (once, model.state_dict()):
            again = Transformer(self.config, weights=weights)
            assert again.to_logits.weight is again.src_embedding.token.weight
            assert torch.equal(again(SRC, TGT).logits, model(SRC, TGT).logits)
