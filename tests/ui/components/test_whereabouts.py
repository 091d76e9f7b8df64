"""The small map beside a page's question: it has the model's blocks, and fills the right ones."""

import re
from typing import Any

import pytest
import streamlit as st

from explorer.config import ModelConfig
from explorer.ui.components.whereabouts import Part, show_whereabouts

SHAPE: dict[str, Any] = {"d_model": 8, "n_heads": 2, "d_ff": 8}
BOTH = ModelConfig(n_encoder_layers=1, n_decoder_layers=1, **SHAPE)
ENCODER = ModelConfig(n_encoder_layers=1, n_decoder_layers=0, output="masked", **SHAPE)
VECTORS = ModelConfig(n_encoder_layers=1, n_decoder_layers=0, output="nothing", **SHAPE)
DECODER = ModelConfig(n_encoder_layers=0, n_decoder_layers=1, **SHAPE)


def lanes(monkeypatch: pytest.MonkeyPatch, config: ModelConfig, part: Part) -> list[list[str]]:
    """The names of the blocks of each lane."""
    drawn: list[str] = []
    monkeypatch.setattr(st, "html", drawn.append)
    show_whereabouts(config, part)
    lanes = re.findall(r"<div>(.*?)</div>", drawn[0].split('">', 2)[2])
    return [re.findall(r'class="([^"]*)"', lane) for lane in lanes]


@pytest.mark.parametrize(
    ("config", "part", "filled"),
    [
        (BOTH, "tokens", ["tokens", "tokens"]),
        (BOTH, "cross", ["cross"]),
        (BOTH, "layers", ["encoder", "feed_forward", "decoder", "cross", "feed_forward"]),
        (BOTH, "output", ["output"]),
        (ENCODER, "layers", ["encoder", "feed_forward"]),
        (ENCODER, "output", ["output"]),
        (DECODER, "decoder", ["decoder"]),
    ],
)
def test_the_part_is_filled(
    monkeypatch: pytest.MonkeyPatch, config: ModelConfig, part: Part, filled: list[str]
) -> None:
    blocks = [name for lane in lanes(monkeypatch, config, part) for name in lane]
    assert [name.split()[0] for name in blocks if name.endswith(" here")] == filled


def test_only_a_model_with_both_stacks_has_cross_attention_and_one_output(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    encoder, decoder = lanes(monkeypatch, BOTH, "positions")
    assert encoder[-1] == "memory"
    assert decoder[-3:] == ["cross", "feed_forward", "output"]
    (alone,) = lanes(monkeypatch, ENCODER, "positions")
    assert alone[2:] == ["encoder", "feed_forward", "output"]
    (alone,) = lanes(monkeypatch, VECTORS, "positions")
    assert alone[2:] == ["encoder", "feed_forward"]
    (alone,) = lanes(monkeypatch, DECODER, "positions")
    assert alone[2:] == ["decoder", "feed_forward", "output"]
