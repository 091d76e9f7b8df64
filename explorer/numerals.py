"""Numbers as people type them: with a comma or a point, in the digits of their keyboard."""

import math
import re
import unicodedata
from typing import Final

from explorer.languages import decimal_and_group, numeral, tr
from explorer.runtime.shares import NUMBER

_SIGNS: Final = str.maketrans({"。": ".", "｡": ".", "٫": ".", "٬": ",", "’": "'", "×": "·"})
_DASHES: Final = re.compile("[‐-―−﹣]")  # what stands for a minus sign
_RAISED: Final = re.compile("[⁰¹²³⁴-⁹]")
_TEN: Final = re.compile("10[⁺⁻]?[⁰¹²³⁴-⁹]+")  # 5² is no number here, 5·10² is
_POWER: Final = re.compile(r"\s*[·x*]\s*10\s*\^?\s*", re.IGNORECASE)
_NUMBER: Final = re.compile(r"([+-]?)([0-9][0-9.,]*|[.,][0-9]+)(?:[eE]([+-]?[0-9]{1,3}))?")
_IN_GROUPS: Final = re.compile(r"[1-9][0-9]{0,2}(?:[ '][0-9]{3})+(?![0-9 '])")
_SHOWN: Final = 30  # characters of what was typed, in a sentence about it


class NumberError(ValueError):
    """A text that stands for no number, or for more than one; says what to write."""


def read_number(text: str) -> float:
    """The number that somebody typed in their language.

    A comma or a point stands before the decimals, whatever the language, unless it may as well
    stand between thousands: “1,234” has two readings in English, “0,25” and “1.5” have one.

    Raises:
        NumberError: if there is no reading, or more than one.
    """
    whole, fraction = readings(text, decimal_and_group()[0])
    if whole is not None and fraction is not None:
        raise NumberError(
            tr(
                "“{typed}” can mean {first} or {second}: write it as one of these.",
                typed=_short(text),
                first=numeral(int(whole)),
                second=numeral(fraction),
            )
        )
    found = fraction if whole is None else whole
    if found is None:
        typed = _short(text)
        raise NumberError(
            tr("Write a number, such as {example}, not “{typed}”.", example=0.25, typed=typed)
        )
    return found


def read_whole(text: str) -> int:
    """The whole number that somebody typed, with or without a sign between thousands.

    Raises:
        NumberError: if it is not a whole number, or has the language's decimal sign.
    """
    whole, _ = readings(text, decimal_and_group()[0])
    if whole is None or not whole.is_integer():
        typed = _short(text)
        raise NumberError(
            tr("Write a whole number, such as {example}, not “{typed}”.", example=12, typed=typed)
        )
    return int(whole)


def plain(text: str) -> str:
    """A text with the digits, signs and spaces of any keyboard as those of ASCII."""
    text = _DASHES.sub("-", unicodedata.normalize("NFKC", text.translate(_SIGNS)))
    return "".join(
        str(unicodedata.decimal(sign)) if sign.isdecimal() else " " if sign.isspace() else sign
        for sign in text
    ).strip()


def readings(text: str, decimal: str) -> tuple[float | None, float | None]:
    """The number as one without decimals, and as one with them; None if it cannot be read so.

    `decimal` is the sign that certainly stands before decimals, for the language of the text.
    """
    if len(text) > NUMBER or _RAISED.search(_TEN.sub("", text)):
        return None, None
    typed = _POWER.sub("e", plain(text))
    typed = _IN_GROUPS.sub(lambda found: re.sub("[ ']", "", found[0]), typed, count=1)
    parts = _NUMBER.fullmatch(re.sub(r"^([+-]) ", r"\1", typed))
    if parts is None:
        return None, None
    sign, body, power = parts.groups()
    whole, fraction = _with_and_without_decimals(body, decimal)

    def number(digits: str | None) -> float | None:
        found = None if digits is None else float(f"{sign}{digits}e{power or 0}")
        return found if found is not None and math.isfinite(found) else None

    return number(whole), number(fraction)


def _with_and_without_decimals(body: str, decimal: str) -> tuple[str | None, str | None]:
    """Digits with commas and points: as a whole number, and as one with decimals."""
    signs = re.sub("[0-9]", "", body)
    if not signs:
        return body, None
    last = signs[-1]
    if len(signs) == 1:
        may_be_whole = last != decimal and re.fullmatch(r"[1-9][0-9]{0,2}.[0-9]{3}", body)
        return body.replace(last, "") if may_be_whole else None, body.replace(last, ".")
    group, digits = signs[0], body
    fraction = ""
    if last != group:
        digits, fraction = body.rsplit(last, 1)
    if not re.fullmatch(rf"[1-9][0-9]{{0,2}}(?:{re.escape(group)}[0-9]{{3}})+", digits):
        return None, None
    digits = digits.replace(group, "")
    return (digits, None) if last == group else (None, f"{digits}.{fraction}")


def _short(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"
