"""The whole model: its trace, its weights and what it refuses."""

import math
from typing import Any

import pytest
import torch

from explorer.config import ModelConfig
from explorer.transformer import Transformer
from tests.small_model import CONFIG, SRC, TGT


@pytest.fixture(scope="module")
def model() -> Transformer:
    return Transformer(CONFIG)


class TestTrace:
    def test_each_side_has_its_own_pad(self, model: Transformer) -> None:
        trace = model(SRC, TGT)
        assert trace.src_mask[:, 0, 0].int().tolist() == [[1, 1, 1, 1], [1, 0, 1, 0]]
        assert trace.tgt_mask[1, 0].int().tolist() == [[1, 0, 0], [1, 1, 0], [1, 1, 0]]

    def test_a_given_encoding_saves_running_the_encoder(
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

    @pytest.mark.parametrize(
        ("kind", "layer", "last"),
        [("encoder", 3, 2), ("decoder", 2, 1), ("cross", 2, 1), ("encoder", -1, 2)],
    )
    def test_a_layer_that_is_not_there(
        self, model: Transformer, kind: Any, layer: int, last: int
    ) -> None:
        trace = model(SRC, TGT)
        for ask in (trace.attention, trace.attention_inputs, model.attention):
            with pytest.raises(ValueError, match=f"layer must lie in 0 … {last}, got {layer}"):
                ask(kind, layer)


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


class TestErrors:
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

    def test_both_sides_are_needed(self, model: Transformer) -> None:
        for missing, given in (("tgt", {"src": SRC}), ("src", {"tgt": TGT})):
            with pytest.raises(ValueError, match=f"this model reads {missing}, got {missing}=None"):
                model(**{"src": None, "tgt": None, **given})

    @pytest.mark.parametrize("side", ["src", "tgt"])
    def test_a_sentence_longer_than_the_model(self, model: Transformer, side: str) -> None:
        ids = {"src": torch.ones(1, 6).long(), "tgt": torch.ones(1, 6).long()}
        assert model(ids["src"], ids["tgt"]).logits.shape == (1, 6, 12)
        ids[side] = torch.ones(1, 7).long()
        with pytest.raises(ValueError, match=rf"{side} .* max_len=6 .* got 7; shorten it"):
            model(ids["src"], ids["tgt"])
