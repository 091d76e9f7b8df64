"""How much memory a model and its trace take, and what is free."""

from dataclasses import fields, is_dataclass
from typing import Any

import pytest
import torch
from torch import Tensor

from explorer.config import ModelConfig
from explorer.runtime import memory
from explorer.transformer import Transformer

MIB = 2**20


def small(**changes: Any) -> ModelConfig:
    sizes = {"d_model": 8, "n_heads": 2, "n_encoder_layers": 2, "n_decoder_layers": 2, "d_ff": 12,
             "src_vocab_size": 11, "tgt_vocab_size": 7}  # fmt: skip
    return ModelConfig(**{**sizes, **changes})


def floats_in(node: Any) -> list[Tensor]:
    """Every float tensor of a trace, one entry a field."""
    if isinstance(node, Tensor):
        return [node] if node.is_floating_point() else []
    if is_dataclass(node):
        node = [getattr(node, field.name) for field in fields(node)]
    return [t for item in node for t in floats_in(item)] if isinstance(node, list | tuple) else []


class TestEstimate:
    @pytest.mark.parametrize(
        ("config", "batch", "src", "tgt"),
        [
            (small(), 1, 1, 1),
            (small(), 3, 5, 4),
            (small(norm_first=True), 2, 4, 6),
            (small(n_encoder_layers=1, n_decoder_layers=3), 2, 3, 5),
            (small(n_encoder_layers=4, n_decoder_layers=1, norm_first=True), 1, 7, 2),
            (small(d_model=12, n_heads=4, d_ff=5), 2, 9, 8),
            (small(d_model=6, n_heads=1, d_ff=50, src_vocab_size=5, tgt_vocab_size=90), 4, 2, 3),
        ],
    )
    def test_the_estimate_equals_the_bytes_of_a_model_and_its_trace(
        self, config: ModelConfig, batch: int, src: int, tgt: int
    ) -> None:
        estimate = memory.estimate(config, batch, src, tgt)
        model = Transformer(config)
        assert estimate.model == sum(p.numel() * p.element_size() for p in model.parameters())

        trace = model(torch.ones(batch, src).long(), torch.ones(batch, tgt).long())
        tensors = floats_in(trace)
        assert estimate.trace == sum(t.numel() * t.element_size() for t in tensors)
        encoded = floats_in(model.encode(torch.ones(batch, src).long()))
        assert estimate.encoded == sum(t.numel() * t.element_size() for t in encoded)

        # Fields may share memory, never take more than their size says.
        held = {t.untyped_storage().data_ptr(): t.untyped_storage().nbytes() for t in tensors}
        assert 0.5 * estimate.trace < sum(held.values()) <= estimate.trace


def test_on_the_gpu_the_driver_knows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda name: (7 * MIB, 9 * MIB))
    assert memory.free_memory("cuda:1") == 7 * MIB
