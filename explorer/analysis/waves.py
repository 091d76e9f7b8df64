"""A few dimensions of the positional encoding between the positions, as curves."""

import math
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float

from explorer import positional


@dataclass(frozen=True, slots=True, kw_only=True)
class Waves:
    """Some dimensions at fine steps, and at two positions that are equal on the first of them."""

    dimensions: list[int]
    at: Float[np.ndarray, " steps"]
    values: Float[np.ndarray, "steps d_model"]
    wavelength: float  # positions until the first dimension repeats
    here: Float[np.ndarray, " dimensions"]  # at position 0
    again: Float[np.ndarray, " dimensions"]  # one wavelength later


def waves(length: int, d_model: int, base: float, first: int) -> Waves:
    """The dimension `first`, its partner and a slower pair, over `length` positions."""
    slower = first + max(4, d_model // 16 * 2)  # of base 10,000, about three times as slow
    dimensions = [dim for dim in (first, first + 1, slower, slower + 1) if dim < d_model]
    wavelength = 2 * math.pi * base ** ((first - first % 2) / d_model)
    steps = 20 if length <= 64 else 8
    at = torch.linspace(0, length - 1, (length - 1) * steps + 1, dtype=torch.float64)
    both = positional.waves(torch.tensor([0.0, wavelength]), d_model, base)[:, dimensions]
    here, again = both.numpy()
    return Waves(
        dimensions=dimensions,
        at=at.numpy(),
        values=positional.waves(at, d_model, base).numpy(),
        wavelength=wavelength,
        here=here,
        again=again,
    )
