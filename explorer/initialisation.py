"""The weights of a model before training, the same everywhere for the same seed."""

import math
import zlib

import torch
from torch import Generator, nn


def draw_weights(model: nn.Module, seed: int) -> None:
    """Give every parameter its numbers, each from its own random stream (see `Transformer`)."""
    for path, module in model.named_modules():
        if isinstance(module, (nn.LayerNorm, nn.RMSNorm)):
            module.weight = nn.Parameter(torch.ones(module.normalized_shape))
            if isinstance(module, nn.LayerNorm):
                module.bias = nn.Parameter(torch.zeros(module.normalized_shape))
        elif isinstance(module, nn.Embedding):
            bound = math.sqrt(3.0 / module.embedding_dim)
            module.weight = _uniform(module.weight.shape, bound, seed, path)
        elif isinstance(module, nn.Linear):
            # The stacked W_Q, W_K, W_V are three matrices of fan-out d_model each.
            stacked = 3 if path.endswith("w_qkv") else 1
            bound = math.sqrt(6.0 / (module.in_features + module.out_features / stacked))
            module.weight = _uniform(module.weight.shape, bound, seed, path)
            if module.bias is not None:
                module.bias = nn.Parameter(torch.zeros(module.out_features))


def _uniform(shape: torch.Size, bound: float, seed: int, path: str) -> nn.Parameter:
    stream = Generator().manual_seed(zlib.crc32(f"{seed}/{path}".encode()))
    return nn.Parameter(torch.empty(shape).uniform_(-bound, bound, generator=stream))
