"""The larger self-attention weights between the words of a sentence, in all layers of a stack."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import torch
from jaxtyping import Float, Int

from explorer.names import PAD, AttentionKind
from explorer.transformer import TransformerTrace

MIN_WEIGHT: Final = 0.1  # smaller weights have no line
MAX_LINES: Final = 1_500  # the strongest lines of a stack


@dataclass(frozen=True, slots=True, kw_only=True)
class Lines:
    """The larger weights of every layer of a stack: for each layer, the mean of its heads."""

    words: tuple[str, ...]  # without PAD; queries and keys count them from 0
    n_layers: int
    places: Int[np.ndarray, "line 3"]  # layer, query, key
    weights: Float[np.ndarray, " line"]


def lines(
    trace: TransformerTrace,
    kind: AttentionKind,
    labels: Sequence[str],
    most: int | None = None,
) -> Lines:
    """The lines of a stack's self-attention ("encoder" or "decoder"), of a trace's first sentence.

    `labels` are the words of that sentence, PAD included; if it has more words than `most`, the
    first ones count.
    """
    n_layers = len(trace.encoder if kind == "encoder" else trace.decoder)
    words = [at for at, label in enumerate(labels) if label != PAD][:most]
    if n_layers and words:
        stacked = torch.stack(
            [trace.attention(kind, layer).weights[0].mean(dim=0) for layer in range(n_layers)]
        )
        means = stacked.cpu().numpy()[:, words][:, :, words]  # (layers, query, key)
    else:
        means = np.zeros((n_layers, len(words), len(words)), np.float32)
    falling = np.sort(means, axis=None)[::-1]
    least = (
        max(MIN_WEIGHT, float(falling[MAX_LINES - 1])) if len(falling) >= MAX_LINES else MIN_WEIGHT
    )
    places = np.argwhere(means >= least)
    return Lines(
        words=tuple(labels[at] for at in words),
        n_layers=n_layers,
        places=places,
        weights=means[tuple(places.T)],
    )
