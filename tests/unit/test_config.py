"""ModelConfig: the paper's numbers by default, and no model that cannot work."""

import dataclasses
import math

import pytest

from explorer.config import ModelConfig, head_choices


def test_the_defaults_are_the_base_model_of_the_paper() -> None:
    config = ModelConfig()
    assert (config.d_model, config.d_ff, config.n_heads, config.dropout) == (512, 2048, 8, 0.1)
    assert (config.n_encoder_layers, config.n_decoder_layers) == (6, 6)
    assert config.d_k == 64
    assert not config.norm_first


def test_heads_that_do_not_divide_the_width_are_refused_with_those_that_do() -> None:
    with pytest.raises(ValueError, match=r"d_model must be divisible by n_heads") as error:
        ModelConfig(d_model=50, n_heads=8)
    message = str(error.value)
    assert "got d_model=50, n_heads=8" in message
    assert "[1, 2, 5, 10, 25]" in message


@pytest.mark.parametrize(
    "name",
    ["d_model", "n_heads", "n_encoder_layers", "n_decoder_layers", "d_ff", "max_len",
     "src_vocab_size", "tgt_vocab_size"],
)  # fmt: skip
@pytest.mark.parametrize("value", [0, -4])
def test_every_size_must_be_positive(name: str, value: int) -> None:
    with pytest.raises(ValueError, match=rf"{name} must be at least 1, got {name}={value}"):
        ModelConfig(**{name: value})


@pytest.mark.parametrize("dropout", [1.0, 1.5, -0.1, math.nan])
def test_dropout_must_leave_something(dropout: float) -> None:
    with pytest.raises(ValueError, match=r"dropout must lie in \[0, 1\), got dropout="):
        ModelConfig(dropout=dropout)


@pytest.mark.parametrize("dropout", [0.0, 0.5, 0.999])
def test_dropout_below_one_is_accepted(dropout: float) -> None:
    assert ModelConfig(dropout=dropout).dropout == dropout


@pytest.mark.parametrize("side", ["src", "tgt"])
@pytest.mark.parametrize("pad_id", [-1, 7])
def test_pad_must_be_an_id_of_its_own_vocabulary(side: str, pad_id: int) -> None:
    sizes = {"src_vocab_size": 100, "tgt_vocab_size": 100, f"{side}_vocab_size": 7}
    with pytest.raises(ValueError, match=rf"{side}_pad_id must be .* 0 to 6, got {side}_pad_id"):
        ModelConfig(**sizes, **{f"{side}_pad_id": pad_id})
    assert ModelConfig(**sizes, **{f"{side}_pad_id": 6})


def test_a_config_is_a_value() -> None:
    config = ModelConfig(d_model=8, n_heads=2)
    assert config == ModelConfig(d_model=8, n_heads=2)
    assert hash(config) == hash(ModelConfig(d_model=8, n_heads=2))
    assert config != ModelConfig(d_model=8, n_heads=4)
    with pytest.raises(dataclasses.FrozenInstanceError):
        config.d_model = 16


@pytest.mark.parametrize(
    ("d_model", "most", "expected"),
    [(12, 32, [1, 2, 3, 4, 6, 12]), (12, 4, [1, 2, 3, 4]), (7, 32, [1, 7]), (1, 32, [1])],
)
def test_head_choices_are_the_divisors(d_model: int, most: int, expected: list[int]) -> None:
    assert head_choices(d_model, most) == expected
