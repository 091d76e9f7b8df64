"""Whether a German translation says the numbers of its English source."""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from explorer.numerals import readings

_UP_TO_19: Final = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen",
    "null ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn "
    "sechzehn siebzehn achtzehn neunzehn",
)
_TENS: Final = (
    "twenty thirty forty fifty sixty seventy eighty ninety",
    "zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig",
)
_LARGE: Final = ("hundred thousand", "hundert tausend")
_STEMS: Final = {"zwo": 2, "beid": 2, "erst": 1, "dritt": 3, "siebt": 7}


def _values(language: int) -> dict[str, int]:
    words = f"{_UP_TO_19[language]} {_TENS[language]} {_LARGE[language]}".split()
    return dict(zip(words, (*range(20), *range(20, 100, 10), 100, 1000), strict=True))


def _any(words: str | Mapping[str, int]) -> str:
    listed = words.split() if isinstance(words, str) else words
    return f"(?:{'|'.join(sorted(listed, key=len, reverse=True))})"


_ENGLISH: Final = _values(0)
_GERMAN: Final = _values(1) | _STEMS
_BELOW_100: Final = rf"(?:{_any(_TENS[0])}(?:[- ]{_any(_UP_TO_19[0])})?|{_any(_UP_TO_19[0])})"
_BELOW_1000: Final = rf"(?:(?:{_BELOW_100} )?hundred(?:(?: and)? {_BELOW_100})?|{_BELOW_100})"
_IN_ENGLISH: Final = re.compile(
    rf"\b(?:(?:{_BELOW_1000} )?thousand(?:(?: and)? {_BELOW_1000})?|{_BELOW_1000})\b"
    r"(?!-(?:first|second|third|\w+th)\b)"
)
_IN_GERMAN: Final = re.compile(rf"\b{_any(_GERMAN)}(?:(?:und)?{_any(_GERMAN)})*")  # ends anyhow
_IN_DIGITS: Final = re.compile(r"(?<!\d)\d{1,3}(?:\s\d{3})+(?!\d)|\d+(?:[.,]\d+)*")
_MINUTES: Final = re.compile(r"(\d)\.(\d\d[\s-]Uhr)")  # 7.48 Uhr is no decimal number
_PART_OF_AN_HOUR: Final = re.compile(r"\b(?:halb|half|(?:drei)?viertel|quarter)")


def lost_number(source: str, translation: str) -> str:
    """The first number of the source that its translation lacks, or nothing.

    It may be in digits or words, with a comma or a point, of 12 hours or of 24.
    """
    source, target = source.lower(), _MINUTES.sub(r"\1:\2", translation).lower()
    found = {value for _, value in _numbers(target, ",", _IN_GERMAN, _GERMAN)}
    if "uhr" in target:
        found |= {hour - 12 for hour in found}
    told_by_parts = _PART_OF_AN_HOUR.search(f"{source} {target}") is not None
    for shown, value in _numbers(source, ".", _IN_ENGLISH, _ENGLISH):
        needs_no_number = shown in ("one", "00") or (told_by_parts and value < 60)
        if value not in found and not needs_no_number:
            return shown
    return ""


def _numbers(
    text: str, decimal: str, in_words: re.Pattern[str], values: Mapping[str, int]
) -> Iterator[tuple[str, float]]:
    """Each number of a text as it is written there, and its value."""
    for digits in _IN_DIGITS.findall(text):
        whole, fraction = readings(digits, decimal)
        value = fraction if whole is None else whole
        if value is not None:
            yield digits, value
    for words in in_words.findall(text):
        yield words, _value(re.findall(_any(values), words), values)


def _value(words: list[str], values: Mapping[str, int]) -> int:
    """Of three and twenty, two hundred and forty-one, zwei hundert ein und vierzig."""
    total = below = 0
    for value in (values[word] for word in words):
        if value == 1000:
            total, below = total + max(1, below) * value, 0
        else:
            below = max(1, below) * value if value == 100 else below + value
    return total + below
