"""Whether a translation has words that its translator put together itself."""

import re
from collections.abc import Collection
from typing import Final

WORD: Final = re.compile(r"[^\W\d_]+")


def words_of(text: str) -> list[str]:
    """The words of a text in their order, in small letters."""
    return [word.casefold() for word in WORD.findall(text)]


def invented(source: str, translation: str, known: Collection[str]) -> list[str]:
    """The words of a translation that are neither known nor copied from its source.

    What is copied may have got an s: Priya, Priyas.
    """
    copied = {*words_of(source)}
    return [
        word
        for word in WORD.findall(translation)
        if not {word.casefold(), word.casefold().removesuffix("s")} & copied
        and word.casefold() not in known
    ]
