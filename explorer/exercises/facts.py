"""A kind of question is its facts and its texts, put into words where it is shown."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from random import Random
from typing import Any, Final, Generic, TypeVar, Union

from explorer.analysis.attention import SHORT_NAMES
from explorer.exercises.question import Answer, Grid, Mask, Question, Topic
from explorer.languages import in_quotes, mark, numeral, sentences, side_by_side, tr
from explorer.names import AttentionKind
from explorer.runtime.engine import Run

T = TypeVar("T")
S = TypeVar("S")
# What stands in a place of a text: words of a sentence, which are shown in quotation marks; numbers
# as they are told; numbers that the text formats; other texts; lists of these, side by side.
Value = Union[str, Decimal, int, float, "Text", tuple["Text", ...]]
Values = Mapping[str, Value]


class NoFactsError(Exception):
    """There is nothing here that this kind of question could be about."""


@dataclass(frozen=True, slots=True)
class Text:
    """A text, marked for `tr`, and what stands in its places."""

    english: str
    values: Values = field(default_factory=dict)

    def __str__(self) -> str:
        return tr(self.english, **{name: _shown(value) for name, value in self.values.items()})


@dataclass(frozen=True, slots=True)
class Facts:
    """What a question is about, and its answer, in no language."""

    right: Answer
    values: Values  # for the texts of the kind
    options: tuple[Value, ...] = ()  # of a choice; words stand there without quotation marks
    bars: tuple[float, ...] = ()  # a number for each option
    tolerance: float = 0.0  # of a number
    grid: Grid | None = None
    mask: Mask | None = None
    note: str = ""  # marked: a sentence before the question
    why: tuple[str, ...] = ()  # marked: in place of the kind's own explanation
    look: Mapping[str, object] = field(default_factory=dict)  # choices that show the answer


KINDS: Final[dict[str, "Kind[Any]"]] = {}


@dataclass(slots=True)
class Kind(Generic[S]):
    """A kind of question, which decorates the function that finds its facts in a source.

    Its texts are marked: `tr` looks them up where they are shown. Source and function raise
    `NoFactsError` where chance has found nothing to ask.
    """

    topic: Topic
    source: Callable[[Run, Random], S]
    title: str  # what it is about, in a few words
    text: str
    hint: str
    why: str = ""
    measure: str = ""  # the name of the numbers behind the options
    facts: Callable[[S, Random], Facts] = field(init=False)

    def __call__(self, facts: Callable[[S, Random], Facts]) -> Callable[[S, Random], Facts]:
        """Keep this kind under the name of the function."""
        KINDS[facts.__name__], self.facts = self, facts
        return facts


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as it was drawn, in no language."""

    kind: str
    draw: int
    facts: Facts

    def worded(self) -> Question:
        """The question in the language spoken now."""
        kind, facts = KINDS[self.kind], self.facts
        values = {name: _shown(value) for name, value in facts.values.items()}
        return Question(
            text=sentences(tr(facts.note), tr(kind.text, **values)),
            hint=tr(kind.hint),
            explanation=sentences(*(tr(why, **values) for why in facts.why or (kind.why,))),
            right=facts.right,
            options=tuple(one if isinstance(one, str) else str(one) for one in facts.options),
            tolerance=facts.tolerance,
            grid=facts.grid,
            bars=facts.bars,
            measure=tr(kind.measure),
            mask=facts.mask,
            kind=self.kind,
            topic=kind.topic,
            title=tr(kind.title),
        )


def _shown(value: Value) -> object:
    """A value as it stands in a text, in the language spoken now."""
    if isinstance(value, str):
        return value if value.startswith("“") else in_quotes(value)
    if isinstance(value, Decimal):
        return numeral(float(value), f".{-int(value.as_tuple().exponent)}f")
    if isinstance(value, tuple):
        return side_by_side(str(_shown(one)) for one in value)
    return str(value) if isinstance(value, Text) else value


def place(kind: AttentionKind, layer: int, head: int | None = None) -> Text:
    """An attention of the model, or one of its heads; the arguments count from 0."""
    values: Values = {"layer": layer + 1, "attention": Text(SHORT_NAMES[kind])}
    if head is None:
        return Text(mark("layer {layer} ({attention})"), values)
    return Text(mark("layer {layer}, head {head} ({attention})"), {**values, "head": head + 1})


def told(number: float, digits: int = 3) -> Decimal:
    """A number as it is written, so that a reader who computes with it gets the same result."""
    return Decimal(f"{round(float(number), digits) + 0.0:.{digits}f}")


def require(*facts: object) -> None:
    """Go on only if there is what the question is about; else raise `NoFactsError`."""
    if not all(facts):
        raise NoFactsError


def known(value: T | None) -> T:
    """A value that may be lacking; raises `NoFactsError` where it is."""
    if value is None:
        raise NoFactsError
    return value


def pick(rng: Random, choices: Sequence[T]) -> T:
    """One of the choices; raises `NoFactsError` if there is none."""
    require(len(choices))
    return choices[int(rng.random() * len(choices))]


def shuffled(rng: Random, items: Iterable[T]) -> list[T]:
    """The items in random order.

    Of a generator, only `random` gives the same numbers in every version of Python.
    """
    return sorted(items, key=lambda _: rng.random())


def mixed(rng: Random, right: T, others: Iterable[T], most: int = 3) -> tuple[tuple[T, ...], int]:
    """The right option among up to `most` others in random order, all different, and its index."""
    wrong = [other for other in dict.fromkeys(others) if other != right]
    options = shuffled(rng, [right, *shuffled(rng, wrong)[:most]])
    return tuple(options), options.index(right)
