"""The most similar rows of an embedding: words that a model has learnt to treat alike."""

from collections.abc import Sequence

import numpy as np
import torch
from jaxtyping import Bool, Float
from torch import Tensor


def nearest_rows(
    table: Float[Tensor, "vocab d_model"],
    rows: Sequence[int],
    among: Bool[np.ndarray, " vocab"],
    count: int = 3,
) -> list[list[tuple[int, float]]]:
    """For each of these rows, the other rows with the largest cosine, the nearest first.

    The cosine of two rows is 1 if they point in the same direction, 0 if they have nothing in
    common. Only rows that are True in `among` are named.
    """
    with torch.inference_mode():
        lengths = table.norm(dim=1).clamp_min(1e-12)
        dots = table[list(rows)] @ table.T
        alike = (dots / lengths[list(rows), None] / lengths).float().cpu().numpy()
    alike[:, ~among] = -np.inf
    alike[range(len(rows)), list(rows)] = -np.inf
    found = []
    for line in alike:
        best = np.argsort(-line, kind="stable")[:count]
        found.append([(int(row), float(line[row])) for row in best if np.isfinite(line[row])])
    return found
