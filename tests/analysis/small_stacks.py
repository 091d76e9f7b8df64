"""Small models for tests of the stack's stops."""

from dataclasses import replace
from typing import Any

import pytest
import torch

from explorer.analysis.stops import Stop, stops
from explorer.config import ModelConfig
from explorer.transformer import Transformer
from tests.properties.strategies import perturbed

CONFIG = ModelConfig(d_model=6, n_heads=3, n_encoder_layers=2, n_decoder_layers=1, d_ff=10,
                     dropout=0.3, src_vocab_size=9, tgt_vocab_size=8, src_pad_id=1)  # fmt: skip
# Two sentences: the first one is shown; the second has other numbers.
SRC, TGT = torch.tensor([[2, 3, 4, 1], [5, 6, 7, 8]]), torch.tensor([[3, 4, 0], [1, 6, 7]])
MODULES = {
    "self-attention": "attention",
    "masked self-attention": "attention",
    "cross-attention": "cross",
    "feed-forward": "feed_forward",
}

BOTH_NORMS = pytest.mark.parametrize("norm_first", [False, True], ids=["post-norm", "pre-norm"])
DEPTHS = pytest.mark.parametrize(("n_encoder", "n_decoder"), [(1, 1), (2, 1), (1, 3), (3, 2)])


def model_of(norm_first: bool, n_encoder: int = 2, n_decoder: int = 1) -> Transformer:
    depths: dict[str, Any] = {"n_encoder_layers": n_encoder, "n_decoder_layers": n_decoder}
    return perturbed(Transformer(replace(CONFIG, norm_first=norm_first, **depths)))


def stops_of(model: Transformer) -> list[Stop]:
    return stops(model, model(SRC, TGT))


def path_of(part: str) -> str:
    """Where the layer's weights lie: "decoder 2" is decoder.1."""
    stack, number = part.split()
    return f"{stack}.{int(number) - 1}"
