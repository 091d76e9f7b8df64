"""Where the vectors of the last layer come from: attention, rollout and value zeroing.

All three follow the words through the layers, whatever word is written. The first two take the
weights as they are; value zeroing tries what each value does.
"""

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float
from torch import Tensor

from explorer.analysis.causes.question import AT_ONCE, Question, Sides
from explorer.attention import may_attend
from explorer.intervention import Given, GivenAttention, GivenLayer
from explorer.layers import DecoderLayerTrace, EncoderLayerTrace
from explorer.transformer import TransformerTrace

Mixed = Float[Tensor, "row word"]  # the share of every word in every row


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
    mixed = _unmixed(trace)
    # No row of the source has target words.
    source = F.pad(memory, (0, mixed.shape[1] - len(memory))).to(mixed)
    for layer in trace.decoder:
        mixed = _halved(_mean([layer.attention.weights]), mixed, mixed)
        if layer.cross is not None:
            mixed = _halved(_mean([layer.cross.weights]), source, mixed)
    return _sides(mixed, question)


def value_zeroing(question: Question) -> Sides:
    """How much each vector changes when one token's value is 0 (Mohebbi et al. 2023).

        C_ij = 1 − cos(x̃_i, x̃_i without v_j), each row divided by its sum

    x̃ is the layer's output, so residual connections and feed-forward count as they are. The layers
    are multiplied as in a rollout. A row of a decoder is shared between the words of the source,
    whose values are those of cross-attention, and of the target.
    """
    trace = question.sentence.trace
    memory = torch.eye(trace.memory.shape[1]).to(trace.memory)
    with torch.inference_mode():
        for n in range(len(trace.encoder)):
            memory = _encoder_shares(question, n) @ memory
        if not trace.decoder:
            return _sides(memory, question)
        mixed = _unmixed(trace)
        source = F.pad(memory, (0, mixed.shape[1] - len(memory))).to(mixed)
        for n in range(len(trace.decoder)):
            shares = _decoder_shares(question, n)
            mixed = shares[:, : len(memory)] @ source + shares[:, len(memory) :] @ mixed
    return _sides(mixed, question)


def _encoder_shares(question: Question, n: int) -> Float[Tensor, "src src"]:
    """C of an encoder layer: the share of every token's value in every row."""
    model, trace = question.sentence.model, question.sentence.trace
    layer = trace.encoder[n]
    x = trace.encoder[n - 1].out if n else trace.src_embedding.out
    changed, none = [], torch.eye(x.shape[1], dtype=torch.bool, device=x.device)
    for words in torch.split(none, AT_ONCE):
        given: GivenLayer = {"encoder": _zeroed(words)}
        read, own = x.expand(len(words), -1, -1), layer.attention
        changed.append(model.encoder[n](read, own.mask, None, own.bias, given).out)
    return _shares(layer, torch.cat(changed), may_attend(layer.attention))


def _decoder_shares(question: Question, n: int) -> Float[Tensor, "tgt words"]:
    """C of a decoder layer: source words first, then those of the target."""
    model, trace = question.sentence.model, question.sentence.trace
    layer = trace.decoder[n]
    n_src, n_tgt = trace.memory.shape[1], len(layer.out[0])
    x = trace.decoder[n - 1].out if n else trace.tgt_embedding.out
    changed, none = [], torch.eye(n_src + n_tgt, dtype=torch.bool, device=x.device)
    for words in torch.split(none, AT_ONCE):
        given: GivenLayer = {
            "decoder": _zeroed(words[:, n_src:]),
            "cross": _zeroed(words[:, :n_src]),
        }
        read, memory = (part.expand(len(words), -1, -1) for part in (x, trace.memory))
        masks, bias = (trace.tgt_mask, trace.src_mask), layer.attention.bias
        changed.append(model.decoder[n](read, memory, *masks, None, bias, given).out)
    open_cells = may_attend(layer.attention)
    if layer.cross is not None:
        open_cells = torch.cat([may_attend(layer.cross), open_cells], dim=1)
    return _shares(layer, torch.cat(changed), open_cells)


def _zeroed(where: Bool[Tensor, "run key"]) -> GivenAttention:
    """Values of 0, in every head."""
    nothing = torch.zeros(1, 1, 1, 1, device=where.device)
    return GivenAttention(v=Given(where[:, None, :, None], nothing))  # (run, heads, key, d_k)


def _shares(
    layer: EncoderLayerTrace | DecoderLayerTrace,
    changed: Float[Tensor, "run row d_model"],
    open_cells: Bool[Tensor, "row word"],
) -> Mixed:
    """How far each row moves in every run, by cosine; a row that never moves is all its own."""
    outs = layer.out.cpu().double(), changed.cpu().double()
    likeness = F.cosine_similarity(*outs, dim=-1)
    moved = (1 - likeness.T).clamp(min=0) * open_cells.cpu()  # (row, word): hidden words move none
    own = torch.eye(len(moved), dtype=moved.dtype)
    own = F.pad(own, (moved.shape[1] - len(moved), 0))  # the words of the source come first
    total = moved.sum(dim=1, keepdim=True)
    return torch.where(total > 0, moved / total, own).to(layer.out)


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


def _unmixed(trace: TransformerTrace) -> Float[Tensor, "tgt words"]:
    """Before the first layer, each row of the decoder is its own word."""
    own = torch.eye(trace.decoder_out.shape[1]).to(trace.decoder_out)
    return F.pad(own, (trace.memory.shape[1], 0))


def _sides(mixed: Mixed, question: Question) -> Sides:
    """The row in question, cut between source and target."""
    row, n_src = mixed[question.position], question.sentence.trace.memory.shape[1]
    return row[:n_src], row[n_src:]
