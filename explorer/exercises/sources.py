"""The six sources of facts: a row, a mask, a next word, a stop, a cause, an embedding.

Each is found by chance in a run; what the model or the sentence lacks raises `NoFactsError`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from random import Random
from typing import Final

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from explorer import masks
from explorer.analysis.attention import Attention, word_positions
from explorer.analysis.causes import asked as asked_causes
from explorer.analysis.stops import stops
from explorer.attention import AttentionTrace
from explorer.drawing.labels import disambiguated
from explorer.exercises.facts import Text, known, pick, place, require
from explorer.exercises.question import Mask
from explorer.intervention import given_to_heads
from explorer.languages import mark
from explorer.layers import EmbeddingTrace
from explorer.names import PAD, AttentionKind, Side
from explorer.runtime.causes import Causes, sentence_of
from explorer.runtime.engine import Run

_LONGER: Final = mark(
    "Think of a longer sentence in the batch: this one is then filled up with PAD."
)
LEAD: Final = 0.25  # a right answer leads every other one by at least this share of its own size


def names(labels: Sequence[str]) -> tuple[str, ...]:
    """One name per token; where words repeat, with the position before it."""
    return tuple(disambiguated(labels, unnumbered=None))


def as_array(tensor: Tensor) -> np.ndarray:
    """A tensor's numbers, in float64."""
    array: np.ndarray = tensor.detach().to("cpu").double().numpy()
    return array


def is_clearly_larger(best: float, other: float) -> bool:
    """Whether the larger of two numbers is larger by enough to be asked for."""
    return best - other >= LEAD * abs(best)


def clear_best(values: Sequence[float] | np.ndarray) -> int | None:
    """The index of the largest value; None if the next one is too close to ask for it."""
    order = np.argsort(values)[::-1].tolist()
    is_clear = len(order) > 1 and is_clearly_larger(values[order[0]], values[order[1]])
    return order[0] if is_clear else None


@dataclass(frozen=True, slots=True)
class Row:
    """One query of one head, which has a choice of keys."""

    run: Run
    attention: Attention
    trace: AttentionTrace
    head: int
    query: int
    word: str  # of the query
    keys: tuple[str, ...]  # their words
    open_keys: list[int]
    hidden_keys: list[int]  # by the mask
    dots: np.ndarray  # q·k for every key
    scores: np.ndarray
    weights: np.ndarray

    @classmethod
    def of(cls, run: Run, rng: Random) -> "Row":
        """Any query of any head."""
        config = run.request.config
        kind = pick(rng, config.attention_kinds)
        attention = run.attention(kind, pick(rng, range(config.layers_of(kind))))
        read = word_positions(labels := attention.query_labels)
        query = pick(rng, [at for at in read if labels[at].isalnum()] or read)
        head, is_open = pick(rng, range(attention.n_heads)), attention.may_attend[query]
        require(is_open.sum() >= 2)
        opened, hidden = (np.flatnonzero(some).tolist() for some in (is_open, ~is_open))
        word, keys = names(labels)[query], names(attention.key_labels)
        trace = run.trace.attention(kind, attention.layer)
        q, k, scores, weights = (
            as_array(x[0, head]) for x in (trace.q, trace.k, trace.scores, trace.weights)
        )
        return cls(
            run, attention, trace, head, query, word, keys, opened, hidden,
            k @ q[query], scores[query], weights[query],
        )  # fmt: skip

    def named(self, key: int) -> dict[str, str | Text]:
        """The head, the query and a key, for the places of a text."""
        where = place(self.attention.kind, self.attention.layer, self.head)
        return {"where": where, "query": self.word, "key": self.keys[key]}

    def look(self, key: int, step: str | None = None) -> dict[str, object]:
        """The choices that show this row, and a step of its attention."""
        steps = {"step": step, "case": "model"} if step else {}
        at = {"layer": self.attention.layer + 1, "head": self.head + 1, "query": self.query}
        return {"attention": self.attention.kind, **at, "key": key, **steps}


@dataclass(frozen=True, slots=True)
class Padded:
    """One sentence as it stands in a batch with a longer one, and its mask in the decoder."""

    run: Run
    labels: tuple[str, ...]
    ids: Tensor  # (1, length)
    words: Tensor  # which of them are not padding
    note: str  # where its PAD comes from, if the batch on show has none
    codes: np.ndarray  # why each cell of the target mask is hidden, as `masks` has it; 0 if open

    @classmethod
    def of(cls, side: Side, run: Run, rng: Random) -> "Padded":
        """The source, or what the decoder reads: with the batch's PAD, or else one or two added."""
        source, config, pad = side == "src", run.request.config, run.batch.pad_id
        require(config.has_encoder if source else config.has_decoder)
        read = (run.batch.sources if source else run.batch.targets_in)[run.row : run.row + 1]
        labels, note = run.src_labels if source else run.tgt_labels, ""
        more = 0 if PAD in labels else pick(rng, (1, 2))
        if more:
            note = _LONGER
        ids, words = F.pad(read.ids, (0, more), value=pad), F.pad(read.words, (0, more))
        codes = masks.target_reasons(ids, pad, words=words)[0].numpy()
        return cls(run, (*labels, *[PAD] * more), ids, words, note, codes)

    @property
    def mask(self) -> Mask:
        """The target mask, to be drawn."""
        return Mask(labels=self.labels, codes=tuple(map(tuple, self.codes.tolist())))


SOURCE, TARGET = partial(Padded.of, "src"), partial(Padded.of, "tgt")


@dataclass(frozen=True, slots=True)
class NextWord:
    """One step of writing: the decoder has read its words, and the target says which follows."""

    run: Run
    steps: list[int]  # the positions of all steps
    number: int  # of this one, from 0
    written: list[int]  # the ids that follow at all steps
    logits: Tensor  # at all steps

    @classmethod
    def of(cls, run: Run, rng: Random) -> "NextWord":
        """Any step."""
        target = known(run.batch.tgt_out if run.request.config.has_decoder else None)
        steps = word_positions(run.batch.tgt_out_labels[run.row])
        number, written = pick(rng, range(len(steps))), target[run.row, steps].tolist()
        return cls(run, steps, number, written, run.trace.logits[0, steps])

    def look(self, number: int) -> dict[str, object]:
        """The choices that show a step."""
        return {"method": "greedy", "at": number + 1}


@dataclass(frozen=True, slots=True)
class AttentionStop:
    """A stop of the stack right after an attention."""

    run: Run
    kind: AttentionKind
    layer: int

    @classmethod
    def of(cls, run: Run, rng: Random) -> "AttentionStop":
        """Any attention's stop."""
        kind = pick(rng, run.request.config.attention_kinds)
        return cls(run, kind, pick(rng, range(run.request.config.layers_of(kind))))

    @property
    def look(self) -> dict[str, object]:
        """The choices that show this stop."""
        part = f"{'encoder' if self.kind == 'encoder' else 'decoder'} {self.layer + 1}"
        name = "cross-attention" if self.kind == "cross" else "self-attention"
        all_stops = enumerate(stops(self.run.loaded.model, self.run.trace))
        at = next(n for n, stop in all_stops if stop.part == part and stop.name.endswith(name))
        return {"stack_shows": "stop", "stop": at}


@dataclass(frozen=True, slots=True)
class Cause:
    """A written word, and what was computed to find out why the model wrote it."""

    causes: Causes
    asked: asked_causes.Asked

    @classmethod
    def of(cls, run: Run, rng: Random) -> "Cause":
        """Any word that the model wrote, or would write."""
        config, batch = run.request.config, run.batch
        require(run.dropout_seed is None, config.n_logits)
        words = sentence_of(run).words
        if config.has_decoder:
            require(batch.tgt_out is not None)
            words = [at for at in words if batch.tgt_out_labels[run.row][at] != PAD]
        causes = Causes.of(run, pick(rng, words))
        return cls(causes, asked_causes.Asked.of(causes.question))

    def chance(self, change: float = 0.0) -> float:
        """The probability of the word after a change of its logarithm."""
        return float(np.exp(min(self.asked.question.answer + change, 0.0)))

    def without_head(self, kind: AttentionKind, layer: int, head: int) -> float:
        """The change of the logarithm with one head switched off: its output is 0."""
        question = self.asked.question
        heads = torch.arange(
            question.sentence.model.config.n_heads, device=question.src_mask.device
        )
        given = given_to_heads((kind, layer), (heads == head)[None])
        with torch.inference_mode():
            return float(question.ask(given, 1)[0]) - question.answer

    def look(self, ask: str) -> dict[str, object]:
        """The choices that show an answer about this word."""
        return {"ask": ask, "why_at": self.asked.question.position}


@dataclass(frozen=True, slots=True)
class Embedded:
    """A word and its position, as the first layer gets them."""

    run: Run
    trace: EmbeddingTrace
    word: str
    at: int

    @classmethod
    def of(cls, run: Run, rng: Random) -> "Embedded":
        """Any word of the source, or of the target of a decoder alone."""
        source = run.request.config.has_encoder
        labels = run.src_labels if source else run.tgt_labels
        at = pick(rng, word_positions(labels))
        trace = run.trace.src_embedding if source else run.trace.tgt_embedding
        return cls(run, trace, names(labels)[at], at)
