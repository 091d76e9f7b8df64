"""Where the vectors of the last layer come from: attention, rollout and value zeroing.

All three follow the words through the layers, whatever word is written. The first two take the
weights as they are; value zeroing tries what each value does.
"""

from collections.abc import Callable

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float
from torch import Tensor

from explorer.analysis.causes.question import AT_ONCE, Question, Sides
from explorer.attention import may_attend
from explorer.intervention import Given, GivenAttention, GivenLayer, Stack
from explorer.layers import DecoderLayerTrace, EncoderLayerTrace

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
    return _through_layers(question, _looks)


def value_zeroing(question: Question) -> Sides:
    """How much each vector changes when one token's value is 0 (Mohebbi et al. 2023).

        C_ij = 1 − cos(x̃_i, x̃_i without v_j), each row divided by its sum

    x̃ is the layer's output, so residual connections and feed-forward count as they are. The layers
    are multiplied as in a rollout. A row of a decoder is shared between the words of the source,
    whose values are those of cross-attention, and of the target.
    """
    return _through_layers(question, _moves)


def _through_layers(question: Question, shares: Callable[[Question, Stack, int], Mixed]) -> Sides:
    """The row in question of the product of all layers' shares, cut between source and target."""
    trace = question.sentence.trace
    n_src, n_tgt = trace.memory.shape[1], trace.decoder_out.shape[1]
    mixed = torch.eye(n_src).to(trace.memory)
    with torch.inference_mode():
        for n in range(len(trace.encoder)):
            mixed = shares(question, "encoder", n) @ mixed
        if trace.decoder:
            own = torch.eye(n_tgt).to(trace.decoder_out)
            source = F.pad(mixed.to(own), (0, n_tgt))  # no row of the source has target words
            mixed = F.pad(own, (n_src, 0))  # each row is its own word
        for n in range(len(trace.decoder)):
            of_layer = shares(question, "decoder", n)
            mixed = of_layer[:, :n_src] @ source + of_layer[:, n_src:] @ mixed
    row = mixed[question.position]
    return row[:n_src], row[n_src:]


def _looks(question: Question, stack: Stack, n: int) -> Mixed:
    """Â of a layer, source words first; where a query sees no key, all stays."""
    layer = _layers(question, stack)[n]
    own, cross = _mean([layer.attention.weights]), getattr(layer, "cross", None)
    stays = (own + torch.eye(len(own)).to(own)) / (own.sum(dim=1, keepdim=True) + 1)
    if cross is None:
        return stays
    looks = _mean([cross.weights])
    return torch.cat([looks, stays], dim=1) / (looks.sum(dim=1, keepdim=True) + 1)


def _moves(question: Question, stack: Stack, n: int) -> Mixed:
    """C of a layer, source words first: how far each row moves without the value of each word."""
    model, trace = question.sentence.model, question.sentence.trace
    layers, n_src = _layers(question, stack), trace.memory.shape[1]
    embedding = trace.src_embedding if stack == "encoder" else trace.tgt_embedding
    x, own = layers[n - 1].out if n else embedding.out, layers[n].attention
    cross, open_cells = getattr(layers[n], "cross", None), may_attend(own)
    if cross is not None:
        open_cells = torch.cat([may_attend(cross), open_cells], dim=1)
    changed, none = [], torch.eye(open_cells.shape[1], dtype=torch.bool, device=x.device)
    for words in torch.split(none, AT_ONCE):
        read, memory = (part.expand(len(words), -1, -1) for part in (x, trace.memory))
        if stack == "encoder":
            given: GivenLayer = {"encoder": _zeroed(words)}
            changed.append(model.encoder[n](read, own.mask, None, own.bias, given).out)
        else:
            given = {"decoder": _zeroed(words[:, n_src:]), "cross": _zeroed(words[:, :n_src])}
            masks = trace.tgt_mask, trace.src_mask
            changed.append(model.decoder[n](read, memory, *masks, None, own.bias, given).out)
    return _shares(layers[n].out, torch.cat(changed), open_cells)


def _layers(
    question: Question, stack: Stack
) -> tuple[EncoderLayerTrace, ...] | tuple[DecoderLayerTrace, ...]:
    trace = question.sentence.trace
    return trace.encoder if stack == "encoder" else trace.decoder


def _zeroed(where: Bool[Tensor, "run key"]) -> GivenAttention:
    """Values of 0, in every head."""
    nothing = torch.zeros(1, 1, 1, 1, device=where.device)
    return GivenAttention(v=Given(where[:, None, :, None], nothing))  # (run, heads, key, d_k)


def _shares(
    out: Float[Tensor, "1 row d_model"],
    changed: Float[Tensor, "run row d_model"],
    open_cells: Bool[Tensor, "row word"],
) -> Mixed:
    """How far each row moves in every run, by cosine; a row that never moves is all its own."""
    likeness = F.cosine_similarity(out.cpu().double(), changed.cpu().double(), dim=-1)
    moved = (1 - likeness.T).clamp(min=0) * open_cells.cpu()  # (row, word): hidden words move none
    own = torch.eye(len(moved), dtype=moved.dtype)
    own = F.pad(own, (moved.shape[1] - len(moved), 0))  # the words of the source come first
    total = moved.sum(dim=1, keepdim=True)
    return torch.where(total > 0, moved / total, own).to(out)


def _mean(weights: list[Float[Tensor, "1 heads query key"]]) -> Float[Tensor, "query key"]:
    """The mean over layers and heads."""
    return torch.stack(weights).mean(dim=(0, 1, 2))
