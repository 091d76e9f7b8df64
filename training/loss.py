"""The translator's loss: of its words, of its taught heads, and of two readings that differ."""

from collections.abc import Mapping
from typing import Final

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor

from explorer.attention import AttentionTrace
from explorer.config import ModelConfig
from explorer.names import AttentionKind
from explorer.transformer import Transformer

COPYING: Final = 4  # a head of cross-attention: any would do
# Heads that are taught to look at one place, in tokens from their own.
LOOKS: Final[Mapping[tuple[AttentionKind, int, int], int]] = {
    ("encoder", 0, 0): 1, ("encoder", 0, 3): -1,
    ("decoder", 0, 0): -1, ("decoder", 0, 1): -2, ("decoder", 1, 7): -1, ("decoder", 2, 4): 0,
}  # fmt: skip


def taught_heads(config: ModelConfig) -> list[tuple[AttentionKind, int, int]]:
    """Kind, layer and head of the heads that `copying` and `looking` teach, from 0."""
    layers = config.n_decoder_layers
    copying: list[tuple[AttentionKind, int, int]]
    copying = [("cross", layer, COPYING) for layer in range(max(0, layers - 2), layers)]
    return [
        (kind, layer, head)
        for kind, layer, head in (*LOOKS, *copying)
        if layer < config.layers_of(kind) and head < config.n_heads
    ]


def loss_of(
    model: Transformer,
    src: Int[Tensor, "batch src"],
    tgt: Int[Tensor, "batch tgt"],
    generator: torch.Generator | None,
    *,
    smoothing: float,
    copying: float,
    looking: float,
    agreeing: float,
) -> Float[Tensor, ""]:
    """The mean loss, in nats a piece, of the targets with BOS and EOS, each after those before.

    So many times `copying`, the mean of -log a is added, where a is the weight of a piece of the
    source that is to be written next, in the `COPYING` head of the last two layers (guided
    alignment, Chen et al. 2016). It teaches to copy names that were never read before. With
    `looking`, the same is done for the heads of `LOOKS` and their places: some heads do one thing
    only, so that their weights can be read. With `agreeing`, each pair is read twice, with other
    numbers dropped, and so many times the mean divergence of the two predictions is added: the
    mean of KL(p || q) and KL(q || p), where p and q are theirs (R-Drop, Liang et al. 2021, whose α
    is twice as large, since there both readings are summed).
    """
    if agreeing:
        src, tgt = src.repeat(2, 1), tgt.repeat(2, 1)
    written = tgt[:, 1:]
    with torch.autocast(src.device.type, torch.bfloat16):
        trace = model(src, tgt[:, :-1], generator)
    counts = written != model.config.tgt_pad_id
    logits = trace.logits[counts].float()
    loss = F.cross_entropy(logits, written[counts], label_smoothing=smoothing)
    if agreeing:
        first, second = logits.log_softmax(dim=-1).chunk(2)
        loss = loss + agreeing * (_divergence(first, second) + _divergence(second, first)) / 2
    for kind, layer, head in taught_heads(model.config):
        if kind == "cross":
            right = (written[:, :, None] == src[:, None, :]) & counts[:, :, None]
        else:
            read = src != model.config.src_pad_id if kind == "encoder" else counts
            n, away = read.shape[1], LOOKS[kind, layer, head]
            place = torch.ones(n, n, dtype=torch.bool, device=src.device).triu(away).tril(away)
            right = place & read[:, :, None] & read[:, None, :]
        share = copying if kind == "cross" else looking
        loss = loss + share * _missed(trace.attention(kind, layer), head, right)
    return loss


def _divergence(
    p: Float[Tensor, "pieces vocabulary"], q: Float[Tensor, "pieces vocabulary"]
) -> Float[Tensor, ""]:
    """The mean of KL(p || q), both given as logarithms."""
    return F.kl_div(q, p, reduction="batchmean", log_target=True)


def _missed(
    attention: AttentionTrace, head: int, right: Bool[Tensor, "batch query key"]
) -> Float[Tensor, ""]:
    """The mean of -log of what one head attends to the right keys, where there are any."""
    assert attention.mask is not None
    # From the scores: a weight may be so small that it is 0.
    scores = attention.scores[:, head].float().masked_fill(~attention.mask[:, 0], -torch.inf)
    taught = right.any(dim=-1, keepdim=True)
    # Where there are none, all weights are left: the logarithm of their sum is 0.
    right_scores = scores.masked_fill(taught & ~right, -torch.inf)
    found = right_scores.logsumexp(dim=-1) - scores.logsumexp(dim=-1)
    return -found.sum() / taught.sum().clamp(min=1)
