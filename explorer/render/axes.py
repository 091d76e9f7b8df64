"""The axes of a picture: they turn numbers into shares of its area, and have ticks with labels."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

_TICK_STEPS: Final = (2, 5, 10)  # times a power of ten
_PER_TICK: Final = {"x": 80.0, "y": 40.0}  # usual pixels between two ticks
_MIN_PER_TICK: Final = 20.0
_PLACE_DIGITS: Final = 6  # to which places on an axis are rounded
_SUPERSCRIPT: Final = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def numeral(value: float, digits: int, separators: str, plus: str = "") -> str:
    """A number as the language writes it; `plus` is the sign of numbers that are not negative."""
    text = f"{abs(value):.{digits}f}"
    sign = "−" if value < 0 and float(text) > 0 else plus
    return sign + text.replace(".", separators[:1])


def even_ticks(low: float, high: float, length: float, letter: str) -> list[float]:
    """Round numbers at equal steps, for an axis of `length` pixels."""
    low, high = min(low, high), max(low, high)
    wanted = max(min(4.0, length / _MIN_PER_TICK), min(9.0, length / _PER_TICK[letter])) + 1
    rough = (high - low) / wanted
    if not rough > 0:
        return []
    step = _even_step(rough)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [at * step for at in range(first, last + 1)]


def _even_step(rough: float) -> float:
    power = 10.0 ** math.floor(math.log10(rough))
    return power * next(even for even in _TICK_STEPS if rough <= power * even * (1 + 1e-9))


def tick_label(value: float, ticks: Sequence[float], separators: str) -> str:
    """The label of a number of `even_ticks`."""
    step = ticks[1] - ticks[0] if len(ticks) > 1 else abs(ticks[0]) or 1.0
    digits = max(0, -math.floor(math.log10(step) + 1e-9))
    if abs(value) < step / 2:
        return "0"
    if not digits:
        return f"{value:,.0f}".replace(",", separators[1:] or "").replace("-", "−")
    if digits <= 5:
        return numeral(value, digits, separators).rstrip("0").rstrip(separators[:1])
    power = math.floor(math.log10(abs(value)) + 1e-9)
    short = numeral(value / 10.0**power, 1, separators).removesuffix(f"{separators[:1]}0")
    return f"{short}·10{str(power).translate(_SUPERSCRIPT)}"


@dataclass(frozen=True, slots=True)
class Axis:
    """One axis: the numbers at its ends, and where these lie in the area, as shares from 0 to 1.

    A share counts from the left, or from the top.
    """

    letter: str
    low: float  # the number at the share `start`
    high: float
    start: float
    end: float
    layout: Mapping[str, Any]
    names: Mapping[float, str]  # by their places, rounded

    @classmethod
    def of(cls, name: str, layout: Mapping[str, Any]) -> "Axis":
        """The axis that a layout describes."""
        letter, (low, high) = name[0], layout["range"]
        start, end = layout.get("domain") or (0.0, 1.0)
        if letter == "y":  # plotly counts from below
            start, end = 1 - start, 1 - end
        named = zip(layout.get("tickvals") or (), layout.get("ticktext") or (), strict=False)
        names = {round(float(place), _PLACE_DIGITS): str(name) for place, name in named}
        return cls(letter, float(low), float(high), start, end, layout, names)

    def share(self, value: float) -> float:
        """The share of the area at which a number lies."""
        along = (value - self.low) / ((self.high - self.low) or 1.0)
        return self.start + along * (self.end - self.start)

    def name_of(self, value: float, separators: str) -> str:
        """The name of a place on the axis, or else its number."""
        name = self.names.get(round(value, _PLACE_DIGITS))
        digits = 0 if float(value).is_integer() else 2
        return numeral(value, digits, separators) if name is None else name

    def ticks(self, pixels: float, separators: str) -> list[tuple[float, str]]:
        """The ticks of the axis, which has so many pixels: their shares and labels."""
        layout = self.layout
        if layout.get("showticklabels") is False or layout.get("visible") is False:
            return []
        places = layout.get("tickvals")
        if places is None:
            values = even_ticks(self.low, self.high, pixels, self.letter)
            found = [(value, tick_label(value, values, separators)) for value in values]
        else:
            names = layout.get("ticktext") or [tick_label(at, places, separators) for at in places]
            found = list(zip(map(float, places), map(str, names), strict=True))
        low, high = sorted((self.start, self.end))
        shares = [(self.share(value), text) for value, text in found]
        return [(at, text) for at, text in shares if low - 1e-6 <= at <= high + 1e-6]
