"""Where the vectors of the last layer come from, by the weights alone: attention and rollout.

Both follow the words through the layers, whatever word is written and whatever the values hold.
"""

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor

from explorer.analysis.causes.question import Question, Sides


def attention(question: Question) -> Sides:
    """The row's weights, the mean of all heads of all layers.

    The source's are those of cross-attention, or of an encoder alone; the target's are the
    decoder's own.
    """
    trace, at = question.sentence.trace, question.position
    src, tgt = trace.memory.new_zeros(trace.memory.shape[1]), trace.decoder_out.new_zeros(0)
    if not trace.decoder:
        return _mean([layer.attention.weights for layer in trace.encoder])[at], tgt
    crossed = [layer.cross.weights for layer in trace.decoder if layer.cross is not None]
    own = _mean([layer.attention.weights for layer in trace.decoder])[at]
    return _mean(crossed)[at] if crossed else src, own


def rollout(question: Question) -> Sides:
    """Attention rollout (Abnar and Zuidema 2020): Ã_l = Â_l Ã_{l−1}, Â = (W̄ + I) / 2.

    W̄ is the mean of the heads, and I stands for the residual connection. A decoder's
    cross-attention is one more such step: half of a row stays, half comes from the source.
    """
    trace = question.sentence.trace
    memory = torch.eye(trace.memory.shape[1]).to(trace.memory)
    for encoder_layer in trace.encoder:
        memory = _halved(_mean([encoder_layer.attention.weights]), memory, memory)
    if not trace.decoder:
        return _sides(memory, question)
    # Source words come first in a row. Before the first layer, each row of the decoder is its own.
    mixed = F.pad(torch.eye(trace.decoder_out.shape[1]), (len(memory), 0)).to(trace.decoder_out)
    source = F.pad(memory, (0, len(mixed))).to(mixed)
    for layer in trace.decoder:
        mixed = _halved(_mean([layer.attention.weights]), mixed, mixed)
        if layer.cross is not None:
            mixed = _halved(_mean([layer.cross.weights]), source, mixed)
    return _sides(mixed, question)


def _mean(weights: list[Float[Tensor, "1 heads query key"]]) -> Float[Tensor, "query key"]:
    """The mean over layers and heads."""
    return torch.stack(weights).mean(dim=(0, 1, 2))


def _halved(
    weights: Float[Tensor, "query key"],
    keys: Float[Tensor, "key word"],
    stays: Float[Tensor, "query word"],
) -> Float[Tensor, "query word"]:
    """(W keys + what stays) / 2; where a query sees no key, all stays."""
    return (weights @ keys + stays) / (weights.sum(dim=1, keepdim=True) + 1)


def _sides(mixed: Float[Tensor, "row word"], question: Question) -> Sides:
    """The row in question, cut between source and target."""
    row, n_src = mixed[question.position], question.sentence.trace.memory.shape[1]
    return row[:n_src], row[n_src:]
