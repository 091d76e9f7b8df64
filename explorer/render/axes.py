"""What is written along an axis: its names, or even numbers, as the language writes them."""

import math
from collections.abc import Sequence
from typing import Final

from explorer.drawing.drawing import Axis, numeral

_TICK_STEPS: Final = (2, 5, 10)  # times a power of ten
_PER_TICK: Final = {"x": 80.0, "y": 40.0}  # usual pixels between two ticks
_MIN_PER_TICK: Final = 20.0
_SUPERSCRIPT: Final = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


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


def ticks(axis: Axis, pixels: float, separators: str) -> list[tuple[float, str]]:
    """What is written along an axis, which has so many pixels: shares and labels."""
    if not axis.shown:
        return []
    places = axis.places
    if places is None:
        places = even_ticks(*axis.ends, pixels, axis.letter)
    names = axis.names or [tick_label(at, places, separators) for at in places]
    shares = [(axis.share(at), name) for at, name in zip(places, names, strict=True)]
    return [(at, name) for at, name in shares if -1e-6 <= at <= 1 + 1e-6]
