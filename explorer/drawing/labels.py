"""Token labels: as typed, with positions where words repeat, and never parsed as markup."""

import re
from collections import Counter
from collections.abc import Sequence
from html import unescape
from math import radians, sin
from textwrap import wrap
from typing import Final

from explorer.drawing.theme import INK
from explorer.languages import arrow, numbered, without_isolates
from explorer.names import PAD

MAX_CHARACTERS: Final = 18
LETTER: Final = 0.52  # the mean width of a letter, as a share of the font size
LINE: Final = 1.3  # from line to line, in sizes of the font
TURN: Final = "\u2002<br>"  # where a long text breaks into the next line
SLANT: Final = 60  # degrees: the slope of column names that do not fit horizontally
_TAG: Final = re.compile(r"<[^>]*>")


def escape(text: str) -> str:
    """Escape text for labels, which are a kind of HTML."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def elide(text: str, most: int = MAX_CHARACTERS) -> str:
    """Shorten a long word to its beginning and end; marks that nobody sees are not counted."""
    seen = without_isolates(text)
    if len(seen) <= most:
        return text
    tail = most // 3
    return f"{seen[: most - tail - 1]}…{seen[-tail:]}"


def disambiguated(
    tokens: Sequence[str],
    *,
    most: int = MAX_CHARACTERS,
    positions: Sequence[int] | None = None,
    unnumbered: str | None = PAD,
) -> list[str]:
    """One label per token; repeated ones, except `unnumbered`, are prefixed with their position.

    `positions` are needed if some tokens of the sentence are left out.
    """
    labels = [elide(token, most) for token in tokens]
    counts = Counter(labels)
    return [
        numbered(at, label) if counts[label] > 1 and label != unnumbered else label
        for at, label in zip(positions or range(len(labels)), labels, strict=True)
    ]


def bar_label(text: str, most: int) -> str:
    """The whole of a text beside a bar, in lines of so many characters, with room after each."""
    return TURN.join(map(escape, wrap(text, most))) + "\u2002"


def tick_labels(
    tokens: Sequence[str],
    *,
    most: int = MAX_CHARACTERS,
    positions: Sequence[int] | None = None,
) -> list[str]:
    """The labels of `disambiguated`, escaped; PAD is always grey."""
    return [
        f'<span style="color:{INK.faint}">{PAD}</span>' if token == PAD else escape(label)
        for token, label in zip(
            tokens, disambiguated(tokens, most=most, positions=positions), strict=True
        )
    ]


def row_labels(
    reads: Sequence[str],
    writes: Sequence[str] | None,
    *,
    positions: Sequence[int] | None = None,
) -> list[str]:
    """The labels of queries; those of a decoder also say which word the row helps to write."""
    rows = tick_labels(reads, most=12 if writes else MAX_CHARACTERS, positions=positions)
    if not writes:
        return rows
    return [
        arrow(row, f"<i>{escape(elide(written, 12))}</i>" if written else "")
        for row, written in zip(rows, writes, strict=True)
    ]


def plain(label: str) -> str:
    """A label, which is a kind of HTML, as text."""
    return unescape(_TAG.sub("", label.replace(TURN, " ").replace("<br>", ", ")))


def label_room(labels: Sequence[str], *, size: int = 13) -> int:
    """Width of the longest label in pixels, with a little to spare."""
    lines = [line for label in labels for line in label.split("<br>")]
    longest = max((letters(plain(line)) for line in lines), default=0.0)
    return round(longest * size * LETTER) + 10


def slanted_height(width: float) -> float:
    """The height of a slanted label of this width, in pixels."""
    return width * sin(radians(SLANT))


def letters(text: str) -> float:
    """The width of a text in letters; wide characters count nearly double."""
    if text.isascii():
        return len(text)
    return sum(map(_width, without_isolates(text)))


def _width(letter: str) -> float:
    if ord(letter) > 0x1100:
        return 1.8
    return 1.3 if ord(letter) >= 0x590 else 1.0  # Hebrew, Arabic, and the scripts of India
