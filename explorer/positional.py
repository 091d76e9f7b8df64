"""How a model knows the order of its tokens: the paper's waves, and what came after them.

The waves (paper section 3.5) are added to the embeddings. Relative positions are not: T5's bias and
ALiBi add to the scores, and rotary positions rotate the queries and keys.
"""

import math
from functools import lru_cache
from typing import Final

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from explorer.config import RELATIVE_BUCKETS


def sinusoidal(length: int, d_model: int, base: float = 10000.0) -> Float[Tensor, "length d_model"]:
    """A fixed vector for every position; each pair of dimensions has its own wavelength.

        PE(pos, 2i)   = sin(pos / base^(2i / d_model))
        PE(pos, 2i+1) = cos(pos / base^(2i / d_model))

    If `d_model` is odd, the last sine has no cosine.

    Raises:
        ValueError: for a length or width below 1, or a base that is not positive.
    """
    if length < 1:
        raise ValueError(f"length must be at least 1, got length={length}")
    return waves(torch.arange(length, dtype=torch.float64), d_model, base)


def waves(
    positions: Float[Tensor, " positions"], d_model: int, base: float = 10000.0
) -> Float[Tensor, "positions d_model"]:
    """The same waves at any positions, also fractional. Computed in float64, returned as float32.

    Raises:
        ValueError: as in `sinusoidal`.
    """
    if d_model < 1:
        raise ValueError(f"d_model must be at least 1, got d_model={d_model}")
    if not base > 0:
        raise ValueError(f"base must be positive, got base={base}; the paper uses 10000")
    even_dimension = torch.arange(0, d_model, 2, dtype=torch.float64)  # 2i
    frequency = base ** (-even_dimension / d_model)
    angle = positions.double()[:, None] * frequency
    encoding = torch.empty(len(positions), d_model, dtype=torch.float64)
    encoding[:, 0::2] = angle.sin()
    encoding[:, 1::2] = angle[:, : d_model // 2].cos()
    return encoding.float()


def in_halves(encoding: Float[Tensor, "length d_model"]) -> Float[Tensor, "length d_model"]:
    """The same waves, all sines before all cosines: Marian's order of the dimensions."""
    return torch.cat([encoding[:, 0::2], encoding[:, 1::2]], dim=1)


class RelativeBias(nn.Module):
    """T5's positions (Raffel et al. 2020): a number for every head and distance, added to scores.

    Small distances have a number each, large ones share theirs, and all beyond `FARTHEST` one. In
    the encoder, half of the numbers are for keys after the query; a decoder sees none of these.
    """

    FARTHEST: Final = 128

    def __init__(self, n_heads: int, *, both_ways: bool) -> None:
        super().__init__()
        self.both_ways = both_ways
        # `_weight` keeps torch from drawing weights here: `Transformer` draws all of them.
        self.of_distance = nn.Embedding(
            RELATIVE_BUCKETS, n_heads, _weight=torch.empty(RELATIVE_BUCKETS, n_heads)
        )

    def forward(self, length: int) -> Float[Tensor, "heads length length"]:
        """The bias of a sentence; rows are queries."""
        at = torch.arange(length, device=self.of_distance.weight.device)
        found: Tensor = self.of_distance(self.buckets(at[None, :] - at[:, None]))
        return found.permute(2, 0, 1)

    def buckets(self, ahead: Int[Tensor, "query key"]) -> Int[Tensor, "query key"]:
        """The bucket of each distance: keys are `ahead` tokens ahead of their queries."""
        kinds, first = RELATIVE_BUCKETS, torch.zeros_like(ahead)
        if self.both_ways:
            kinds //= 2
            first = torch.where(ahead > 0, kinds, 0)
            distance = ahead.abs()
        else:
            distance = (-ahead).clamp(min=0)
        exact = kinds // 2
        # From `exact` to FARTHEST, the distances that share a number grow like a logarithm.
        growth = (distance.clamp(min=1).float() / exact).log() / math.log(self.FARTHEST / exact)
        shared = (exact + (growth * (kinds - exact)).long()).clamp(max=kinds - 1)
        return first + torch.where(distance < exact, distance, shared)


def alibi(n_heads: int, length: int) -> Float[Tensor, "heads length length"]:
    """ALiBi (Press et al. 2022): the score falls by 2^(−8h/heads) with every token of distance."""
    slopes = 2.0 ** (-8.0 * torch.arange(1, n_heads + 1) / n_heads)
    at = torch.arange(length)
    return -slopes[:, None, None] * (at[None, :] - at[:, None]).abs()


def rotate(
    x: Float[Tensor, "batch heads length d_k"], first: int = 0
) -> Float[Tensor, "batch heads length d_k"]:
    """Rotary positions (Su et al. 2021): rotate each pair of dimensions by an angle of its own.

    The angle grows with the position, as that of the paper's wave does, so the product of a rotated
    query and a rotated key depends on their distance alone. An odd last dimension stays. `first` is
    the position of the first row.
    """
    length, d_k = x.shape[-2:]
    end = first + length
    sine, cosine = (table[first:end].to(x) for table in _angles(-(-end // 64) * 64, d_k))
    even, odd = x[..., 0 : d_k // 2 * 2 : 2], x[..., 1::2]
    rotated = torch.stack([even * cosine - odd * sine, even * sine + odd * cosine], dim=-1)
    return torch.cat([rotated.flatten(-2), x[..., d_k // 2 * 2 :]], dim=-1)


@lru_cache(maxsize=16)
def _angles(length: int, d_k: int) -> tuple[Tensor, Tensor]:
    """Sine and cosine of every position's angles, each of shape (length, d_k // 2)."""
    with torch.inference_mode(False):  # a later call may want gradients
        pairs = d_k // 2
        encoding = sinusoidal(length, max(2, 2 * pairs))
        return encoding[:, 0::2][:, :pairs], encoding[:, 1::2][:, :pairs]
