"""The texts that describe the chosen model."""

from typing import Any

import pytest

from explorer.choices.parameters import HERE, LOADED, Frame
from explorer.choices.sources import SHAPE, shape_of, shape_of_weights, source_of, unsupported_shape
from explorer.config import ModelConfig
from explorer.weights.catalogue import UNTRAINED, Shipped, WeightsGoneError, trained_config


def test_the_names_of_weights_stand_for_sources() -> None:
    assert source_of({"weights": "untrained", "run": "x"}) == UNTRAINED
    assert source_of({"weights": "copy"}) == Shipped("copy")
    assert source_of({}) == source_of({"weights": Frame.weights.usual({})})
    for gone in ({"weights": HERE, "run": "unknown_run"}, {"weights": LOADED, "model": "unknown"}):
        with pytest.raises(WeightsGoneError):
            source_of(gone)
        assert shape_of_weights(gone) is None


def test_a_shape_is_made_of_choices() -> None:
    config = trained_config(Shipped("translator"))
    assert config is not None
    shape = shape_of_weights({"weights": "translator", "d_model": 8})
    assert shape == shape_of(config)
    assert shape.keys() == {parameter.key for parameter in SHAPE}
    assert (shape["heads"], shape["enc"], shape["dec"]) == (8, 4, 3)
    assert shape_of(ModelConfig(d_model=96, n_heads=8, d_ff=384))["d_ff"] is None
    assert shape_of(ModelConfig(d_model=96, n_heads=8, d_ff=100))["d_ff"] == 100
    assert shape_of_weights({"weights": "untrained", "d_model": 8}) is None


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({}, ""),
        ({"d_model": 1024, "n_heads": 32}, ""),
        (
            {"d_model": 2048, "n_heads": 8},
            "d_model: 8 to 1,024 can be shown, got 2,048.",
        ),
        ({"d_model": 4, "n_heads": 2}, "8 to 1,024 can be shown, got 4."),
        ({"n_encoder_layers": 7}, "encoder layers: 1 to 6 can be shown, got 7."),
        (
            {"n_decoder_layers": 12},
            "decoder layers: 1 to 6 can be shown, got 12.",
        ),
        ({"d_ff": 9000}, "d_ff: 1 to 8,192 can be shown, got 9,000."),
        ({"d_model": 512, "n_heads": 64}, "heads: 1 to 32 can be shown, got 64."),
    ],
)
def test_models_that_the_controls_cannot_hold(changes: dict[str, Any], why: str) -> None:
    reason = unsupported_shape(ModelConfig(**{"d_model": 64, "n_heads": 4, "d_ff": 256, **changes}))
    assert why in reason
    assert bool(reason) == bool(why)
