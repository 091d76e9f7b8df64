"""The values that a choice may have: read from an address, and written into it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from explorer.config import head_choices
from explorer.languages import decimal_and_group, mark, tr
from explorer.numerals import NumberError, read_number, read_whole, readings
from explorer.runtime.shares import SENTENCE


@runtime_checkable
class Domain(Protocol):
    """The values that a choice may have."""

    @property
    def possible(self) -> str:
        """The values in words."""
        ...

    def read(self, text: str) -> Any | None:
        """The value that a text stands for, or the nearest one; None if it stands for none."""
        ...

    def write(self, value: Any) -> str:
        """A value as text, which `read` turns back into the value."""
        ...

    def says(self, text: str, value: Any) -> bool:
        """Whether the text stands for exactly this value."""
        ...


@dataclass(frozen=True, slots=True)
class Whole:
    """Whole numbers."""

    low: int
    high: int

    @property
    def possible(self) -> str:
        return tr("a whole number from {low:,} to {high:,}", low=self.low, high=self.high)

    def read(self, text: str) -> int | None:
        found = _whole(text)
        return None if found is None else min(max(found, self.low), self.high)

    def typed(self, text: str) -> int:
        """The number that somebody typed in their language; `NumberError` if it is not possible."""
        number = read_whole(text)
        _require(self, text, number)
        return number

    def write(self, value: Any) -> str:
        return str(value)

    def says(self, text: str, value: Any) -> bool:
        return bool(_whole(text) == value)


@dataclass(frozen=True, slots=True)
class Decimal:
    """Numbers in decimal notation."""

    low: float
    high: float

    @property
    def possible(self) -> str:
        return tr("a number from {low:,.12g} to {high:,.12g}", low=self.low, high=self.high)

    def read(self, text: str) -> float | None:
        value = _decimal(text)
        return value if value is not None and self.low <= value <= self.high else None

    def typed(self, text: str) -> float:
        """The number that somebody typed in their language; `NumberError` if it is not possible."""
        number = read_number(text)
        _require(self, text, number)
        return number

    def write(self, value: Any) -> str:
        return f"{value:.12f}".rstrip("0").rstrip(".")

    def says(self, text: str, value: Any) -> bool:
        return True


@dataclass(frozen=True, slots=True)
class OneOf:
    """One of a few identifiers or numbers; `before` maps the names in old addresses."""

    options: tuple[Any, ...]
    before: Mapping[str, Any] | None = None

    @property
    def possible(self) -> str:
        return tr("one of {options}", options=", ".join(map(self.write, self.options)))

    def read(self, text: str) -> Any | None:
        if self.before and text in self.before:
            return self.before[text]
        number = _decimal(text)
        for option in self.options:
            if option == text or (number is not None and _is_number(option) and option == number):
                return option
        return None

    def write(self, value: Any) -> str:
        return str(value)

    def says(self, text: str, value: Any) -> bool:
        return True


@dataclass(frozen=True, slots=True)
class YesNo:
    """A switch."""

    @property
    def possible(self) -> str:
        return tr("one of {options}", options="true, false")

    def read(self, text: str) -> bool | None:
        return {"true": True, "false": False}.get(text)

    def write(self, value: Any) -> str:
        return str(value).lower()

    def says(self, text: str, value: Any) -> bool:
        return True


@dataclass(frozen=True, slots=True)
class Text:
    """Any text that the pattern allows; `described` is English, for `tr`."""

    pattern: str = r"(?s).*"
    described: str = mark("any text of up to {most:,} characters")

    @property
    def possible(self) -> str:
        return tr(self.described, most=SENTENCE)

    def read(self, text: str) -> str | None:
        return text if len(text) <= SENTENCE and re.fullmatch(self.pattern, text) else None

    def write(self, value: Any) -> str:
        return str(value)

    def says(self, text: str, value: Any) -> bool:
        return True


@dataclass(frozen=True, slots=True)
class Divisors:
    d_model: int

    @property
    def possible(self) -> str:
        options = ", ".join(map(str, head_choices(self.d_model)))
        return tr(
            "a divisor of d_model={d_model}: {options}", d_model=self.d_model, options=options
        )

    def read(self, text: str) -> int | None:
        wanted = int(text) if re.fullmatch(r"\d{1,4}", text, re.ASCII) else 4
        return default_heads(self.d_model, wanted)

    def write(self, value: Any) -> str:
        return str(value)

    def says(self, text: str, value: Any) -> bool:
        return bool(re.fullmatch(r"\d{1,4}", text, re.ASCII) and int(text) == value)


def default_heads(d_model: int, wanted: int = 4) -> int:
    """The largest number of heads, up to `wanted`, that divides d_model."""
    return max(heads for heads in head_choices(d_model) if heads <= max(1, wanted))


def in_language(domain: Whole | Decimal, value: Any) -> str:
    """A number as it is typed in the reader's language; empty for none."""
    return "" if value is None else domain.write(value).replace(".", decimal_and_group()[0])


def _require(domain: Whole | Decimal, text: str, number: float) -> None:
    if not domain.low <= number <= domain.high:
        raise NumberError(
            tr("Write {possible}, not “{typed}”.", possible=domain.possible, typed=text.strip())
        )


def _decimal(text: str) -> float | None:
    """The number in an address, which has a point before its decimals, whoever reads it."""
    whole, fraction = readings(text, ".")
    if whole is None or fraction is None:
        return fraction if whole is None else whole
    return None


def _whole(text: str) -> int | None:
    whole, _ = readings(text, ".")
    return int(whole) if whole is not None and whole.is_integer() else None


def _is_number(option: object) -> bool:
    return isinstance(option, int | float) and not isinstance(option, bool)
