"""The same words in another order."""

from typing import Final

ARTICLES: Final = ("the", "a", "an", "der", "die", "das", "den")


def exchanged(sentence: str) -> str:
    """The sentence with two words exchanged: those after its articles, or those in the middle."""
    words = sentence.split()
    bare = [word.rstrip(".,!?;:") for word in words]
    after = [n for n in range(1, len(words)) if bare[n - 1].lower() in ARTICLES]
    one, other = after[:2] if len(after) > 1 else (len(words) // 2 - 1, len(words) // 2)
    if len(words) > 1:
        for here, there in ((one, other), (other, one)):
            words[here] = bare[there] + words[here][len(bare[here]) :]
    return " ".join(words)
