"""Sinusoidal positional encodings (paper section 3.5), and two ways they were published wrongly."""

from collections.abc import Callable
from typing import Final

import torch
from jaxtyping import Float
from torch import Tensor


def sinusoidal(
    length: int, d_model: int, base: float = 10000.0
) -> Float[Tensor, "length d_model"]:
    """A fixed vector for every position, each pair of dimensions a wave of its own length.

        PE(pos, 2i)   = sin(pos / base^(2i / d_model))
        PE(pos, 2i+1) = cos(pos / base^(2i / d_model))

    Computed in float64 and returned as float32. An odd `d_model` ends on a sine without its cosine.

    Raises:
        ValueError: for a length or width below 1, or a base that is not positive.
    """
    return _waves(length, d_model, base, exponent_step=1.0)


def doubled_exponent(
    length: int, d_model: int, base: float = 10000.0
) -> Float[Tensor, "length d_model"]:
    """A published mistake: the loop variable already steps by 2, and the exponent doubles it again.

    The waves lengthen twice as fast, so the upper half of the dimensions hardly moves at all.
    """
    return _waves(length, d_model, base, exponent_step=2.0)


def _waves(length: int, d_model: int, base: float, exponent_step: float) -> Tensor:
    if length < 1 or d_model < 1:
        raise ValueError(
            f"length and d_model must be at least 1, got length={length}, d_model={d_model}"
        )
    if not base > 0:
        raise ValueError(f"base must be positive, got base={base}; the paper uses 10000")
    position = torch.arange(length, dtype=torch.float64)[:, None]
    even_dimension = torch.arange(0, d_model, 2, dtype=torch.float64)  # 2i
    angle = position / base ** (exponent_step * even_dimension / d_model)
    encoding = torch.empty(length, d_model, dtype=torch.float64)
    encoding[:, 0::2] = angle.sin()
    encoding[:, 1::2] = angle[:, : d_model // 2].cos()
    return encoding.float()


VARIANTS: Final[dict[str, Callable[[int, int, float], Tensor]]] = {
    "paper": sinusoidal,
    "doubled exponent": doubled_exponent,
}
