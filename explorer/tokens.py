"""Splitting typed text into tokens."""

from typing import Final
from unicodedata import normalize

import regex

from explorer.names import Level

# Scripts written without spaces between words: each character is a token of its own.
_UNSPACED: Final = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
# \X is a user-perceived character, with its accents, vowel signs and joined emoji.
_LETTER: Final = rf"(?:(?=[\p{{L}}\p{{N}}_])(?![{_UNSPACED}])\X)"
_WORD: Final = regex.compile(
    rf"</?{_LETTER}+>(?!\p{{M}})"  # <pad>, <s>, </b>: people type these as one token
    rf"|{_LETTER}+(?:['’ʼ]{_LETTER}+)*"  # apostrophes stay inside words
    r"|(?!\s)\X"
)
_CHARACTER: Final = regex.compile(r" |(?! )\X")
_ID: Final = regex.compile(r"[^ ,;\[\]()]+")
_SPACE: Final = regex.compile(r"[\s\p{Z}\p{Cc}\p{Cs}\u200b]+")
# Marks that are invisible or change the direction of the text around them. Joiners, variation
# selectors and flag tags stay: they are parts of characters.
_UNSEEN: Final = regex.compile(
    r"(?V1)[\p{Default_Ignorable_Code_Point}"
    r"--[\u200c\u200d\ufe00-\ufe0f\U000e0020-\U000e007f\U000e0100-\U000e01ef]]"
)
_SEEN: Final = regex.compile(r"[^\s\p{Default_Ignorable_Code_Point}]")
_SHOWN_SPACE: Final = "␣"


def tokenize(text: str, level: Level = "words") -> list[str]:
    """Split a sentence into tokens.

    "words": runs of letters and digits, including apostrophes inside them ("didn't"); every other
    visible character is its own token, and so is every character of a script without spaces
    between words (Chinese, Japanese, Thai …).
    "characters": every user-perceived character; a space becomes "␣".
    "ids": the text between spaces, commas, semicolons and brackets.

    What looks the same is the same token: “ü” typed as u and two dots is composed to one character
    (Unicode's form NFC), as spaces of all kinds are one.

    >>> tokenize("The animal didn't cross.")
    ['The', 'animal', "didn't", 'cross', '.']
    """
    text = normalize("NFC", _UNSEEN.sub("", _SPACE.sub(" ", text)).strip())
    if level == "characters":
        shown = (_SHOWN_SPACE if char == " " else char for char in _CHARACTER.findall(text))
        return [token for token in shown if _SEEN.search(token)]
    pattern = _WORD if level == "words" else _ID
    return [token for token in pattern.findall(text) if _SEEN.search(token)]
