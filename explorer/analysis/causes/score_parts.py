"""Why does this head look there? A score q·k, split into what made the query and the key."""

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from explorer.analysis.causes.question import Sentence
from explorer.analysis.causes.stream_parts import Part, StreamParts, entering, exact, leaving
from explorer.attention import MultiHeadAttention
from explorer.config import require_within
from explorer.names import AttentionKind
from explorer.positional import rotate


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreParts:
    """A score, before the mask, as a sum over pairs: a part of the query and a part of the key.

    Norms are taken with their scale as it was. What relative positions add to the score belongs to
    no part of either: it has a row and a column of its own, and one cell where they cross.
    """

    query_parts: tuple[Part, ...]
    key_parts: tuple[Part, ...]
    values: Float[np.ndarray, "query_parts key_parts"]
    score: float  # of the run itself


def parts_of_score(
    sentence: Sentence, kind: AttentionKind, layer: int, head: int, query: int, key: int
) -> ScoreParts:
    """score = Σ_ij (q_i · k_j) / √d_k, with q = Σ_i q_i and k = Σ_j k_j (Elhage et al. 2021).

    Positions count from 0: a query's in the decoder, but for an encoder's own attention; a key's
    in the source, but for the decoder's own.

    Raises:
        ValueError: if the model has no such attention or head, or the sentence no such position.
    """
    module, trace = sentence.model.attention(kind, layer), sentence.trace.attention(kind, layer)
    _, heads, n_queries, n_keys = trace.scores.shape
    require_within("head", head, heads)
    require_within("query", query, n_queries)
    require_within("key", key, n_keys)
    asks = entering(sentence, (kind, layer), query)
    is_cross = kind == "cross"
    answers = (
        leaving(sentence, "encoder", key) if is_cross else entering(sentence, (kind, layer), key)
    )
    q, k = (
        _projected(module, which, parts, head, position)
        for which, parts, position in ((0, asks, query), (1, answers, key))
    )
    scale = module.d_k**-0.5 if module.scale is None else module.scale
    values = scale * q @ k.T
    query_parts, key_parts = asks.parts, answers.parts
    if trace.bias is not None:
        values = torch.nn.functional.pad(values, (0, 1, 0, 1))
        values[-1, -1] = trace.bias[head, query, key]
        query_parts, key_parts = (*query_parts, _DISTANCE), (*key_parts, _DISTANCE)
    return ScoreParts(
        query_parts=query_parts,
        key_parts=key_parts,
        values=values.numpy(),
        score=float(trace.scores[0, head, query, key]),
    )


_DISTANCE = Part("distance")


def _projected(
    module: MultiHeadAttention, which: int, parts: StreamParts, head: int, position: int
) -> Float[Tensor, "parts d_k"]:
    """Each part times W_Q (`which` is 0) or W_K (1) of a head, rotated if positions are rotary.

    The bias joins the biases. To rotate is linear: a rotated sum is the sum of the rotated parts.
    """
    width = module.n_heads * module.d_k
    rows = slice(which * width + head * module.d_k, which * width + (head + 1) * module.d_k)
    weight, bias = module.w_qkv.weight, module.w_qkv.bias
    projected = StreamParts(parts.parts, parts.rows @ exact(weight[rows]).T)
    projected = projected.shifted(None if bias is None else bias[rows])
    if not module.rotary:
        return projected.rows
    at_position = projected.rows.new_zeros(1, len(projected.rows), position + 1, module.d_k)
    at_position[0, :, position] = projected.rows
    return rotate(at_position)[0, :, position]
