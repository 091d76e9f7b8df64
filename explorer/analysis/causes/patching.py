"""Which part carries the difference between two sentences? Activations taken from another run.

A run of sentence A is given some of its activations from a run of sentence B, and everything after
them is computed anew (activation patching, Vig et al. 2020). What that brings back of the
difference between the two answers, the part carries.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import get_args

import numpy as np
import torch
from jaxtyping import Bool, Float
from torch import Tensor

from explorer.analysis.causes.question import OfLayer, Question, Sentence, one_by_one
from explorer.config import require_within
from explorer.intervention import Given, GivenAttention, Intervention, Stack, given_to_heads
from explorer.names import AttentionId, AttentionKind
from explorer.transformer import Transformer, TransformerTrace

Positions = Sequence[int] | None  # None: all


def patch(
    sentence: Sentence,
    other: Sentence,
    kind: AttentionKind,
    layer: int,
    head: int | None,
    positions: Positions = None,
) -> TransformerTrace:
    """The trace of a sentence with a head's output (before W_O) taken from another one.

    `head` None stands for all heads of the layer, `positions` for queries, from 0.

    Raises:
        ValueError: if there is no such head or position, the sentences were not read by the same
            model, or one is longer where positions are to be taken over.
    """
    _require_same_model(sentence, other)
    mine, its = (run.trace.attention(kind, layer).context for run in (sentence, other))
    heads = mine.shape[1]
    if head is not None:
        require_within("head", head, heads)
    taken = _taken(positions, mine.shape[2], its.shape[2])
    chosen = torch.tensor([head is None or head == at for at in range(heads)])
    where = (chosen[:, None, None] & taken[:, None])[None].to(mine.device)  # (1, heads, query, 1)
    given = Given(where, _fitted(its, mine.shape[2]))
    return sentence.run(_into_context((kind, layer), given))


def patch_stream(
    sentence: Sentence, other: Sentence, stack: Stack, layer: int, positions: Positions = None
) -> TransformerTrace:
    """The trace of a sentence with what enters a layer taken from another one, at some positions.

    Layer 0 is the embedding; the number of layers stands for what the last one leaves.

    Raises:
        ValueError: as `patch`.
    """
    _require_same_model(sentence, other)
    mine, its = (_stream(run.trace, stack, layer) for run in (sentence, other))
    taken = _taken(positions, mine.shape[1], its.shape[1]).to(mine.device)
    given = Given(taken[None, :, None], _fitted(its, mine.shape[1]))  # (1, length, d_model)
    return sentence.run(_into_stream((stack, layer), given))


def restored_by_heads(question: Question, other: Sentence) -> Iterator[OfLayer]:
    """Every head of every layer patched alone, at all positions: one layer at a time.

    Of the difference between the sentences in what is in question, each patch brings back the share
    (patched − A) / (B − A). It may be negative, and above 1. A part that others outvote restores
    little, though it may do the same work.

    Raises:
        ValueError: as `patch`, or if both sentences give the same in this question.
    """
    sentence, whole = question.sentence, _difference(question, other)
    for kind, layer in sentence.model.config.attentions:
        mine, its = (run.trace.attention(kind, layer).context for run in (sentence, other))
        _taken(None, mine.shape[2], its.shape[2])
        read = mine.shape[2] if kind == "encoder" else question.read
        given = partial(given_to_heads, (kind, layer), values=its[:, :, :read])
        yield kind, layer, one_by_one(question, kind, mine.shape[1], given) / whole


def restored_by_positions(question: Question, other: Sentence) -> Iterator[OfLayer]:
    """Every position patched alone: of the residual stream, and of what cross-attention brings.

    Of a stack, layer 0 is the embedding and each number above it what that many layers have made.
    Positions that the word in question cannot depend on bring back nothing.

    Raises:
        ValueError: as `restored_by_heads`.
    """
    config, whole = question.sentence.model.config, _difference(question, other)
    traces = question.sentence.trace, other.trace

    def shares(
        kind: AttentionKind, mine: Tensor, its: Tensor, into: Callable[[Given], Intervention]
    ) -> Float[np.ndarray, " positions"]:
        length = mine.shape[-2]
        _taken(None, length, its.shape[-2])
        read = length if kind == "encoder" else question.read

        def given(where: Bool[Tensor, "runs read"]) -> Intervention:
            place = where.reshape(len(where), *[1] * (mine.ndim - 3), read, 1)  # all heads at once
            return into(Given(place, its[..., :read, :]))

        return np.pad(one_by_one(question, kind, read, given) / whole, (0, length - read))

    for stack in get_args(Stack):
        layers = config.layers_of(stack)
        for layer in range(layers + 1 if layers else 0):
            mine, its = (_stream(trace, stack, layer) for trace in traces)
            into = partial(_into_stream, (stack, layer))
            yield stack, layer, shares(stack, mine, its, into)
    for layer in range(config.layers_of("cross")):
        mine, its = (trace.attention("cross", layer).context for trace in traces)
        yield "cross", layer, shares("cross", mine, its, partial(_into_context, ("cross", layer)))


def _into_stream(at: tuple[Stack, int], given: Given) -> Intervention:
    return Intervention(stream={at: given})


def _into_context(at: AttentionId, given: Given) -> Intervention:
    return Intervention(attentions={at: GivenAttention(context=given)})


def _difference(question: Question, other: Sentence) -> float:
    """The measure in the other sentence minus that in this one.

    Raises:
        ValueError: if there is none to bring back.
    """
    _require_same_model(question.sentence, other)
    other.require_position(question.position)
    theirs = question.answered(other)
    if abs(theirs - question.answer) < 1e-6:
        raise ValueError(
            "the two sentences must differ in what is in question, and both give "
            f"{question.answer:.3f}; change a word, or ask for another one"
        )
    return theirs - question.answer


def _require_same_model(sentence: Sentence, other: Sentence) -> None:
    mine, its = sentence.model, other.model
    if mine is not its and not (mine.config == its.config and _equal(mine, its)):
        raise ValueError("both sentences must be read by the same model, got two models")


def _equal(one: Transformer, other: Transformer) -> bool:
    pairs = zip(one.parameters(), other.parameters(), strict=True)
    return all(torch.equal(mine, its) for mine, its in pairs)


def _stream(trace: TransformerTrace, stack: Stack, layer: int) -> Float[Tensor, "1 length d_model"]:
    """The input of a layer of a stack."""
    layers = trace.encoder if stack == "encoder" else trace.decoder
    require_within(f"layer of the {stack}", layer, len(layers) + 1 if layers else 0)
    embedding = trace.src_embedding if stack == "encoder" else trace.tgt_embedding
    return layers[layer - 1].out if layer else embedding.out


def _taken(positions: Positions, mine: int, its: int) -> Bool[Tensor, " length"]:
    """A mask of the positions that are taken over.

    Raises:
        ValueError: if one of the sentences lacks some.
    """
    if positions is None and mine != its:
        raise ValueError(
            f"both sentences must have as many tokens here, got {mine} and {its}; "
            "choose another word of as many pieces, or name the positions to take over"
        )
    shared = min(mine, its)
    chosen = range(shared) if positions is None else positions
    for at in chosen:
        require_within("positions", at, shared)
    taken = torch.zeros(mine, dtype=torch.bool)
    taken[list(chosen)] = True
    return taken


def _fitted(
    values: Float[Tensor, "*batch its width"], length: int
) -> Float[Tensor, "*batch length width"]:
    """Cut or filled up with zeros, which nothing takes over, to as many positions."""
    missing = max(0, length - values.shape[-2])
    return torch.nn.functional.pad(values, (0, 0, 0, missing))[..., :length, :]
