"""What BLEU does not say of a translator: words that it invents, and names that it copies."""

import re
from collections.abc import Iterable, Sequence
from typing import Final

from explorer.training.translator.corpus import Corpus
from explorer.training.translator.grammar.lexicon import german_words
from explorer.training.translator.judge import NAMES

_WORD: Final = re.compile(r"[^\W\d_]+")
_SAID: Final = (
    "My name is {}.", "This is my friend {}.", "{} lives in a small house.", "Where is {}?",
    "I have not seen {} today.", "{} is reading a book.", "Do you know {}?",
    "We are waiting for {}.",
)  # fmt: skip


def known_words(corpus: Corpus) -> frozenset[str]:
    """The German words of the corpus, of the pairs written for it, and of the lexicon."""
    pairs = (*corpus.train, *corpus.held_out, *corpus.written)
    return frozenset(word for text in (pair.target for pair in pairs) for word in _words(text)) | {
        word for text in german_words() for word in _words(text)
    }


def invented(sources: Sequence[str], answers: Sequence[str], known: frozenset[str]) -> list[str]:
    """The words in the answers that are neither known German nor copied from the source."""
    return [
        word
        for source, answer in zip(sources, answers, strict=True)
        for word in _words(answer)
        if word not in known and word not in _words(source)
    ]


def unseen_names() -> list[tuple[str, str]]:
    """Sentences with a name that is in no training, and the name: 200 of them."""
    first, last = (line.split(", ") for line in NAMES.read_text(encoding="utf-8").splitlines())
    whole = [f"{one} {last[(at + by) % len(last)]}" for by in (0, 9, 17)
             for at, one in enumerate(first)]  # fmt: skip
    names = [*first, *last, *whole][:200]
    return [(_SAID[at % len(_SAID)].format(name), name) for at, name in enumerate(names)]


def copied(names: Iterable[str], answers: Iterable[str]) -> int:
    """How many of the names stand in their answers as they were."""
    return sum(name in answer for name, answer in zip(names, answers, strict=True))


def _words(text: str) -> set[str]:
    return {word.casefold() for word in _WORD.findall(text)}
