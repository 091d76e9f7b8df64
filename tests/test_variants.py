"""Every variant of a config: it computes, it can be trained, and it counts its weights."""

from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from typing import Any, get_args

import pytest
import torch
from torch import Generator, Tensor

from explorer.config import ModelConfig, Positions
from explorer.runtime.memory import estimate
from explorer.transformer import Transformer, TransformerTrace, keys_and_values

BASE = ModelConfig(
    d_model=12, n_heads=3, n_encoder_layers=2, n_decoder_layers=2, d_ff=16, max_len=20,
    src_vocab_size=11, tgt_vocab_size=11,
)  # fmt: skip
VARIANTS: dict[str, dict[str, Any]] = {
    "the paper": {},
    "pre-norm": {"norm_first": True},
    "pre-norm without a norm at the end": {"norm_first": True, "final_norm": False},
    "post-norm with a norm at the end": {"final_norm": True},
    "RMSNorm": {"norm": "rms"},
    "another epsilon": {"norm_eps": 1e-2},
    "norm of the embedding": {"norm_embedding": True},
    "GELU": {"activation": "gelu"},
    "GELU by tanh": {"activation": "gelu_tanh"},
    "SiLU": {"activation": "silu"},
    "gated": {"gated": True, "activation": "gelu"},
    "waves in halves": {"positions": "halves"},
    "learned positions": {"positions": "learned"},
    "T5's bias": {"positions": "t5"},
    "ALiBi": {"positions": "alibi"},
    "rotary": {"positions": "rotary"},
    "no positions": {"positions": "none"},
    "no biases": {"bias": False, "logits_bias": False},
    "wide heads": {"d_kv": 7},
    "unscaled": {"scale_scores": False, "scale_embedding": False},
    "scaled logits": {"scale_logits": True},
    "one matrix": {"tying": "all"},
    "one embedding": {"tying": "embeddings"},
    "logits like the target": {"tying": "logits"},
    "an encoder alone": {"n_decoder_layers": 0, "output": "nothing"},
    "masked words": {"n_decoder_layers": 0, "output": "masked", "tying": "logits"},
    "masked words, own matrix": {"n_decoder_layers": 0, "output": "masked", "norm": "rms"},
    "a decoder alone": {"n_encoder_layers": 0},
    "a decoder alone, tied": {"n_encoder_layers": 0, "tying": "logits", "positions": "rotary"},
    "T5": {
        "norm_first": True, "norm": "rms", "gated": True, "positions": "t5", "bias": False,
        "logits_bias": False, "d_kv": 5, "scale_scores": False, "scale_embedding": False,
        "scale_logits": True, "tying": "all",
    },
}  # fmt: skip
SRC = torch.tensor([[4, 5, 6, 7, 0], [8, 9, 4, 5, 6]])
TGT = torch.tensor([[1, 3, 4, 5], [1, 6, 7, 0]])


@pytest.fixture(params=VARIANTS)
def config(request: pytest.FixtureRequest) -> ModelConfig:
    return replace(BASE, **VARIANTS[request.param])


def run(model: Transformer, src: Tensor = SRC, tgt: Tensor = TGT) -> TransformerTrace:
    config = model.config
    trace: TransformerTrace = model(
        src if config.has_encoder else None, tgt if config.has_decoder else None
    )
    return trace


def tensors(part: Any) -> Iterator[Tensor]:
    """Every number of a trace; the masks, a byte a cell, hardly count."""
    if isinstance(part, Tensor):
        if part.dtype == torch.float32 and part.numel():
            yield part
    elif isinstance(part, tuple):
        for inner in part:
            yield from tensors(inner)
    elif is_dataclass(part):
        for field in fields(part):
            yield from tensors(getattr(part, field.name))


def outcome(trace: TransformerTrace) -> Tensor:
    return trace.logits if trace.logits.numel() else trace.memory


def test_it_counts_its_weights(config: ModelConfig) -> None:
    model = Transformer(config)
    assert config.n_weights == sum(parameter.numel() for parameter in model.parameters())


def test_every_weight_learns(config: ModelConfig) -> None:
    model = Transformer(config)
    outcome(run(model)).square().sum().backward()
    for name, parameter in model.named_parameters():
        assert parameter.grad is not None, name
        assert parameter.grad.abs().sum() > 0, name


def test_weights_from_a_file_give_the_same_numbers(config: ModelConfig) -> None:
    drawn = Transformer(config, seed=3)
    kept = {name: parameter.detach() for name, parameter in drawn.named_parameters()}
    again = Transformer(config, weights=kept)  # a matrix that serves twice is in it once
    assert torch.equal(outcome(run(drawn)), outcome(run(again)))


def test_dropout_falls_somewhere(config: ModelConfig) -> None:
    model = Transformer(replace(config, dropout=0.5))
    src, tgt = SRC if config.has_encoder else None, TGT if config.has_decoder else None
    dropped = model(src, tgt, Generator().manual_seed(1))
    assert not torch.equal(outcome(dropped), outcome(run(model)))


def test_pad_in_the_source_changes_nothing(config: ModelConfig) -> None:
    if not config.has_encoder:
        return
    model = Transformer(config)
    padded, alone = run(model), run(model, SRC[:1, :4], TGT[:1])
    torch.testing.assert_close(padded.memory[:1, :4], alone.memory, atol=1e-5, rtol=0)
    if config.has_decoder:
        torch.testing.assert_close(padded.logits[:1], alone.logits, atol=1e-5, rtol=0)


def test_the_future_changes_nothing(config: ModelConfig) -> None:
    if not config.has_decoder:
        return
    model = Transformer(config)
    other = TGT.clone()
    other[:, 3] = 9
    torch.testing.assert_close(run(model).logits[:, :3], run(model, SRC, other).logits[:, :3])


def test_keys_and_values_of_read_tokens_can_be_kept(config: ModelConfig) -> None:
    if not config.has_decoder:
        return
    model = Transformer(config)
    with torch.no_grad():
        encoded = model.encode(SRC if config.has_encoder else SRC[:, :0])
        whole = model.decode(TGT, encoded.memory, encoded.mask)
        for length in (1, 3):
            first = model.decode(TGT[:, : length + 1], encoded.memory, encoded.mask)
            given = keys_and_values(first, length)
            rest = model.decode(TGT, encoded.memory, encoded.mask, given=given)
            torch.testing.assert_close(rest.logits, whole.logits[:, length:])
            for one, other in zip(rest.layers, whole.layers, strict=True):
                torch.testing.assert_close(one.attention.k, other.attention.k)
                rows = other.attention.weights[:, :, length:]
                torch.testing.assert_close(one.attention.weights, rows)


def test_order_matters_if_there_are_positions(config: ModelConfig) -> None:
    if not config.has_encoder:
        return
    model = Transformer(config)
    swapped = run(model, SRC[1:, [1, 0, 2, 3, 4]], TGT[1:]).memory[0, [1, 0, 2, 3, 4]]
    same = torch.allclose(run(model, SRC[1:], TGT[1:]).memory[0], swapped, atol=1e-5)
    assert same == (config.positions == "none")
    with torch.inference_mode():
        off = [
            model.with_settings(positions="none").encode(src).memory[0]
            for src in (SRC[1:], SRC[1:, [1, 0, 2, 3, 4]])
        ]
    torch.testing.assert_close(off[0], off[1][[1, 0, 2, 3, 4]], atol=1e-5, rtol=0)


@pytest.mark.parametrize("kind", get_args(Positions))
class TestPositionsOff:
    def test_it_is_the_model_without_positions(self, kind: Positions) -> None:
        model = Transformer(replace(BASE, positions=kind))
        names = Transformer(replace(BASE, positions="none")).own_weights()
        weights = {name: weight for name, weight in model.own_weights().items() if name in names}
        never = Transformer(replace(BASE, positions="none"), weights=weights)
        found = model.with_settings(positions="none")(SRC, TGT).logits
        assert torch.equal(found, never(SRC, TGT).logits)

    def test_the_model_itself_stays_as_it_was(self, kind: Positions) -> None:
        model = Transformer(replace(BASE, positions=kind))
        before = run(model).logits
        bare = model.with_settings(positions="none")
        own = model.own_weights()
        for name, weight in bare.own_weights().items():
            assert weight.data_ptr() == own[name].data_ptr()
        run(bare)
        assert torch.equal(run(model).logits, before)


def test_the_estimate_covers_the_trace(config: ModelConfig) -> None:
    trace = run(Transformer(config))
    src, tgt = SRC.shape[1] * config.has_encoder, TGT.shape[1] * config.has_decoder
    held = {tensor.untyped_storage().data_ptr(): tensor for tensor in tensors(trace)}
    taken = sum(tensor.untyped_storage().nbytes() for tensor in held.values())
    assert 0.5 * taken <= estimate(config, 2, src, tgt).trace <= 2 * taken


class TestOneStackAlone:
    ENCODER = replace(BASE, n_decoder_layers=0, output="nothing")
    DECODER = replace(BASE, n_encoder_layers=0)

    def test_an_encoder_has_read_no_target(self) -> None:
        trace = Transformer(self.ENCODER)(SRC)
        assert trace.decoder == ()
        assert trace.tgt_embedding.out.shape == (2, 0, 12)
        assert trace.logits.shape == (2, 0, 0)

    def test_a_decoder_has_read_no_source_and_looks_at_none(self) -> None:
        trace = Transformer(self.DECODER)(None, TGT)
        assert trace.memory.shape == (2, 0, 12)
        assert all(layer.cross is None for layer in trace.decoder)
        assert trace.logits.shape == (2, 4, 11)

    @pytest.mark.parametrize(
        ("config", "missing"),
        [(ENCODER, ("decoder", "cross")), (DECODER, ("encoder", "cross"))],
    )
    def test_the_missing_parts_are_named(self, config: ModelConfig, missing: Any) -> None:
        model = Transformer(config)
        for kind in missing:
            for refused in (run(model).attention, model.attention):
                with pytest.raises(ValueError, match=f"this model has no {kind} attention"):
                    refused(kind, 0)

    def test_a_side_that_it_does_not_read_is_refused(self) -> None:
        with pytest.raises(ValueError, match=r"no decoder and reads no tgt.*leave it out"):
            Transformer(self.ENCODER)(SRC, TGT)
        with pytest.raises(ValueError, match=r"no encoder and reads no src"):
            Transformer(self.DECODER)(SRC, TGT)
