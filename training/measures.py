"""Measures that are not in a translator's file: long sentences, invented words and copied names."""

from collections.abc import Iterable, Iterator
from typing import Final

from explorer.weights.doubts.known_words import invented, words_of
from explorer.weights.translator import Translator
from training.corpus import Corpus, references
from training.grammar.forms import german_forms
from training.judge import NAMES
from training.quality import quality

LONG: Final = 10  # words
_SAID: Final = (
    "My name is {}.", "This is my friend {}.", "{} lives in a small house.", "Where is {}?",
    "I have not seen {} today.", "{} is reading a book.", "Do you know {}?",
    "We are waiting for {}.",
)  # fmt: skip


def further_figures(translator: Translator, corpus: Corpus) -> Iterator[str]:
    """The translator's results on held-out sentences and names, line by line."""
    known = references(corpus.held_out)
    long = {one: translations for one, translations in known.items() if len(one.split()) >= LONG}
    bleu = quality(translator, long).bleu
    yield f"{len(long)} held-out sentences of {LONG} words and more: BLEU {bleu:.1f}"
    sources = list(known)
    words = known_words(corpus)
    both = zip(sources, translator.answer(sources), strict=True)
    found = sum(len(invented(source, answer, words)) for source, answer in both)
    yield f"{len(sources)} held-out sentences: {found} invented words"
    sentences = unseen_names()
    answers = translator.answer([sentence for sentence, _ in sentences])
    right = copied((name for _, name in sentences), answers)
    yield f"{len(sentences)} unseen names: {right} copied"


def known_words(corpus: Corpus) -> frozenset[str]:
    """The German words of the corpus, of the pairs written for it, and of the grammar."""
    pairs = (*corpus.train, *corpus.held_out, *corpus.written)
    texts = (*(pair.target for pair in pairs), *german_forms())
    return frozenset(word for text in texts for word in words_of(text))


def unseen_names() -> list[tuple[str, str]]:
    """200 sentences with a name that was never trained on, and the name."""
    first, last = (line.split(", ") for line in NAMES.read_text(encoding="utf-8").splitlines())
    whole = [f"{one} {last[(at + by) % len(last)]}" for by in (0, 9, 17)
             for at, one in enumerate(first)]  # fmt: skip
    names = [*first, *last, *whole][:200]
    return [(_SAID[at % len(_SAID)].format(name), name) for at, name in enumerate(names)]


def copied(names: Iterable[str], answers: Iterable[str]) -> int:
    """The number of names that their answers have unchanged."""
    return sum(name in answer for name, answer in zip(names, answers, strict=True))
