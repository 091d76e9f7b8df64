"""The same words in another order."""

from itertools import combinations
from typing import Final

ARTICLES: Final = ("the", "a", "an", "der", "die", "das", "den")
LONG: Final = 4  # letters of a word that is worth exchanging


def exchanged(sentence: str) -> str:
    """The sentence with two words exchanged: those after its articles, or those in the middle."""
    return exchanges(sentence)[0]


def exchanges(sentence: str) -> list[str]:
    """The sentence with two words exchanged, in several ways, the most telling first.

    The words after its first two articles, then those in the middle, then other long words. A
    sentence of one word stays as it is.
    """
    words = sentence.split()
    words_alone = [word.rstrip(".,!?;:") for word in words]
    if len(words) < 2:
        return [" ".join(words)]
    after = [n for n in range(1, len(words)) if words_alone[n - 1].lower() in ARTICLES]
    middle = (len(words) // 2 - 1, len(words) // 2)
    long = [n for n, word in enumerate(words_alone) if len(word) >= LONG]
    pairs = [tuple(after[:2]) if len(after) > 1 else middle, middle, *combinations(long, 2)]
    sentences = []
    for one, other in pairs:
        exchanged = list(words)
        for here, there in ((one, other), (other, one)):
            exchanged[here] = words_alone[there] + words[here][len(words_alone[here]) :]
        if exchanged != words:
            sentences.append(" ".join(exchanged))
    return list(dict.fromkeys(sentences)) or [" ".join(words)]
