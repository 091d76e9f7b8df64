"""Small pictures for the blocks of the map, one byte a cell."""

import base64
import math
from typing import Any, Final

import numpy as np
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor

from explorer.attention import AttentionTrace, may_attend
from explorer.names import AttentionKind

Picture = dict[str, Any]
ROWS: Final = 24
COLUMNS: Final = 40
HEADS: Final = 16  # drawn of one attention
CELLS: Final = 24  # a side of one head; longer sentences are drawn coarser


def numbers(values: Float[Tensor, "length width"]) -> Picture:
    """Numbers, the largest of them in the strongest colour.

    If some are negative, 128 stands for 0, else 1.
    """
    drawn = values[:ROWS, :COLUMNS].detach().cpu().numpy()  # learned positions are weights
    largest = float(np.abs(drawn).max(initial=0.0)) or 1.0
    if drawn.min(initial=0.0) >= 0:
        return _picture("amounts", 1 + np.rint(254 * drawn / largest)[None])
    return _picture("signed", 128 + np.rint(127 * drawn / largest)[None])


def probabilities(shares: Float[Tensor, "length width"]) -> Picture:
    """Probabilities: 1 stands for 0, and 255 for 1."""
    return _picture("amounts", 1 + np.rint(254 * shares[:ROWS].cpu().numpy())[None])


def heads(attention: AttentionTrace, kind: AttentionKind) -> Picture:
    """Every head's weights: 0 is masked, 1 … 255 are weights from 0 to 1."""
    weights = attention.weights[0, :HEADS]
    allowed = may_attend(attention)
    factor = math.ceil(max(weights.shape[1:]) / CELLS)
    if factor > 1:  # each cell is the largest of several
        weights = F.max_pool2d(weights, factor, ceil_mode=True)
        allowed = F.max_pool2d(allowed[None].float(), factor, ceil_mode=True)[0] > 0
    cells = np.where(allowed.cpu().numpy(), 1 + np.rint(254 * weights.cpu().numpy()), 0)
    return _picture(kind, cells)


def _picture(scale: str, cells: np.ndarray) -> Picture:
    count, rows, columns = cells.shape
    return {
        "scale": scale,
        "count": count,
        "rows": rows,
        "columns": columns,
        "cells": base64.b64encode(cells.astype(np.uint8).tobytes()).decode(),
    }
