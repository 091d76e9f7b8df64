"""What all kinds of questions read off a run, and how they name it."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

import numpy as np
import torch
from torch import Tensor

from explorer.analysis.attention import Attention
from explorer.exercises.question import Bars, Level, Question, Topic
from explorer.languages import mark, tr, tr_n
from explorer.names import ATTENTION_KINDS, PAD, AttentionKind
from explorer.runtime.engine import Run

T = TypeVar("T")
Maker = Callable[[Run, np.random.Generator], Question | None]
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
LONGEST: Final = 18  # letters of a word that are shown
LEAD: Final = 0.25  # a right answer leads every other one by at least this share of its own size


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of question; it makes none where the run has no data for it."""

    topic: Topic
    level: Level
    title: str  # marked: `tr` looks it up where it is shown
    make: Maker


def pick(rng: np.random.Generator, some: Sequence[T]) -> T:
    """One of these."""
    return some[int(rng.integers(len(some)))]


def mixed(
    rng: np.random.Generator, right: T, others: Iterable[T], most: int = 3
) -> tuple[list[T], int]:
    """The right option among up to `most` others, in random order, and its index.

    The others are drawn at random; none is there twice.
    """
    wrong = [other for other in dict.fromkeys(others) if other != right]
    drawn = [wrong[at] for at in rng.permutation(len(wrong))[:most].tolist()]
    options = [right, *drawn]
    options = [options[at] for at in rng.permutation(len(options)).tolist()]
    return options, options.index(right)


def names(labels: Sequence[str]) -> tuple[str, ...]:
    """One name per token; where words repeat, with the position before it."""
    short = [_short(label) for label in labels]
    repeated = {label for label, times in Counter(short).items() if times > 1}
    return tuple(
        f"{at} · {label}" if label in repeated else label for at, label in enumerate(short)
    )


def quoted(labels: Sequence[str], at: int) -> str:
    """One token in quotation marks, named as in `names`."""
    name = names(labels)[at]
    return name if name.startswith("“") else in_quotes(name)


def in_quotes(token: str) -> str:
    """Words in quotation marks."""
    return tr("“{token}”", token=token)


def word_positions(labels: Sequence[str]) -> list[int]:
    """The positions that are not PAD."""
    return [at for at, label in enumerate(labels) if label != PAD]


def counted_tokens(how_many: int) -> str:
    """“1 token”, “2 tokens”."""
    return tr_n("{n:,} token", "{n:,} tokens", how_many)


def counted_heads(how_many: int) -> str:
    """“1 head”, “2 heads”."""
    return tr_n("{n:,} head", "{n:,} heads", how_many)


def axes_of_scores() -> tuple[str, ...]:
    """What the sizes of scores, and of masks, count."""
    # Translators: the queries and keys of attention.
    return tr("sentences"), tr("heads"), tr("queries"), tr("keys")


def any_attention(
    run: Run, rng: np.random.Generator, among: Sequence[AttentionKind] = ATTENTION_KINDS
) -> Attention | None:
    """One attention of the model; None if it has none of these."""
    offered = [kind for kind in run.request.config.attention_kinds if kind in among]
    if not offered:
        return None
    kind = pick(rng, offered)
    return run.attention(kind, int(rng.integers(run.request.config.layers_of(kind))))


def where(attention: Attention, head: int | None = None) -> str:
    """“layer 2, head 3 of cross-attention”, counted from 1."""
    if head is None:
        return tr(_LAYERS[attention.kind], layer=attention.layer + 1)
    return tr(_HEADS[attention.kind], layer=attention.layer + 1, head=head + 1)


def queries_with_choice(attention: Attention, least: int = 2) -> list[int]:
    """The words that may attend to at least that many keys."""
    seen = attention.may_attend.sum(axis=1)
    return [at for at in word_positions(attention.query_labels) if seen[at] >= least]


def visible(attention: Attention, query: int) -> list[int]:
    """The keys that a query may attend to."""
    return [int(key) for key in np.flatnonzero(attention.may_attend[query])]


def leads(best: float, other: float) -> bool:
    """Whether the larger of two numbers is larger by enough to be asked for."""
    return best - other >= LEAD * abs(best)


def clear_best(values: Sequence[float]) -> int | None:
    """The index of the largest value; None if the next one is too close to ask for it."""
    order = np.argsort(values)[::-1]
    if len(order) < 2 or not leads(values[order[0]], values[order[1]]):
        return None
    return int(order[0])


def bars(name: str, labels: Sequence[str], values: Iterable[float]) -> Bars:
    """Numbers to draw."""
    return Bars(name=name, labels=tuple(labels), values=tuple(map(float, values)))


def as_array(tensor: Tensor) -> np.ndarray:
    """A tensor's numbers, in float64."""
    found: np.ndarray = tensor.detach().to("cpu", torch.float64).numpy()
    return found


def as_read(value: float, digits: int = 3) -> float:
    """A number as it is told: whoever goes on from there comes to the same result."""
    return round(value, digits)


def softmax(scores: np.ndarray) -> np.ndarray:
    """exp(s) ÷ the sum of all exp(s)."""
    grown: np.ndarray = np.exp(scores - scores.max())
    shares: np.ndarray = grown / grown.sum()
    return shares


def _short(label: str) -> str:
    return label if len(label) <= LONGEST else f"{label[: LONGEST - 1]}…"
