"""A corpus of translated sentences: read, split by source sentence, and varied for training."""

import gzip
import random
import re
import unicodedata
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

HELD_OUT_OF: Final = 64  # one source sentence in so many is never trained on
JOINED: Final = 0.05  # share of the pairs that continue with a second one
BARE: Final = 0.1  # share of the sources without their last full stop
SMALL: Final = 0.1  # share of the sources in small letters


@dataclass(frozen=True, slots=True)
class Pair:
    """A sentence and one of its translations."""

    source: str
    target: str


@dataclass(frozen=True, slots=True)
class Corpus:
    """Pairs to train on, and pairs to judge by.

    They share no source sentence, not even with other capital letters or another full stop.
    """

    train: tuple[Pair, ...]
    held_out: tuple[Pair, ...]


def read_corpus(path: Path) -> Corpus:
    """Read a text file, plain or gzipped: in each line a sentence, a tab, and its translation.

    Raises:
        ValueError: if a line has no tab, or if there is nothing to train on or to judge by.
    """
    with (
        gzip.open(path, "rt", encoding="utf-8")
        if path.suffix == ".gz"
        else path.open(encoding="utf-8") as lines
    ):
        pairs = [_pair(line, number) for number, line in enumerate(lines, 1) if line.strip()]
    held_out = tuple(pair for pair in pairs if is_held_out(pair.source) and _both_speak(pair))
    judged = {_letters(pair.source) for pair in held_out}
    corpus = Corpus(
        tuple(pair for pair in pairs if _letters(pair.source) not in judged and _both_speak(pair)),
        held_out,
    )
    if not corpus.train or not corpus.held_out:
        raise ValueError(
            f"a corpus needs pairs to train on and pairs to judge by, got {len(corpus.train)} and "
            f"{len(corpus.held_out)}: one sentence in {HELD_OUT_OF} is held out, so add sentences"
        )
    return corpus


def is_held_out(source: str) -> bool:
    """Whether a source sentence is never trained on, whatever its capital letters."""
    return zlib.crc32(source.lower().encode()) % HELD_OUT_OF == 0


def varied(pairs: Sequence[Pair], dice: random.Random) -> list[Pair]:
    """The pairs as people might type them: two in a row, in small letters, without full stop."""
    return [_varied(pair, pairs, dice) for pair in pairs]


def batches(
    lengths: Sequence[tuple[int, int]], tokens: int, dice: random.Random
) -> list[list[int]]:
    """Groups of pairs of similar lengths, in random order; each pair is named by its position.

    A group has at most `tokens` tokens a side, PAD included.
    """
    order = list(range(len(lengths)))
    dice.shuffle(order)
    order.sort(key=lambda at: (max(lengths[at]), lengths[at]))  # stable: equal lengths stay mixed
    groups: list[list[int]] = [[]]
    for at in order:
        longest = max(lengths[at])  # so far: the order is by length
        if groups[-1] and (len(groups[-1]) + 1) * longest > tokens:
            groups.append([])
        groups[-1].append(at)
    dice.shuffle(groups)
    return groups


def references(pairs: Iterable[Pair]) -> dict[str, list[str]]:
    """Every source sentence with all its translations."""
    found: dict[str, list[str]] = {}
    for pair in pairs:
        found.setdefault(pair.source, []).append(pair.target)
    return found


def _letters(sentence: str) -> str:
    """The sentence without what makes no other sentence of it: capitals, marks, kinds of space."""
    return " ".join(re.findall(r"\w+", unicodedata.normalize("NFKC", sentence).casefold()))


def _both_speak(pair: Pair) -> bool:
    return bool(_letters(pair.source) and _letters(pair.target))


def _pair(line: str, number: int) -> Pair:
    source, tab, rest = line.rstrip("\n").partition("\t")
    if not tab:
        raise ValueError(f"a line is a sentence, a tab and its translation: see line {number}")
    return Pair(source, rest.split("\t")[0])


def _varied(pair: Pair, others: Sequence[Pair], dice: random.Random) -> Pair:
    source, target = pair.source, pair.target
    if dice.random() < JOINED:
        other = dice.choice(others)
        source, target = f"{source} {other.source}", f"{target} {other.target}"
    if dice.random() < BARE:
        source = source.removesuffix(".")
    if dice.random() < SMALL:
        source = source.lower()
    return Pair(source, target)
