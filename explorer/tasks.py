"""What a small Transformer can learn in seconds, each task with its right answer for any input.

A task hands out pairs of sentences as words; ids are the vocabulary's business. Every input belongs
either to training or to what is held out, decided by the input alone, so the two can never mix.
"""

import random
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

Words = tuple[str, ...]
HELD_OUT: Final = 8  # one input in so many is never trained on


@dataclass(frozen=True, slots=True)
class Pair:
    """A source sentence and its right answer, word by word."""

    source: Words
    target: Words


class Task(Protocol):
    """Something to learn."""

    @property
    def name(self) -> str:
        """What a person calls it."""

    @property
    def src_words(self) -> Words:
        """Every word a source may hold."""

    @property
    def tgt_words(self) -> Words:
        """Every word an answer may hold."""

    def draw(self, dice: random.Random) -> Words:
        """Some source sentence, held out or not."""

    def split(self, text: str) -> Words:
        """A typed source as the words of this task."""

    def answer(self, source: Words) -> Words | None:
        """The right answer, or None where the task has none."""


def is_held_out(source: Words) -> bool:
    """Whether a source is kept away from training."""
    return zlib.crc32(" ".join(source).encode()) % HELD_OUT == 0


def pairs(task: Task, dice: random.Random, *, held_out: bool) -> Iterator[Pair]:
    """Endless pairs of a task, either all held out or none of them."""
    while True:
        source = task.draw(dice)
        target = task.answer(source)
        if target is not None and is_held_out(source) == held_out:
            yield Pair(source, target)


@dataclass(frozen=True, slots=True)
class Rearrange:
    """Copy, reverse or sort any words.

    The model learns it over numbered slots; a typed sentence's words take slots in the order in
    which they appear, so what was learnt holds for every sentence. "Sorted" means by slot: words in
    the order of their first appearance, equal words together.
    """

    name: str
    rule: Callable[[Sequence[int]], Sequence[int]]
    shortest: int = 1
    longest: int = 24
    slots: int = 60

    @property
    def src_words(self) -> Words:
        """The slots, by number."""
        return tuple(map(str, range(self.slots)))

    @property
    def tgt_words(self) -> Words:
        """The same slots."""
        return self.src_words

    def draw(self, dice: random.Random) -> Words:
        """Random slots, every length as often as any other."""
        length = dice.randint(self.shortest, self.longest)
        return tuple(str(dice.randrange(self.slots)) for _ in range(length))

    def split(self, text: str) -> Words:
        """Slots in the order in which the words appear."""
        seen: dict[str, int] = {}
        return tuple(str(seen.setdefault(word, len(seen))) for word in text.split())

    def answer(self, source: Words) -> Words:
        """The same slots, rearranged."""
        return tuple(str(slot) for slot in self.rule([int(slot) for slot in source]))


COPY: Final = Rearrange("copy", list)
REVERSE: Final = Rearrange("reverse", lambda slots: slots[::-1])
SORT: Final = Rearrange("sort", sorted)


_ONES: Final = (
    ("null", "zero"), ("ein", "one"), ("zwei", "two"), ("drei", "three"), ("vier", "four"),
    ("fünf", "five"), ("sechs", "six"), ("sieben", "seven"), ("acht", "eight"), ("neun", "nine"),
    ("zehn", "ten"), ("elf", "eleven"), ("zwölf", "twelve"),
)  # fmt: skip
_TEENS: Final = {13: "thirteen", 14: "fourteen", 15: "fifteen", 16: "sixteen", 17: "seventeen",
                 18: "eighteen", 19: "nineteen"}  # fmt: skip
_TENS: Final = {
    2: ("zwanzig", "twenty"), 3: ("dreißig", "thirty"), 4: ("vierzig", "forty"),
    5: ("fünfzig", "fifty"), 6: ("sechzig", "sixty"), 7: ("siebzig", "seventy"),
    8: ("achtzig", "eighty"), 9: ("neunzig", "ninety"),
}  # fmt: skip
# How a German number word falls into pieces. Teens are "drei zehn", but "sech zehn", "sieb zehn".
_SHORT: Final = {6: "sech", 7: "sieb"}


def german_number(number: int) -> Words:
    """The pieces of a German number word: 21 → ein und zwanzig.

    Raises:
        ValueError: for a number outside 0 … 999.
    """
    _require_number(number)
    hundreds, rest = divmod(number, 100)
    words: list[str] = [_ONES[hundreds][0], "hundert"] if hundreds else []
    if rest == 0 and hundreds:
        return tuple(words)
    if rest <= 12:
        # A one at the end of a number is "eins".
        return (*words, "eins" if rest == 1 else _ONES[rest][0])
    tens, ones = divmod(rest, 10)
    if tens == 1:
        return (*words, _SHORT.get(ones, _ONES[ones][0]), "zehn")
    if ones:
        words += [_ONES[ones][0], "und"]
    return (*words, _TENS[tens][0])


def english_number(number: int) -> Words:
    """An English number, word by word: 21 → twenty one.

    Raises:
        ValueError: for a number outside 0 … 999.
    """
    _require_number(number)
    hundreds, rest = divmod(number, 100)
    words: list[str] = [_ONES[hundreds][1], "hundred"] if hundreds else []
    if rest == 0 and hundreds:
        return tuple(words)
    if rest <= 12:
        return (*words, _ONES[rest][1])
    if rest in _TEENS:
        return (*words, _TEENS[rest])
    tens, ones = divmod(rest, 10)
    return (*words, _TENS[tens][1], *([_ONES[ones][1]] if ones else []))


def _require_number(number: int) -> None:
    if not 0 <= number <= 999:
        raise ValueError(f"number must lie in 0 … 999, got {number}")


_GERMAN: Final = {german_number(number): number for number in range(1000)}
_PIECES: Final = sorted({piece for word in _GERMAN for piece in word}, key=len, reverse=True)


@dataclass(frozen=True, slots=True)
class NumberWords:
    """German number words → English: einundzwanzig → twenty one.

    German says the ones before the tens, English after them: attention has to cross.
    """

    name: str = "number words, German → English"

    @property
    def src_words(self) -> Words:
        """Every piece of a German number word."""
        return tuple(sorted(_PIECES))

    @property
    def tgt_words(self) -> Words:
        """Every word of an English number."""
        return tuple(sorted({word for number in range(1000) for word in english_number(number)}))

    def draw(self, dice: random.Random) -> Words:
        """Any number from 0 to 999."""
        return german_number(dice.randrange(1000))

    def split(self, text: str) -> Words:
        """A number word's pieces, the longest that fits first; what fits none stays in one."""
        left, found = "".join(text.lower().split()), []
        while left:
            piece = next((piece for piece in _PIECES if left.startswith(piece)), left)
            found.append(piece)
            left = left.removeprefix(piece)
        return tuple(found)

    def answer(self, source: Words) -> Words | None:
        """The number in English, or None where it is no number word."""
        number = _GERMAN.get(source)
        return None if number is None else english_number(number)


NUMBERS: Final = NumberWords()
