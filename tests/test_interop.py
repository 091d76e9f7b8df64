"""to_torch shares the weights, from_torch copies them and refuses what does not fit."""

from dataclasses import replace
from typing import Any

import pytest
import torch
from torch import nn

from explorer.config import ModelConfig
from explorer.interop import from_torch, largest_difference, to_torch
from explorer.transformer import Transformer, TransformerTrace

CONFIG = ModelConfig(d_model=8, n_heads=2, n_encoder_layers=2, n_decoder_layers=3, d_ff=16,
                     src_vocab_size=9, tgt_vocab_size=9)  # fmt: skip
SRC = torch.tensor([[0, 5, 6], [4, 7, 8]])
TGT = torch.tensor([[0, 1, 5, 6], [1, 7, 5, 8]])  # padding on the left: a row that sees nothing


def stacks(config: ModelConfig, **changes: Any) -> nn.Transformer:
    """Both stacks, assembled here and not by `interop`; pre-norm ones end with a norm."""
    options: dict[str, Any] = {
        "d_model": config.d_model,
        "nhead": config.n_heads,
        "dim_feedforward": config.d_ff,
        "norm_first": config.norm_first,
        "batch_first": True,
        **changes,
    }
    encoder_layer = nn.TransformerEncoderLayer(**options)
    decoder_layer = nn.TransformerDecoderLayer(**options)
    norms = [nn.LayerNorm(config.d_model) if config.norm_first else None for _ in range(2)]
    return nn.Transformer(
        config.d_model,
        options["nhead"],
        batch_first=True,
        custom_encoder=nn.TransformerEncoder(
            encoder_layer, config.n_encoder_layers, norms[0], enable_nested_tensor=False
        ),
        custom_decoder=nn.TransformerDecoder(decoder_layer, config.n_decoder_layers, norms[1]),
    )


def traced(model: Transformer) -> TransformerTrace:
    with torch.inference_mode():
        return model(SRC, TGT)


class TestToTorch:
    def test_every_weight_of_the_twin_is_a_weight_of_the_model(self) -> None:
        model = Transformer(CONFIG)
        ours = {id(parameter) for parameter in model.parameters()}
        theirs = [id(parameter) for parameter in to_torch(model).parameters()]
        assert set(theirs) < ours
        assert len(set(theirs)) == len(theirs)
        # of ours only two embeddings, and the projection's weight and bias, are left over
        assert len(ours) - len(theirs) == 4


class TestLargestDifference:
    def test_it_sees_a_changed_weight(self) -> None:
        model = Transformer(CONFIG)
        trace, twin = traced(model), to_torch(model)
        assert largest_difference(twin, trace) < 1e-5
        with torch.no_grad():
            model.encoder[1].feed_forward.w_1.bias.add_(1.0)
        assert largest_difference(twin, trace) > 1e-2

    @pytest.mark.parametrize("row", [0, 1], ids=["padded on the left", "not padded"])
    def test_it_sees_a_changed_row(self, row: int) -> None:
        """A padded sentence is compared as well: none of its real rows may get lost to NaN."""
        model = Transformer(CONFIG)
        trace = traced(model)
        changed = trace.decoder_out.clone()
        changed[row, -1] += 0.5
        shown = replace(trace, decoder_out=changed)
        assert largest_difference(to_torch(model), shown) == pytest.approx(0.5, abs=1e-4)

    def test_it_never_takes_nan_for_equal(self) -> None:
        model = Transformer(CONFIG)
        trace = traced(model)
        broken = replace(trace, memory=torch.full_like(trace.memory, torch.nan))
        assert not largest_difference(to_torch(model), broken) < 1e-5

    def test_a_trace_may_carry_gradients(self) -> None:
        model = Transformer(CONFIG)
        assert largest_difference(to_torch(model), model(SRC, TGT)) < 1e-5


class TestFromTorch:
    def test_it_copies(self) -> None:
        given = stacks(CONFIG)
        model = from_torch(given, CONFIG)
        trace = traced(model)
        with torch.no_grad():
            given.encoder.layers[0].linear1.weight.zero_()
        assert torch.equal(traced(model).memory, trace.memory)

    def test_the_rest_is_drawn_from_the_seed(self) -> None:
        model = from_torch(stacks(CONFIG), CONFIG, seed=5)
        drawn = Transformer(CONFIG, seed=5)
        for name in ("src_embedding.token.weight", "tgt_embedding.token.weight",
                     "to_logits.weight"):  # fmt: skip
            assert torch.equal(model.get_parameter(name), drawn.get_parameter(name))

    @pytest.mark.parametrize(
        ("change", "name"),
        [
            ({"d_ff": 32}, "linear1"),
            ({"d_model": 16}, "(16, 16)"),
            ({"n_encoder_layers": 3}, "encoder.layers.2"),
            ({"n_decoder_layers": 1}, "decoder.layers.1"),
        ],
    )
    def test_shapes_that_do_not_fit(self, change: dict[str, Any], name: str) -> None:
        with pytest.raises(ValueError, match=r"must have the shapes of config, got ") as error:
            from_torch(stacks(CONFIG), replace(CONFIG, **change))
        assert name in str(error.value)

    def test_the_final_norms_that_the_paper_lacks(self) -> None:
        given = nn.Transformer(8, 2, 2, 3, 16, batch_first=True)
        with pytest.raises(ValueError, match=r"decoder\.norm\.bias.*nothing.*norm=None"):
            from_torch(given, CONFIG)

    @pytest.mark.parametrize(
        ("change", "word"),
        [({"nhead": 4}, "n_heads"), ({"norm_first": True}, "norm_first"),
         ({"activation": "gelu"}, "relu")],
    )  # fmt: skip
    def test_stacks_of_the_right_shapes_that_compute_something_else(
        self, change: dict[str, object], word: str
    ) -> None:
        with pytest.raises(ValueError, match=word):
            from_torch(stacks(CONFIG, **change), CONFIG)
