"""ModelConfig: the paper's numbers by default, and no model that cannot work."""

import math
import re
from dataclasses import asdict
from typing import Any

import pytest

from explorer.config import ModelConfig, Schedule, TrainConfig, head_choices


def test_the_defaults_are_the_base_model_of_the_paper() -> None:
    config = ModelConfig()
    assert (config.d_model, config.d_ff, config.n_heads, config.dropout) == (512, 2048, 8, 0.1)
    assert (config.n_encoder_layers, config.n_decoder_layers) == (6, 6)
    assert config.d_k == 64
    assert not config.norm_first


SIZES = ["d_model", "n_heads", "d_ff", "max_len", "src_vocab_size", "tgt_vocab_size", "d_kv"]
LAYERS = ["n_encoder_layers", "n_decoder_layers"]
IMPOSSIBLE: list[tuple[dict[str, Any], str]] = [
    ({"d_model": 50, "n_heads": 8}, "got d_model=50, n_heads=8; heads that fit: [1, 2, 5, 10, 25]"),
    *(({name: 0}, f"{name} must be at least 1, got {name}=0") for name in SIZES),
    *(({name: -4}, f"{name} must be at least 0, got {name}=-4") for name in LAYERS),
    (dict.fromkeys(LAYERS, 0), "a model needs layers"),
    ({"n_decoder_layers": 0}, "got output='words'"),
    ({"output": "masked"}, "got output='masked'"),
    ({"n_decoder_layers": 0, "output": "nothing", "tying": "all"}, "tying='all'"),
    ({"n_encoder_layers": 0, "tying": "embeddings"}, "tying='embeddings'"),
    *(
        ({name: "paper"}, f"{name} must be one of ")
        for name in ("norm", "activation", "positions", "tying", "output")
    ),
    *(({"dropout": share}, "dropout must lie in [0, 1)") for share in (1.0, -0.1, math.nan)),
    *(
        ({f"{side}_vocab_size": 7, f"{side}_pad_id": pad}, f"0 to 6, got {side}_pad_id={pad}")
        for side in ("src", "tgt")
        for pad in (-1, 7)
    ),
    ({"src_vocab_size": 9, "tgt_vocab_size": 8, "tying": "all"}, "_size=9, tgt_vocab_size=8"),
    ({"src_pad_id": 0, "tgt_pad_id": 1, "tying": "all"}, "src_pad_id=0, tgt_pad_id=1"),
]


@pytest.mark.parametrize(("settings", "said"), IMPOSSIBLE)
def test_a_model_that_cannot_work_is_refused_with_the_reason(
    settings: dict[str, Any], said: str
) -> None:
    with pytest.raises(ValueError, match=re.escape(said)):
        ModelConfig(**settings)


def test_the_last_id_may_be_pad() -> None:
    assert ModelConfig(src_vocab_size=7, src_pad_id=6).src_pad_id == 6


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


NO_TRAINING: list[tuple[dict[str, Any], str]] = [
    ({"steps": 0}, "steps must be at least 1, got 0"),
    ({"batch_size": -2}, "batch_size must be at least 1, got -2"),
    ({"warmup": -1}, "warmup must be at least 0, got -1"),
    *(({"clip": least}, f"clip must be at least 0, got {least}") for least in (-0.5, math.nan)),
    *(
        ({"lr": rate}, f"lr must lie between 0 and 1, got lr={rate}")
        for rate in (0.0, -0.1, 1.0, 30.0, math.nan, math.inf)
    ),
    *(
        ({name: share}, f"{name} must lie in [0, 1), got {name}={share}")
        for name in ("label_smoothing", "lone_heads")
        for share in (1.0, -0.1, math.nan)
    ),
]


@pytest.mark.parametrize(("settings", "said"), NO_TRAINING)
def test_a_training_that_cannot_be_is_refused(settings: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(said)}$"):
        TrainConfig(**settings)


def test_the_least_and_the_most_of_a_training_are_possible() -> None:
    given: dict[str, Any] = {"steps": 1, "batch_size": 1, "warmup": 0, "clip": 0.0}
    given |= {"label_smoothing": 0.999, "lone_heads": 0.999}
    assert asdict(TrainConfig(**given)).items() >= given.items()
