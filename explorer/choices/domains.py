"""The values that a choice may have: read from an address, and written into it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from explorer.config import head_choices
from explorer.languages import decimal_and_group, mark, tr
from explorer.numerals import NumberError, read_number, read_whole, readings
from explorer.runtime.shares import SENTENCE_LENGTH


class Domain:
    """The values that a choice may have."""

    __slots__ = ()

    @property
    def possible(self) -> str:
        """The values in words."""
        raise NotImplementedError

    def read(self, text: str) -> Any | None:
        """The value that a text stands for, or the nearest one; None if there is no such value."""
        raise NotImplementedError

    def write(self, value: Any) -> str:
        """A value as text, which `read` turns back into the value."""
        return str(value).lower() if isinstance(value, bool) else str(value)

    def stands_for(self, text: str, value: Any) -> bool:
        """Whether the text stands for exactly this value, not only for one near to it."""
        return not _is_number(value) or value in (_whole(text), _decimal(text))


class Number(Domain):
    """Numbers from `low` to `high`."""

    __slots__ = ()
    low: Any
    high: Any

    def typed(self, text: str) -> Any:
        """The number that somebody typed in their language; `NumberError` if it is not possible."""
        number = self._number(text)
        if not self.low <= number <= self.high:
            raise NumberError(
                tr("Write {possible}, not “{typed}”.", possible=self.possible, typed=text.strip())
            )
        return number

    def _number(self, text: str) -> float:
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Whole(Number):
    """Whole numbers."""

    low: int
    high: int

    @property
    def possible(self) -> str:
        return tr("a whole number from {low:,} to {high:,}", low=self.low, high=self.high)

    def read(self, text: str) -> int | None:
        found = _whole(text)
        return None if found is None else min(max(found, self.low), self.high)

    def _number(self, text: str) -> int:
        return read_whole(text)


@dataclass(frozen=True, slots=True)
class Decimal(Number):
    """Numbers in decimal notation."""

    low: float
    high: float

    @property
    def possible(self) -> str:
        return tr("a number from {low:,.12g} to {high:,.12g}", low=self.low, high=self.high)

    def read(self, text: str) -> float | None:
        value = _decimal(text)
        return value if value is not None and self.low <= value <= self.high else None

    def write(self, value: Any) -> str:
        return f"{value:.12f}".rstrip("0").rstrip(".")

    def _number(self, text: str) -> float:
        return read_number(text)


@dataclass(frozen=True, slots=True)
class OneOf(Domain):
    """One of a few identifiers or numbers."""

    options: tuple[Any, ...]

    @property
    def possible(self) -> str:
        return tr("one of {options}", options=", ".join(map(self.write, self.options)))

    def read(self, text: str) -> Any | None:
        number = _decimal(text)
        for option in self.options:
            if option == number if _is_number(option) else self.write(option) == text:
                return option
        return None


@dataclass(frozen=True, slots=True)
class Renamed(OneOf):
    """One of a few identifiers; those that there were stand for the nearest of these."""

    nearest: Mapping[str, str]

    def read(self, text: str) -> str | None:
        return OneOf.read(self, self.nearest.get(text, text))

    def stands_for(self, text: str, value: Any) -> bool:
        return text not in self.nearest


YES_OR_NO = OneOf((True, False))


@dataclass(frozen=True, slots=True)
class Text(Domain):
    """Any text that the pattern allows; `described` is English, for `tr`."""

    pattern: str = r"(?s).*"
    described: str = mark("any text of up to {most:,} characters")

    @property
    def possible(self) -> str:
        return tr(self.described, most=SENTENCE_LENGTH)

    def read(self, text: str) -> str | None:
        return text if len(text) <= SENTENCE_LENGTH and re.fullmatch(self.pattern, text) else None


@dataclass(frozen=True, slots=True)
class Divisors(Domain):
    """Numbers of heads that divide d_model."""

    d_model: int

    @property
    def possible(self) -> str:
        options = ", ".join(map(str, head_choices(self.d_model)))
        return tr(
            "a divisor of d_model={d_model}: {options}", d_model=self.d_model, options=options
        )

    def read(self, text: str) -> int | None:
        wanted = _whole(text)
        return (
            default_heads(self.d_model) if wanted is None else default_heads(self.d_model, wanted)
        )


def default_heads(d_model: int, wanted: int = 4) -> int:
    """The largest number of heads, up to `wanted`, that divides d_model."""
    return max(heads for heads in head_choices(d_model) if heads <= max(1, wanted))


def in_language(domain: Number, value: Any) -> str:
    """A number as it is typed in the reader's language; empty for none."""
    return "" if value is None else domain.write(value).replace(".", decimal_and_group()[0])


def _decimal(text: str) -> float | None:
    """The number in an address, which has a point before its decimals, whoever reads it."""
    whole, fraction = readings(text, ".")
    if whole is None or fraction is None:
        return fraction if whole is None else whole
    return None


def _whole(text: str) -> int | None:
    whole, _ = readings(text, ".")
    return int(whole) if whole is not None and whole.is_integer() else None


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
