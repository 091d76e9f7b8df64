"""Which part carries the difference between two sentences? Activations taken from another run.

A run of sentence A is given some of its activations from a run of sentence B, and everything after
them is computed anew (activation patching, Vig et al. 2020). What that brings back of the
difference between the two answers, the part carries.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Float
from torch import Tensor

from explorer.analysis.causes.question import AT_ONCE, Question, Sentence
from explorer.config import require_place
from explorer.intervention import Given, GivenAttention, Intervention, Stack
from explorer.names import AttentionKind
from explorer.transformer import Transformer, TransformerTrace

Positions = Sequence[int] | None  # None: all


@dataclass(frozen=True, slots=True, kw_only=True)
class Restored:
    """The share of the difference that each patch restores: 0 is nothing, 1 is all of it.

    It may be negative, and above 1. A part that others outvote restores little, though it may
    do the same work.
    """

    kind: AttentionKind  # of the heads; for the stream, the kind of its stack
    layer: int  # from 0; for the stream, the layer whose input it is
    shares: Float[np.ndarray, " patched"]  # of every head, or of every position


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
    require_place(sentence.model.config, kind, layer)
    mine, its = (run.trace.attention(kind, layer).context for run in (sentence, other))
    heads = mine.shape[1]
    if head is not None and not 0 <= head < heads:
        raise ValueError(f"head must lie in 0 … {heads - 1}, got {head}")
    taken = _taken(positions, mine.shape[2], its.shape[2])
    chosen = torch.tensor([head is None or head == at for at in range(heads)])
    where = (chosen[:, None, None] & taken[:, None])[None].to(mine.device)  # (1, heads, query, 1)
    given = Given(where, _fitted(its, mine.shape[2]))
    return sentence.run(Intervention(attentions={(kind, layer): GivenAttention(context=given)}))


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
    return sentence.run(Intervention(stream={(stack, layer): given}))


def restored_by_heads(question: Question, other: Sentence) -> Iterator[Restored]:
    """Every head of every layer patched alone, at all positions: one layer at a time.

    Of the difference between the sentences in what is in question, each patch brings back
    (patched − A) / (B − A).

    Raises:
        ValueError: as `patch`, or if both sentences give the same in this question.
    """
    sentence = question.sentence
    whole = _difference(question, other)
    for kind in sentence.model.config.attention_kinds:
        for layer in range(sentence.model.config.layers_of(kind)):
            mine, its = (run.trace.attention(kind, layer).context for run in (sentence, other))
            _taken(None, mine.shape[2], its.shape[2])
            length = mine.shape[2] if kind == "encoder" else question.read
            heads = torch.eye(mine.shape[1], dtype=torch.bool, device=mine.device)
            given = Given(heads[:, :, None, None], its[:, :, :length])  # (run, heads, query, 1)
            attentions = {(kind, layer): GivenAttention(context=given)}
            answers = measured(question, Intervention(attentions=attentions), len(heads), kind)
            yield Restored(kind=kind, layer=layer, shares=(answers - question.answer) / whole)


def restored_by_positions(question: Question, other: Sentence) -> Iterator[Restored]:
    """Every position patched alone: of the residual stream, and of what cross-attention brings.

    Of a stack, layer 0 is the embedding and each number above it what that many layers have made.
    Positions that the word in question cannot depend on bring back nothing.

    Raises:
        ValueError: as `restored_by_heads`.
    """
    config, whole = question.sentence.model.config, _difference(question, other)
    runs = (question.sentence.trace, other.trace)
    stacks: tuple[Stack, ...] = ("encoder", "decoder")
    for stack in stacks:
        for layer in range(config.layers_of(stack) + 1 if config.layers_of(stack) else 0):
            its, each = _each_position(
                question, stack, *(_stream(run, stack, layer) for run in runs)
            )
            given = Given(each[:, :, None], its)  # (run, length, 1)
            answers = measured(
                question, Intervention(stream={(stack, layer): given}), len(each), stack
            )
            yield _by_position(question, stack, layer, (answers - question.answer) / whole)
    for layer in range(config.layers_of("cross")):
        contexts = (run.attention("cross", layer).context for run in runs)
        its, each = _each_position(question, "cross", *contexts)
        given = Given(each[:, None, :, None], its)  # (run, heads, query, 1)
        attentions: dict[tuple[AttentionKind, int], GivenAttention] = {
            ("cross", layer): GivenAttention(context=given)
        }
        answers = measured(question, Intervention(attentions=attentions), len(each), "cross")
        yield _by_position(question, "cross", layer, (answers - question.answer) / whole)


def _each_position(
    question: Question,
    kind: AttentionKind,
    mine: Float[Tensor, "*batch mine width"],
    its: Float[Tensor, "*batch its width"],
) -> tuple[Float[Tensor, "*batch read width"], Bool[Tensor, "read read"]]:
    """The other run's numbers at the positions that matter, and one run for each of them."""
    _taken(None, mine.shape[-2], its.shape[-2])
    length = mine.shape[-2] if kind == "encoder" else question.read
    return its[..., :length, :], torch.eye(length, dtype=torch.bool, device=mine.device)


def _by_position(
    question: Question, kind: AttentionKind, layer: int, shares: Float[np.ndarray, " read"]
) -> Restored:
    """The shares by position: 0 for positions that cannot matter."""
    trace = question.sentence.trace
    length = trace.memory.shape[1] if kind == "encoder" else trace.decoder_out.shape[1]
    return Restored(kind=kind, layer=layer, shares=np.pad(shares, (0, length - len(shares))))


def measured(
    question: Question, given: Intervention, runs: int, kind: AttentionKind
) -> Float[np.ndarray, " runs"]:
    """The measure in each run; where the encoder is given nothing, it does not run."""
    encoded = None if kind == "encoder" else question.encoded()
    with torch.inference_mode():
        answers = [
            question.ask(_part(given, rows), rows.stop - rows.start, encoded=encoded)
            for rows in (slice(at, min(at + AT_ONCE, runs)) for at in range(0, runs, AT_ONCE))
        ]
    measures: np.ndarray = torch.cat(answers).cpu().double().numpy()
    return measures


def _part(given: Intervention, rows: slice) -> Intervention:
    """The rows of an intervention that belong to some of the runs."""
    return Intervention(
        attentions={
            layer: GivenAttention(context=Given(part.context.where[rows], part.context.values))
            for layer, part in given.attentions.items()
            if part.context is not None
        },
        stream={
            layer: Given(part.where[rows], part.values) for layer, part in given.stream.items()
        },
    )


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
    if not 0 <= layer <= len(layers) or not layers:
        raise ValueError(f"layer must lie in 0 … {len(layers)} for the {stack}, got {layer}")
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
    if wrong := [at for at in chosen if not 0 <= at < shared]:
        raise ValueError(f"positions must lie in 0 … {shared - 1}, got {wrong[0]}")
    taken = torch.zeros(mine, dtype=torch.bool)
    taken[list(chosen)] = True
    return taken


def _fitted(
    values: Float[Tensor, "*batch its width"], length: int
) -> Float[Tensor, "*batch length width"]:
    """Cut or filled up with zeros, which nothing takes over, to as many positions."""
    missing = max(0, length - values.shape[-2])
    return torch.nn.functional.pad(values, (0, 0, 0, missing))[..., :length, :]
