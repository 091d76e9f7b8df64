"""Helpers of all kinds of questions: they read a run, and name its parts."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

import numpy as np
import torch
from torch import Tensor

from explorer.analysis.attention import Attention, word_positions
from explorer.attention import AttentionTrace
from explorer.exercises.question import Bars, Focus, Level, Question, Topic
from explorer.figures.labels import disambiguated
from explorer.languages import in_quotes, mark, tr, tr_n
from explorer.names import ATTENTION_KINDS, AttentionKind
from explorer.runtime.engine import Run

T = TypeVar("T")
Maker = Callable[[Run, np.random.Generator], Question]
# Translators: these stand in sentences such as “In {where}, which head …?”
_LAYERS: Final[Mapping[AttentionKind, str]] = {
    "encoder": mark("layer {layer} of the encoder's self-attention"),
    "decoder": mark("layer {layer} of the decoder's self-attention"),
    "cross": mark("layer {layer} of cross-attention"),
}
# Translators: these stand in sentences such as “In {where}, which of these …?”
_HEADS: Final[Mapping[AttentionKind, str]] = {
    "encoder": mark("layer {layer}, head {head} of the encoder's self-attention"),
    "decoder": mark("layer {layer}, head {head} of the decoder's self-attention"),
    "cross": mark("layer {layer}, head {head} of cross-attention"),
}
LEAD: Final = 0.25  # a right answer leads every other one by at least this share of its own size


class NoDataError(Exception):
    """The run has nothing that this kind of question could be about."""


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of question. Its maker raises `NoDataError` where the run has no data for it."""

    topic: Topic
    level: Level
    title: str  # marked: `tr` looks it up where it is shown
    make: Maker


class Kinds(dict[str, Kind]):
    """The kinds of questions about one topic, by the names of their makers."""

    def __init__(self, topic: Topic) -> None:
        super().__init__()
        self.topic = topic

    def add(self, level: Level, title: str) -> Callable[[Maker], Maker]:
        """Add the maker below as a kind of its own."""

        def keep(make: Maker) -> Maker:
            self[make.__name__] = Kind(self.topic, level, title, make)
            return make

        return keep


def require(*facts: bool | np.bool_) -> None:
    """Go on only if the run has what the question is about; else raise `NoDataError`."""
    if not all(facts):
        raise NoDataError


def known(value: T | None) -> T:
    """A value that the run may lack; raises `NoDataError` where it does."""
    if value is None:
        raise NoDataError
    return value


def pick(rng: np.random.Generator, choices: Sequence[T]) -> T:
    """One of the choices; raises `NoDataError` if there is none."""
    require(len(choices) > 0)
    return choices[int(rng.integers(len(choices)))]


def mixed(
    rng: np.random.Generator, right: T, others: Iterable[T], most: int = 3
) -> tuple[list[T], int]:
    """The right option among up to `most` others, in random order, and its index.

    The others are drawn at random, without repetition.
    """
    wrong = [other for other in dict.fromkeys(others) if other != right]
    drawn = [wrong[at] for at in rng.permutation(len(wrong))[:most].tolist()]
    options = [right, *drawn]
    options = [options[at] for at in rng.permutation(len(options)).tolist()]
    return options, options.index(right)


def names(labels: Sequence[str]) -> tuple[str, ...]:
    """One name per token; where words repeat, with the position before it."""
    return tuple(disambiguated(labels, unnumbered=None))


def quoted(labels: Sequence[str], at: int) -> str:
    """One token in quotation marks, named as in `names`."""
    name = names(labels)[at]
    return name if name.startswith("“") else in_quotes(name)


def counted_tokens(how_many: int) -> str:
    """“1 token”, “2 tokens”."""
    return tr_n("{n:,} token", "{n:,} tokens", how_many)


def counted_heads(how_many: int) -> str:
    """“1 head”, “2 heads”."""
    return tr_n("{n:,} head", "{n:,} heads", how_many)


def axes_of_scores() -> tuple[str, ...]:
    """The names of the axes of scores and of masks."""
    # Translators: the queries and keys of attention.
    return tr("sentences"), tr("heads"), tr("queries"), tr("keys")


def any_attention(
    run: Run, rng: np.random.Generator, among: Sequence[AttentionKind] = ATTENTION_KINDS
) -> Attention:
    """One attention of the model, of these kinds."""
    kind = pick(rng, [kind for kind in run.request.config.attention_kinds if kind in among])
    return run.attention(kind, int(rng.integers(run.request.config.layers_of(kind))))


def where(attention: Attention, head: int | None = None) -> str:
    """“layer 2, head 3 of cross-attention”, counted from 1."""
    if head is None:
        return tr(_LAYERS[attention.kind], layer=attention.layer + 1)
    return tr(_HEADS[attention.kind], layer=attention.layer + 1, head=head + 1)


@dataclass(frozen=True, slots=True)
class Row:
    """One query of one head."""

    attention: Attention
    trace: AttentionTrace
    head: int
    query: int

    @classmethod
    def of(cls, run: Run, attention: Attention, head: int, query: int) -> "Row":
        """A query of a head of an attention of this run."""
        trace = run.trace.attention(attention.kind, attention.layer)
        return cls(attention, trace, head, query)

    @property
    def head_in_words(self) -> str:
        """“layer 1, head 2 of …”."""
        return where(self.attention, self.head)

    @property
    def word(self) -> str:
        """The query's word."""
        return quoted(self.attention.query_labels, self.query)

    def key_word(self, key: int) -> str:
        """A key's word."""
        return quoted(self.attention.key_labels, key)

    def open_keys(self) -> list[int]:
        """The keys that the query may attend to."""
        return np.flatnonzero(self.attention.may_attend[self.query]).tolist()

    def dots(self) -> np.ndarray:
        """q·k for every key."""
        q, k = (as_array(x[0, self.head]) for x in (self.trace.q, self.trace.k))
        dots: np.ndarray = k @ q[self.query]
        return dots

    def scores(self) -> np.ndarray:
        """The scores of every key."""
        return as_array(self.trace.scores[0, self.head, self.query])

    def weights(self) -> np.ndarray:
        """The weights of every key."""
        return as_array(self.trace.weights[0, self.head, self.query])

    def used(self) -> np.ndarray:
        """The weights that v is multiplied by: after dropout, where it is on."""
        dropped = self.trace.dropped
        return self.weights() if dropped is None else as_array(dropped[0, self.head, self.query])

    def focus(self, key: int | None = None, step: str | None = None) -> Focus:
        """The place in the app that shows this row, with a key and a step if they are given."""
        kind, layer = self.attention.kind, self.attention.layer
        return Focus(kind=kind, layer=layer, head=self.head, query=self.query, key=key, step=step)


def queries_with_choice(attention: Attention, least: int = 2) -> list[int]:
    """The words that may attend to at least that many keys."""
    n_open = attention.may_attend.sum(axis=1)
    return [at for at in word_positions(attention.query_labels) if n_open[at] >= least]


def is_clearly_larger(best: float, other: float) -> bool:
    """Whether the larger of two numbers is larger by enough to be asked for."""
    return best - other >= LEAD * abs(best)


def clear_best(values: Sequence[float]) -> int | None:
    """The index of the largest value; None if the next one is too close to ask for it."""
    order = np.argsort(values)[::-1]
    if len(order) < 2 or not is_clearly_larger(values[order[0]], values[order[1]]):
        return None
    return int(order[0])


def bars(name: str, labels: Sequence[str], values: Iterable[float]) -> Bars:
    """Numbers to draw."""
    return Bars(name=name, labels=tuple(labels), values=tuple(map(float, values)))


def as_array(tensor: Tensor) -> np.ndarray:
    """A tensor's numbers, in float64."""
    array: np.ndarray = tensor.detach().to("cpu", torch.float64).numpy()
    return array


def as_read(value: float, digits: int = 3) -> float:
    """A number as it is written, so that a reader who computes with it gets the same result."""
    return round(value, digits)


def softmax(scores: np.ndarray) -> np.ndarray:
    """exp(s) ÷ the sum of all exp(s)."""
    exponentials: np.ndarray = np.exp(scores - scores.max())
    shares: np.ndarray = exponentials / exponentials.sum()
    return shares
