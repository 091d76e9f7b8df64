"""Numbers as people type them: with a comma or a point, in the digits of their keyboard."""

import math
import re
import unicodedata
from typing import Final

from explorer.languages import decimal_and_group, numeral, tr
from explorer.runtime.shares import NUMBER_LENGTH

_SIGNS: Final = str.maketrans({"。": ".", "｡": ".", "٫": ".", "٬": ",", "’": "'", "×": "·"})
_DASHES: Final = re.compile("[‐-―−﹣]")  # typed for a minus sign
_SUPERSCRIPT: Final = re.compile("[⁰¹²³⁴-⁹]")
_POWER_OF_TEN: Final = re.compile("10[⁺⁻]?[⁰¹²³⁴-⁹]+")  # 5² is no number here, 5·10² is
_TIMES_TEN: Final = re.compile(r"\s*[·x*]\s*10\s*\^?\s*", re.IGNORECASE)
_NUMBER: Final = re.compile(r"([+-]?)([0-9][0-9.,]*|[.,][0-9]+)(?:[eE]([+-]?[0-9]{1,3}))?")
_IN_GROUPS: Final = re.compile(r"[1-9][0-9]{0,2}(?:[ '][0-9]{3})+(?![0-9 '])")
_QUOTED: Final = 30  # characters of the typed text that a message quotes


class NumberError(ValueError):
    """A text that stands for no number, or for more than one; says what to write."""


def read_number(text: str) -> float:
    """The number that somebody typed in their language.

    A comma or a point stands before the decimals, whatever the language, unless it may also
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
    value = fraction if whole is None else whole
    if value is None:
        typed = _short(text)
        raise NumberError(
            tr("Write a number, such as {example}, not “{typed}”.", example=0.25, typed=typed)
        )
    return value


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
    """A text with its digits, signs and spaces written in ASCII."""
    text = _DASHES.sub("-", unicodedata.normalize("NFKC", text.translate(_SIGNS)))
    return "".join(
        str(unicodedata.decimal(sign)) if sign.isdecimal() else " " if sign.isspace() else sign
        for sign in text
    ).strip()


def readings(text: str, decimal: str) -> tuple[float | None, float | None]:
    """The number read without decimals, and read with them; None where no such reading exists.

    `decimal` is the decimal sign in the language of the text.
    """
    if len(text) > NUMBER_LENGTH or _SUPERSCRIPT.search(_POWER_OF_TEN.sub("", text)):
        return None, None
    typed = _TIMES_TEN.sub("e", plain(text))
    typed = _IN_GROUPS.sub(lambda match: re.sub("[ ']", "", match[0]), typed, count=1)
    parts = _NUMBER.fullmatch(re.sub(r"^([+-]) ", r"\1", typed))
    if parts is None:
        return None, None
    sign, body, power = parts.groups()
    whole, fraction = _with_and_without_decimals(body, decimal)

    def number(digits: str | None) -> float | None:
        value = None if digits is None else float(f"{sign}{digits}e{power or 0}")
        return value if value is not None and math.isfinite(value) else None

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
    return text if len(text) <= _QUOTED else f"{text[: _QUOTED - 1]}…"
