"""Splitting typed text into tokens."""

from typing import Final

import regex

from explorer.names import Level

# Scripts written without spaces between words: each character is a token of its own.
_UNSPACED: Final = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
# \X is a character as a person sees it: its accents, vowel signs and joined emoji included.
_LETTER: Final = rf"(?:(?=[\p{{L}}\p{{N}}_])(?![{_UNSPACED}])\X)"
_WORD: Final = regex.compile(
    rf"</?{_LETTER}+>(?!\p{{M}})"  # <pad>, <s>, </b>: notation that people type as one thing
    rf"|{_LETTER}+(?:['’ʼ]{_LETTER}+)*"  # apostrophes stay inside words
    r"|(?!\s)\X"
)
_CHARACTER: Final = regex.compile(r" |(?! )\X")
_ID: Final = regex.compile(r"[^ ,;\[\]()]+")
_SPACE: Final = regex.compile(r"[\s\p{Z}\p{Cc}\p{Cs}\u200b]+")
# Marks that show nothing, or turn the text around them about. Joiners, variation selectors and
# the tags of flags stay: they are part of the characters they stand in.
_UNSEEN: Final = regex.compile(
    r"(?V1)[\p{Default_Ignorable_Code_Point}"
    r"--[\u200c\u200d\ufe00-\ufe0f\U000e0020-\U000e007f\U000e0100-\U000e01ef]]"
)
_SEEN: Final = regex.compile(r"[^\s\p{Default_Ignorable_Code_Point}]")
_SHOWN_SPACE: Final = "␣"


def tokenize(text: str, level: Level = "words") -> list[str]:
    """Split a sentence into tokens.

    "words": runs of letters and digits, apostrophes inside them included ("didn't"); every other
    visible character is a token of its own, and so is every character of a script that does not
    space its words (Chinese, Japanese, Thai …).
    "characters": every character as a person sees it; a space becomes "␣".
    "ids": whatever stands between spaces, commas, brackets.

    >>> tokenize("The animal didn't cross.")
    ['The', 'animal', "didn't", 'cross', '.']
    """
    text = _UNSEEN.sub("", _SPACE.sub(" ", text)).strip()
    if level == "characters":
        shown = (_SHOWN_SPACE if char == " " else char for char in _CHARACTER.findall(text))
        return [token for token in shown if _SEEN.search(token)]
    pattern = _WORD if level == "words" else _ID
    return [token for token in pattern.findall(text) if _SEEN.search(token)]
