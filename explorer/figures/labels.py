"""Token labels: as typed, numbered where words repeat, never parsed as markup."""

import re
from collections import Counter
from collections.abc import Sequence
from html import unescape
from math import radians, sin
from typing import Final

from explorer.figures.theme import Theme

PAD: Final = "PAD"

MOST_CHARACTERS: Final = 18
LETTER: Final = 0.52  # the mean width of a letter, in sizes of the font
SLANT: Final = 60  # degrees, of names of columns that have no room to lie
_TAG: Final = re.compile(r"<[^>]*>")


def escape(text: str) -> str:
    """Escape text for plotly, whose labels are a kind of HTML."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def elide(text: str, most: int = MOST_CHARACTERS) -> str:
    """Shorten a long word to its beginning and end."""
    if len(text) <= most:
        return text
    tail = most // 3
    return f"{text[: most - tail - 1]}…{text[-tail:]}"


def disambiguated(
    tokens: Sequence[str],
    *,
    most: int = MOST_CHARACTERS,
    positions: Sequence[int] | None = None,
    unnumbered: str | None = PAD,
) -> list[str]:
    """One label per token; repeated ones are prefixed with their position, but for `unnumbered`.

    `positions` are those of the tokens where some of the sentence is left out.
    """
    labels = [elide(token, most) for token in tokens]
    counts = Counter(labels)
    return [
        f"{at} · {label}" if counts[label] > 1 and label != unnumbered else label
        for at, label in zip(positions or range(len(labels)), labels, strict=True)
    ]


def tick_labels(
    tokens: Sequence[str],
    theme: Theme,
    *,
    most: int = MOST_CHARACTERS,
    positions: Sequence[int] | None = None,
) -> list[str]:
    """The labels of `disambiguated` for plotly; PAD is always grey."""
    return [
        f'<span style="color:{theme.faint}">{PAD}</span>' if token == PAD else escape(label)
        for token, label in zip(
            tokens, disambiguated(tokens, most=most, positions=positions), strict=True
        )
    ]


def row_labels(
    reads: Sequence[str],
    writes: Sequence[str] | None,
    theme: Theme,
    *,
    positions: Sequence[int] | None = None,
) -> list[str]:
    """The labels of queries; those of a decoder also say which word the row helps to write."""
    rows = tick_labels(reads, theme, most=12 if writes else MOST_CHARACTERS, positions=positions)
    if not writes:
        return rows
    return [
        f"{row} → <i>{escape(elide(written, 12))}</i>" if written else row
        for row, written in zip(rows, writes, strict=True)
    ]


def label_room(labels: Sequence[str], *, size: int = 13) -> int:
    """Width of the longest label in pixels, with a little to spare."""
    longest = max((letters(unescape(_TAG.sub("", label))) for label in labels), default=0.0)
    return round(longest * size * LETTER) + 10


def rising(width: float) -> float:
    """How far a slanted label of this width rises, in pixels."""
    return width * sin(radians(SLANT))


def letters(text: str) -> float:
    """Its width in letters; wide characters count nearly double."""
    if text.isascii():
        return len(text)
    return sum(1.8 if ord(letter) > 0x1100 else 1.0 for letter in text)
