"""Tasks that a small Transformer can learn in seconds; each task knows its right answers.

A task deals in words; ids belong to the vocabulary. Every source is either for training or held
out. The source alone decides which, so the two never mix.
"""

import random
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from explorer.languages import mark
from explorer.names import SPECIALS
from explorer.tasks.german import german_to_english, number_words
from explorer.tasks.grammar import Grammar, Words
from explorer.text import MAX_TOKENS, tokenize
from explorer.vocabulary import Vocabulary

HELD_OUT: Final = 8  # one source in this many is never trained on


@dataclass(frozen=True, slots=True)
class Pair:
    """A source sentence and its right answer, word by word."""

    source: Words
    target: Words


@dataclass(frozen=True, slots=True)
class Rearrange:
    """Copy, reverse or sort any words.

    The model is trained on numbered slots. The words of a typed sentence fill the first slots, in
    order of appearance, or sorted if the task is to sort. So a model that handles slots handles any
    sentence.
    """

    name: str
    title: str
    order: Callable[[Sequence[str]], Sequence[int]]  # source positions, in the order of the answer
    alphabetical: bool = False
    shortest: int = 1
    longest: int = 24
    slots: int = 60

    @property
    def vocabularies(self) -> tuple[Vocabulary, Vocabulary]:
        """The slots, the same for source and target."""
        vocabulary = Vocabulary.of([f"{slot:02}" for slot in range(self.slots)])
        return vocabulary, vocabulary

    def read(
        self, sources: Sequence[Words], targets: Sequence[Words]
    ) -> tuple[Vocabulary, Vocabulary]:
        """The typed words in the slots, the same for source and target."""
        size = len(SPECIALS) + self.slots
        words = dict.fromkeys(word for sentence in (*sources, *targets) for word in sentence)
        ordered = sorted(words, key=_alphabetically) if self.alphabetical else words
        vocabulary = Vocabulary.build([list(ordered)], size)
        return vocabulary, vocabulary

    def split(self, text: str) -> list[str]:
        """Any words."""
        return tokenize(text)

    def draw(self, dice: random.Random) -> Pair:
        """A pair of random length, drawn from all slots or, as when typed, from the first few."""
        length = dice.randint(self.shortest, self.longest)
        slots = dice.randint(min(length, self.slots), self.slots)
        source = tuple(f"{dice.randrange(slots):02}" for _ in range(length))
        return Pair(source, self.answer(source))

    def answer(self, source: Sequence[str]) -> Words:
        """The same words, rearranged."""
        return tuple(source[place] for place in self.order(source))


@dataclass(frozen=True)
class Translate:
    """Translate the sentences of a synchronous grammar."""

    name: str
    title: str
    grammar: Callable[[], Grammar]
    pieces: bool = False  # a word is written as one, but read as its pieces
    every: bool = False  # few enough sentences that each is drawn equally often
    longest: int = 20

    @cached_property
    def vocabularies(self) -> tuple[Vocabulary, Vocabulary]:
        """The words of the grammar."""
        source, target = self.grammar().words()
        return Vocabulary.of(source), Vocabulary.of((*target, "an"))

    def read(
        self, sources: Sequence[Words], targets: Sequence[Words]
    ) -> tuple[Vocabulary, Vocabulary]:
        """The grammar's words; others have no id."""
        return self.vocabularies

    def split(self, text: str) -> list[str]:
        """Words as the grammar spells them, or their pieces."""
        known = set(self.vocabularies[0].tokens)
        if self.pieces:
            return _pieces("".join(tokenize(text)).lower(), known)
        return [_known_spelling(word, known) for word in tokenize(text)]

    def draw(self, dice: random.Random) -> Pair:
        """A random sentence of the grammar."""
        source, target = dice.choice(self._all) if self.every else self.grammar().draw(dice)
        return Pair(source, _a_or_an(target))

    def answer(self, source: Sequence[str]) -> Words | None:
        """The grammar's own translation."""
        target = self.grammar().translate(tuple(source))
        return None if target is None else _a_or_an(target)

    @cached_property
    def _all(self) -> list[tuple[Words, Words]]:
        return self.grammar().sentences()


@dataclass(frozen=True)
class Memorise:
    """Learn a handful of pairs by heart; nothing is held out."""

    given: tuple[Pair, ...]
    name: str = mark("pairs")
    title: str = mark("your own pairs")

    @property
    def longest(self) -> int:
        """The number of words in the longest sentence, source or target."""
        return max(max(len(pair.source), len(pair.target)) for pair in self.given)

    @cached_property
    def vocabularies(self) -> tuple[Vocabulary, Vocabulary]:
        """The words of the pairs."""
        source, target = (
            Vocabulary.build(side).tokens
            for side in zip(*((pair.source, pair.target) for pair in self.given), strict=True)
        )
        return Vocabulary.of(source), Vocabulary.of(target)

    def read(
        self, sources: Sequence[Words], targets: Sequence[Words]
    ) -> tuple[Vocabulary, Vocabulary]:
        """The words of the pairs; others have no id."""
        return self.vocabularies

    def split(self, text: str) -> list[str]:
        """Any words."""
        return tokenize(text)

    def draw(self, dice: random.Random) -> Pair:
        """One of the pairs."""
        return dice.choice(self.given)

    def answer(self, source: Sequence[str]) -> Words | None:
        """The target of the first pair with this source."""
        return next((p.target for p in self.given if p.source == tuple(source)), None)


Task = Rearrange | Translate | Memorise


def words_of(task: Task, text: str) -> Words:
    """The words of a typed source, up to the number that a model reads."""
    return tuple(task.split(text)[:MAX_TOKENS])


def is_held_out(source: Words) -> bool:
    """Whether a source is kept out of training."""
    return zlib.crc32(" ".join(source).encode()) % HELD_OUT == 0


def pairs(task: Task, dice: random.Random, *, held_out: bool) -> Iterator[Pair]:
    """Endless pairs of a task, either all held out or all for training.

    A task to learn by heart holds nothing out.
    """
    while True:
        pair = task.draw(dice)
        if isinstance(task, Memorise) or is_held_out(pair.source) == held_out:
            yield pair


# A name is an identifier, and is shown as well, in the reader's language.
# Translators: the names of small tasks are verbs or nouns: the model copies, reverses or sorts the
# words of a sentence, reads number words, translates from a small German grammar, or knows quotes.
COPY: Final = Rearrange(mark("copy"), mark("copy"), lambda words: range(len(words)))
REVERSE: Final = Rearrange(mark("reverse"), mark("reverse"), lambda words: range(len(words))[::-1])
SORT: Final = Rearrange(
    mark("sort"),
    mark("sort alphabetically"),
    lambda words: sorted(range(len(words)), key=lambda place: _alphabetically(words[place])),
    alphabetical=True,
)
NUMBERS: Final = Translate(
    mark("numbers"),
    mark("number words, German → English"),
    number_words,
    pieces=True,
    every=True,
    longest=5,
)
GERMAN: Final = Translate(
    mark("german"), mark("a small grammar, German → English"), german_to_english
)
QUOTES: Final = Memorise(
    tuple(
        Pair(tuple(source.split()), tuple(target.split()))
        for source, target in (
            ("I'm gonna make him an offer", "he can't refuse"),
            ("here's looking at you", "kid"),
            ("may the Force", "be with you"),
            ("frankly my dear", "I don't give a damn"),
            ("there's no place", "like home"),
            ("you can't handle", "the truth"),
        )
    ),
    name=mark("quotes"),
    title=mark("film quotes, learnt by heart"),
)
TASKS: Final[dict[str, Task]] = {
    task.name: task for task in (REVERSE, COPY, SORT, NUMBERS, GERMAN, QUOTES)
}


def _alphabetically(word: str) -> tuple[str, str]:
    return word.casefold(), word


def _known_spelling(word: str, known: set[str]) -> str:
    """The grammar's spelling; a first word may have a capital, and a noun may lack one."""
    spellings = (word, word.lower(), word.capitalize())
    return next((spelling for spelling in spellings if spelling in known), word)


def _pieces(word: str, known: set[str]) -> list[str]:
    """Split greedily into the longest pieces; if none fits, the rest is one piece."""
    by_length = sorted(known, key=len, reverse=True)
    pieces: list[str] = []
    while word:
        piece = next((piece for piece in by_length if word.startswith(piece)), word)
        pieces.append(piece)
        word = word[len(piece) :]
    return pieces


def _a_or_an(words: Words) -> Words:
    return tuple(
        "an" if word == "a" and following[:1] in "aeiou" else word
        for word, following in zip(words, (*words[1:], "-"), strict=True)
    )
