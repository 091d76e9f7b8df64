"""The exchanged part of a variant, and whether trained weights fit, checked on the models."""

from dataclasses import replace
from itertools import product

import pytest
import torch

from explorer.analysis.variants import VARIANTS, same_tensors, varied
from explorer.config import ModelConfig
from explorer.transformer import Transformer

SMALL = ModelConfig(
    d_model=8, n_heads=2, n_encoder_layers=1, n_decoder_layers=1, d_ff=6, max_len=9,
    src_vocab_size=7, tgt_vocab_size=7,
)  # fmt: skip
KINDS = [
    SMALL,
    replace(SMALL, norm_first=True),
    replace(SMALL, positions="learned", activation="gelu"),
    replace(SMALL, positions="t5", scale_scores=False),
    replace(SMALL, tying="all", positions="rotary"),
    replace(SMALL, norm_first=True, final_norm=False),
]


def shapes(config: ModelConfig) -> dict[str, torch.Size]:
    return {name: weight.shape for name, weight in Transformer(config).own_weights().items()}


@pytest.mark.parametrize("config", KINDS)
@pytest.mark.parametrize("variant", VARIANTS)
def test_weights_fit_exactly_where_the_tensors_are_the_same(
    config: ModelConfig, variant: str
) -> None:
    other = varied(config, variant)
    assert same_tensors(config, other) == (shapes(config) == shapes(other))


def test_of_any_two_models() -> None:
    for one, other in product(KINDS, KINDS):
        assert same_tensors(one, other) == (shapes(one) == shapes(other))
    assert not same_tensors(SMALL, replace(SMALL, d_ff=7))
    assert same_tensors(SMALL, replace(SMALL, max_len=5))
    assert not same_tensors(replace(SMALL, positions="learned"),
                            replace(SMALL, positions="learned", max_len=5))  # fmt: skip


def test_a_variant_changes_one_part() -> None:
    assert varied(SMALL, "norm") == replace(SMALL, norm_first=True)
    assert varied(varied(SMALL, "norm"), "norm") == SMALL
    assert varied(SMALL, "activation").activation == "gelu"
    assert varied(replace(SMALL, activation="silu"), "activation").activation == "relu"
    assert varied(SMALL, "sinusoidal") == SMALL
    assert varied(SMALL, "no_positions").positions == "none"
    assert varied(SMALL, "rotary") == replace(SMALL, positions="rotary")
    assert varied(SMALL, "divide") == replace(SMALL, scale_scores=False)
    assert varied(SMALL, "multiply") == replace(SMALL, scale_embedding=False)
    with pytest.raises(ValueError, match="variant must be one of"):
        varied(SMALL, "bigger")
