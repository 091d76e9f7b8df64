"""A corpus of translated sentences: read, and split by source sentence."""

import random
import re
import unicodedata
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

PAIRS: Final = Path(__file__).parent / "pairs"  # written for the training
HELD_OUT_OF: Final = 64  # one source sentence in 64 is never trained on
_MIN_WORDS: Final = 5  # words: shorter sentences are often alike by chance


@dataclass(frozen=True, slots=True)
class Pair:
    """A sentence and one of its translations."""

    source: str
    target: str


class ExcludedSentences:
    """Sentences that must not be trained on; `in` says whether another sentence is too similar.

    A sentence with the same words is. For sentences `judged` by hand, so is one that differs in one
    word, left out, added or exchanged, if the sentence has five words or more.
    """

    def __init__(self, held_out: Iterable[str] = (), judged: Iterable[str] = ()) -> None:
        words = [_normalized(sentence).split() for sentence in judged]
        self._same = {*map(_normalized, held_out), *map(" ".join, words)}
        self._nearly_same = {rest for sentence in words for rest in _one_word_deletions(sentence)}

    def __contains__(self, source: str) -> bool:
        same = _normalized(source)
        return same in self._same or not self._nearly_same.isdisjoint(
            _one_word_deletions(same.split())
        )


@dataclass(frozen=True, slots=True)
class Corpus:
    """Pairs to train on, and pairs to evaluate on.

    They share no source sentence, even if capital letters and punctuation are ignored.
    """

    train: tuple[Pair, ...]
    held_out: tuple[Pair, ...]
    written: tuple[Pair, ...] = ()  # also trained on, but written for this purpose
    # Drawn sentences must not be similar to these.
    excluded: ExcludedSentences = field(default_factory=ExcludedSentences, compare=False)


def read_corpus(path: Path, written: Sequence[Pair] = (), judged: Iterable[str] = ()) -> Corpus:
    """Read a text file: in each line a sentence, a tab, and its translation.

    `written` are further pairs. Nothing like the `judged` sentences is trained on.

    Raises:
        ValueError: if a line has no tab, or if there is nothing to train on or to evaluate on.
    """
    pairs = read_pairs(path)
    held_out = tuple(pair for pair in pairs if is_held_out(pair.source))
    excluded = ExcludedSentences((pair.source for pair in held_out), judged)
    corpus = Corpus(
        tuple(pair for pair in pairs if pair.source not in excluded),
        held_out,
        tuple(pair for pair in dict.fromkeys(written) if pair.source not in excluded),
        excluded,
    )
    if not corpus.train or not corpus.held_out:
        raise ValueError(
            f"a corpus needs pairs to train on and to evaluate on, got {len(corpus.train)} and "
            f"{len(corpus.held_out)}: one sentence in {HELD_OUT_OF} is held out, so add sentences"
        )
    return corpus


def read_pairs(path: Path) -> list[Pair]:
    """The pairs of a text file; a pair with no word on one side is left out.

    Raises:
        ValueError: if a line has no tab.
    """
    with path.open(encoding="utf-8") as lines:
        pairs = [_pair(line, number) for number, line in enumerate(lines, 1) if line.strip()]
    return [pair for pair in pairs if _has_words_on_both_sides(pair)]


def read_folder(folder: Path) -> list[Pair]:
    """The pairs of all its files that end in .tsv, in the order of their names."""
    return [pair for file in sorted(folder.glob("*.tsv")) for pair in read_pairs(file)]


def is_held_out(source: str) -> bool:
    """Whether a source sentence is never trained on, whatever its capital letters."""
    return zlib.crc32(source.lower().encode()) % HELD_OUT_OF == 0


def batches(
    lengths: Sequence[tuple[int, int]], tokens: int, dice: random.Random
) -> list[list[int]]:
    """Groups of pairs of similar lengths, in random order; each pair is named by its position.

    A group has at most `tokens` tokens on each side, PAD included.
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


def _normalized(sentence: str) -> str:
    """The sentence without capitals, punctuation and different kinds of space."""
    return " ".join(re.findall(r"\w+", unicodedata.normalize("NFKC", sentence).casefold()))


def _one_word_deletions(words: Sequence[str]) -> set[str]:
    """The sentence, and the sentence without one of its words, for each word."""
    if len(words) < _MIN_WORDS:
        return set()
    return {" ".join([*words[:at], *words[at + 1 :]]) for at in range(len(words) + 1)}


def _has_words_on_both_sides(pair: Pair) -> bool:
    return bool(_normalized(pair.source) and _normalized(pair.target))


def _pair(line: str, number: int) -> Pair:
    source, tab, rest = line.rstrip("\n").partition("\t")
    if not tab:
        raise ValueError(f"a line is a sentence, a tab and its translation: see line {number}")
    return Pair(source, rest.split("\t")[0])
