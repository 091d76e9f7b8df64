"""Sinusoidal positional encodings (paper section 3.5), and a published mistake."""

from typing import Final

import torch
from jaxtyping import Float
from torch import Tensor

# Growth of the exponent per dimension. In the published mistake, the loop variable already steps
# by 2 and the exponent doubles it again: the waves lengthen twice as fast, and the upper half of
# the dimensions hardly changes.
VARIANTS: Final = {"paper": 1.0, "doubled": 2.0}


def sinusoidal(
    length: int, d_model: int, base: float = 10000.0, variant: str = "paper"
) -> Float[Tensor, "length d_model"]:
    """A fixed vector for every position; each pair of dimensions has its own wavelength.

        PE(pos, 2i)   = sin(pos / base^(2i / d_model))
        PE(pos, 2i+1) = cos(pos / base^(2i / d_model))

    If `d_model` is odd, the last sine has no cosine.

    Raises:
        ValueError: for a length or width below 1, a non-positive base, or an unknown variant.
    """
    if length < 1:
        raise ValueError(f"length must be at least 1, got length={length}")
    return waves(torch.arange(length, dtype=torch.float64), d_model, base, variant)


def waves(
    positions: Float[Tensor, " positions"],
    d_model: int,
    base: float = 10000.0,
    variant: str = "paper",
) -> Float[Tensor, "positions d_model"]:
    """The same waves at any positions, also fractional. Computed in float64, returned as float32.

    Raises:
        ValueError: as in `sinusoidal`.
    """
    if d_model < 1:
        raise ValueError(f"d_model must be at least 1, got d_model={d_model}")
    if not base > 0:
        raise ValueError(f"base must be positive, got base={base}; the paper uses 10000")
    if variant not in VARIANTS:
        raise ValueError(f"variant must be one of {list(VARIANTS)}, got {variant!r}")
    even_dimension = torch.arange(0, d_model, 2, dtype=torch.float64)  # 2i
    frequency = base ** (-VARIANTS[variant] * even_dimension / d_model)
    angle = positions.double()[:, None] * frequency
    encoding = torch.empty(len(positions), d_model, dtype=torch.float64)
    encoding[:, 0::2] = angle.sin()
    encoding[:, 1::2] = angle[:, : d_model // 2].cos()
    return encoding.float()
