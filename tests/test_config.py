"""ModelConfig: the paper's numbers by default, and no model that cannot work."""

import math
from typing import Any

import pytest

from explorer.config import ModelConfig, Schedule, TrainConfig, head_choices


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
    ["d_model", "n_heads", "d_ff", "max_len", "src_vocab_size", "tgt_vocab_size", "d_kv"],
)  # fmt: skip
@pytest.mark.parametrize("value", [0, -4])
def test_every_size_must_be_positive(name: str, value: Any) -> None:
    with pytest.raises(ValueError, match=rf"{name} must be at least 1, got {name}={value}"):
        ModelConfig(**{name: value})


class TestOneStackAlone:
    def test_an_encoder_has_no_decoder_layers(self) -> None:
        alone = ModelConfig(n_decoder_layers=0, output="nothing")
        assert (alone.has_encoder, alone.has_decoder, alone.n_logits) == (True, False, 0)

    def test_a_masked_language_model_writes_its_source(self) -> None:
        assert ModelConfig(n_decoder_layers=0, output="masked", src_vocab_size=77).n_logits == 77

    def test_a_decoder_has_no_encoder_layers(self) -> None:
        alone = ModelConfig(n_encoder_layers=0)
        assert (alone.has_encoder, alone.has_decoder, alone.n_logits) == (False, True, 1000)

    def test_one_of_them_is_needed(self) -> None:
        with pytest.raises(ValueError, match=r"a model needs layers"):
            ModelConfig(n_encoder_layers=0, n_decoder_layers=0)

    @pytest.mark.parametrize("name", ["n_encoder_layers", "n_decoder_layers"])
    def test_fewer_than_none(self, name: str) -> None:
        wrong: dict[str, Any] = {name: -4}
        with pytest.raises(ValueError, match=rf"{name} must be at least 0, got {name}=-4"):
            ModelConfig(**wrong)

    @pytest.mark.parametrize(
        "wrong",
        [
            {"n_decoder_layers": 0},
            {"output": "masked"},
            {"n_decoder_layers": 0, "output": "nothing", "tying": "all"},
            {"n_encoder_layers": 0, "tying": "embeddings"},
        ],
    )
    def test_settings_that_do_not_fit_the_stacks(self, wrong: dict[str, Any]) -> None:
        with pytest.raises(ValueError, match=r"output=|tying="):
            ModelConfig(**wrong)


@pytest.mark.parametrize("name", ["norm", "activation", "positions", "tying", "output"])
def test_an_unknown_variant_is_named_with_the_known_ones(name: str) -> None:
    wrong: dict[str, Any] = {name: "paper"}
    with pytest.raises(ValueError, match=rf"{name} must be one of \(.*, got 'paper'"):
        ModelConfig(**wrong)


@pytest.mark.parametrize("dropout", [1.0, 1.5, -0.1, math.nan])
def test_dropout_must_leave_something(dropout: float) -> None:
    with pytest.raises(ValueError, match=r"dropout must lie in \[0, 1\), got dropout="):
        ModelConfig(dropout=dropout)


@pytest.mark.parametrize("side", ["src", "tgt"])
@pytest.mark.parametrize("pad_id", [-1, 7])
def test_pad_must_be_an_id_of_its_own_vocabulary(side: str, pad_id: int) -> None:
    sizes: dict[str, Any] = {"src_vocab_size": 100, "tgt_vocab_size": 100, f"{side}_vocab_size": 7}
    with pytest.raises(ValueError, match=rf"{side}_pad_id must be .* 0 to 6, got {side}_pad_id"):
        ModelConfig(**sizes | {f"{side}_pad_id": pad_id})
    assert ModelConfig(**sizes | {f"{side}_pad_id": 6})


@pytest.mark.parametrize(
    ("d_model", "most", "expected"),
    [(12, 32, [1, 2, 3, 4, 6, 12]), (12, 4, [1, 2, 3, 4]), (7, 32, [1, 7]), (1, 32, [1])],
)
def test_head_choices_are_the_divisors(d_model: int, most: int, expected: list[int]) -> None:
    assert head_choices(d_model, most) == expected


class TestLearningRate:
    def test_up_in_equal_steps_then_down_to_0(self) -> None:
        config = TrainConfig(steps=9, warmup=4, lr=0.4)
        rates = [config.lr_at(step, 64) for step in range(1, 11)]
        # 9 steps: four up to 0.4, and from there sixths of it until the one after the last
        down = [0.4 * n / 6 for n in (5, 4, 3, 2, 1, 0)]
        assert rates == pytest.approx([0.1, 0.2, 0.3, 0.4, *down])

    def test_without_warm_up_it_only_falls(self) -> None:
        config = TrainConfig(steps=3, warmup=0, lr=0.4)
        assert [config.lr_at(step, 64) for step in (1, 2, 3)] == pytest.approx([0.3, 0.2, 0.1])

    def test_a_warm_up_longer_than_the_training_only_rises(self) -> None:
        config = TrainConfig(steps=3, warmup=10, lr=0.5)
        assert [config.lr_at(step, 64) for step in (1, 3)] == pytest.approx([0.05, 0.15])

    def test_constant(self) -> None:
        config = TrainConfig(steps=9, warmup=4, lr=0.003, schedule="constant")
        assert {config.lr_at(step, 64) for step in range(1, 20)} == {0.003}

    @pytest.mark.parametrize(("d_model", "warmup"), [(512, 4000), (64, 200), (256, 1)])
    def test_the_papers_formula(self, d_model: int, warmup: int) -> None:
        config = TrainConfig(steps=100, warmup=warmup, lr=0.9, schedule="paper")
        for step in (1, 2, warmup, warmup + 1, 4 * warmup):
            rising, falling = step / math.sqrt(warmup) ** 3, 1 / math.sqrt(step)
            expected = min(rising, falling) / math.sqrt(d_model)
            assert config.lr_at(step, d_model) == pytest.approx(expected, rel=1e-9)

    def test_the_papers_without_warm_up_is_its_falling_side(self) -> None:
        config = TrainConfig(warmup=0, schedule="paper")
        assert [config.lr_at(step, 64) for step in (1, 4)] == pytest.approx([1 / 8, 1 / 16])

    @pytest.mark.parametrize("schedule", ["constant", "linear"])
    @pytest.mark.parametrize(
        ("d_model", "share"), [(8, 1), (63, 1), (64, 1), (65, 64 / 65), (128, 1 / 2), (512, 1 / 8)]
    )
    def test_a_model_wider_than_64_gets_less(
        self, schedule: Schedule, d_model: int, share: float
    ) -> None:
        config = TrainConfig(steps=10, warmup=1, lr=0.01, schedule=schedule)
        assert config.lr_at(1, d_model) == pytest.approx(0.01 * share)


class TestTrainConfig:
    @pytest.mark.parametrize(
        ("name", "low", "value"),
        [("steps", 1, 0), ("batch_size", 1, -2), ("warmup", 0, -1), ("clip", 0, -0.5),
         ("clip", 0, math.nan)],
    )  # fmt: skip
    def test_least_values(self, name: str, low: int, value: Any) -> None:
        with pytest.raises(ValueError, match=rf"^{name} must be at least {low}, got {value}$"):
            TrainConfig(**{name: value})
        assert getattr(TrainConfig(**{name: type(value)(low)}), name) == low

    @pytest.mark.parametrize("lr", [0.0, -0.1, 1.0, 30.0, math.nan, math.inf])
    def test_a_learning_rate_between_0_and_1(self, lr: float) -> None:
        with pytest.raises(ValueError, match=rf"^lr must lie between 0 and 1, got lr={lr}$"):
            TrainConfig(lr=lr)

    @pytest.mark.parametrize("name", ["label_smoothing", "lone_heads"])
    @pytest.mark.parametrize("share", [1.0, -0.1, math.nan])
    def test_shares_must_be_below_1(self, name: str, share: Any) -> None:
        with pytest.raises(ValueError, match=rf"^{name} must lie in \[0, 1\), got {name}={share}$"):
            TrainConfig(**{name: share})
        most: dict[str, Any] = {name: 0.999}
        assert getattr(TrainConfig(**most), name) == 0.999


class TestTied:
    def test_one_vocabulary_is_needed(self) -> None:
        with pytest.raises(ValueError, match=r"one vocabulary.*src_vocab_size=9, tgt_vocab_size=8"):
            ModelConfig(src_vocab_size=9, tgt_vocab_size=8, tying="all")
        with pytest.raises(ValueError, match=r"src_pad_id=0, tgt_pad_id=1"):
            ModelConfig(src_pad_id=0, tgt_pad_id=1, tying="all")
