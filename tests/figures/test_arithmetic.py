"""Sums written out: read back, computed again, and compared with the result after "="."""

import math
import re
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.figures.arithmetic import (
    MAX_TERMS,
    layer_norm_written_out,
    signed_number,
    softmax_written_out,
    sum_of_products,
)

NEGATIVE_INFINITY = "−∞"


@dataclass(frozen=True)
class Printed:
    """A number read from a text, and half a unit of its last digit."""

    value: float
    half: float

    def says(self, true: float) -> bool:
        """Whether it is the true value, rounded (float32 leaves it seven digits)."""
        return abs(self.value - true) <= 1.01 * self.half + 2e-6 * max(1.0, abs(true))


@dataclass(frozen=True)
class WrittenSum:
    """a·b + a·b + … + bias = result, read from a text."""

    pairs: list[tuple[Printed, Printed]]
    left_out: int  # how many products are given as one number
    rest: Printed | None
    bias: Printed | None
    result: Printed

    def total(self) -> float:
        """The sum, computed again from the printed numbers."""
        single = sum(part.value for part in (self.rest, self.bias) if part is not None)
        return sum(a.value * b.value for a, b in self.pairs) + single

    def tolerance(self) -> float:
        """The largest difference between sum and result that rounding alone can cause."""
        single = sum(part.half for part in (self.rest, self.bias, self.result) if part is not None)
        products = (
            a.half * abs(b.value) + b.half * abs(a.value) + a.half * b.half for a, b in self.pairs
        )
        return sum(products) + single + 1e-5 * max(1.0, abs(self.result.value))

    def adds_up(self) -> bool:
        return abs(self.total() - self.result.value) <= self.tolerance()


def read_number(text: str) -> Printed:
    """A printed number; negative ones may stand in brackets, and have a proper minus."""
    assert "-" not in text
    plain = text.removeprefix("(").removesuffix(")")
    if plain == NEGATIVE_INFINITY:
        return Printed(-math.inf, 0.0)
    digits, _, power = plain.replace("−", "-").partition("e")
    decimals = len(digits.partition(".")[2])
    return Printed(float(digits) * 10 ** int(power or 0), 0.5 * 10 ** (int(power or 0) - decimals))


def read_sum(text: str) -> WrittenSum:
    """Parse a text of `sum_of_products`; it may begin with "name = "."""
    before, _, result = text.rpartition(" = ")
    pairs, left_out, rest, bias = [], 0, None, None
    for term in before.rpartition(" = ")[2].split(" + "):
        folded = re.fullmatch(r"\[(\d+) more products?: (\S+)\]", term)
        if folded:
            left_out, rest = int(folded[1]), read_number(folded[2])
        elif term.endswith(" (bias)"):
            bias = read_number(term.removesuffix(" (bias)"))
        else:
            a, b = term.split("·")
            pairs.append((read_number(a), read_number(b)))
    return WrittenSum(pairs, left_out, rest, bias, read_number(result))


@dataclass(frozen=True)
class WrittenSoftmax:
    """e^own / (e^a + e^b + …) = weight, read from a text."""

    own: float
    exponents: list[float]
    left_out: int
    rest: float
    weight: float
    shift: float  # subtracted from every score

    def recomputed(self) -> float:
        """The weight, computed again from the printed numbers."""
        return math.exp(self.own) / (sum(map(math.exp, self.exponents)) + self.rest)

    def adds_up(self) -> bool:
        # Exponents are printed to 0.0005, so every power is right to 0.05 %.
        return abs(self.recomputed() - self.weight) <= 0.0012 * self.weight + 0.00006


def read_softmax(text: str) -> WrittenSoftmax:
    """Parse a text of `softmax_written_out`; it may begin with "name = "."""
    match = re.fullmatch(
        r"(?:.* = )?e\^(\S+) / \((.*)\) = ([01]\.\d{4})"
        r"(?:   \(largest score, (\S+), subtracted from all\))?",
        text,
    )
    assert match, text
    exponents, left_out, rest = [], 0, 0.0
    for term in match[2].split(" + "):
        folded = re.fullmatch(r"\[(\d+) more terms?: (\S+)\]", term)
        if folded:
            left_out, rest = int(folded[1]), read_number(folded[2]).value
        else:
            exponents.append(read_number(term.removeprefix("e^")).value)
    shift = read_number(match[4]).value if match[4] else 0.0
    own = read_number(match[1]).value
    return WrittenSoftmax(own, exponents, left_out, rest, float(match[3]), shift)


def check_sum(
    text: str,
    a: np.ndarray,
    b: np.ndarray,
    result: float,
    bias: float | None = None,
) -> WrittenSum:
    """The text is the sum over a·b, all of its numbers are those of the arrays, and it adds up."""
    written = read_sum(text)
    shown = min(MAX_TERMS, len(a))
    assert len(written.pairs) == shown
    assert written.left_out == len(a) - shown
    for (first, second), x, y in zip(written.pairs, a[:shown], b[:shown], strict=True):
        assert first.says(float(x)), text
        assert second.says(float(y)), text
    assert (written.bias is None) == (bias is None)
    if written.bias is not None and bias is not None:
        assert written.bias.says(bias)
    assert written.result.says(result), text
    assert written.adds_up(), text
    return written


def vectors(size: int, seed: int = 0, scale: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    stream = np.random.default_rng(seed)
    a, b = stream.normal(0, scale, (2, size)).astype(np.float32)
    return a, b


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1.5, "1.500"),
        (-1.5, "−1.500"),
        (0.0, "0.000"),
        (-0.0, "0.000"),
        (-0.0004, "0.000"),
        (-0.0006, "−0.001"),
        (99_999.0, "99999.000"),
        (123_456.0, "1.23e+05"),
        (-2_500_000.0, "−2.50e+06"),
    ],
)
def test_a_number_has_a_proper_minus_and_zero_has_none(value: float, text: str) -> None:
    assert signed_number(value) == text


@given(st.floats(-1e12, 1e12))
def test_a_number_can_be_read_back(value: float) -> None:
    assert read_number(signed_number(value)).says(value)


def test_a_sum_by_hand() -> None:
    text = sum_of_products(np.array([1.0, -2.0, 0.0]), np.array([0.5, 3.0, -7.25]), -5.5)
    assert text == "1.000·0.500 + (−2.000)·3.000 + 0.000·(−7.250) = −5.500"
    text = sum_of_products(np.array([2.0]), np.array([4.0]), 7.0, bias=-1.0)
    assert text == "2.000·4.000 + −1.000 (bias) = 7.000"


@given(st.integers(1, 150), st.integers(0, 1000), st.sampled_from([0.01, 1.0, 30.0, 1e4]),
       st.sampled_from([None, 0.25, -3.0]))  # fmt: skip
def test_every_sum_adds_up(size: int, seed: int, scale: float, bias: float | None) -> None:
    a, b = vectors(size, seed, scale)
    total = float(a.astype(np.float64) @ b.astype(np.float64)) + (bias or 0.0)
    check_sum(sum_of_products(a, b, total, bias=bias), a, b, total, bias)


def test_a_softmax_by_hand() -> None:
    scores = np.array([1.0, -2.0, -np.inf])
    weight = math.exp(1) / (math.exp(1) + math.exp(-2))
    total = "(e^1.000 + e^(−2.000))"
    assert softmax_written_out(scores, 0, weight) == f"e^1.000 / {total} = {weight:.4f}"
    assert softmax_written_out(scores, 2, 0.0) == f"e^(−∞) / {total} = 0.0000"


@given(st.integers(1, 150), st.integers(0, 1000), st.sampled_from([0.1, 3.0, 40.0, 300.0]),
       st.booleans())  # fmt: skip
def test_every_softmax_adds_up(size: int, seed: int, scale: float, has_hidden: bool) -> None:
    stream = np.random.default_rng(seed)
    scores = stream.normal(0, scale, size)
    if has_hidden:
        scores[stream.random(size) < 0.5] = -np.inf
        scores[0] = 1.0
    key = int(stream.integers(size))
    powers = np.exp(scores - scores.max())
    written = read_softmax(softmax_written_out(scores, key, float(powers[key] / powers.sum())))
    finite = scores[np.isfinite(scores)]
    assert len(written.exponents) == min(MAX_TERMS, len(finite))
    assert written.left_out == len(finite) - len(written.exponents)
    np.testing.assert_allclose(written.exponents, finite[:MAX_TERMS] - written.shift, atol=0.0011)
    if np.isfinite(scores[key]):
        assert written.own == pytest.approx(scores[key] - written.shift, abs=0.0011)
    else:
        assert written.own == -np.inf
    assert written.adds_up()


@pytest.mark.parametrize(
    ("scores", "shift"), [([60.0, 0.0], 0), ([61.0, 0.0], 61), ([5.0, -100.0], 5), ([0, -100], 0)]
)
def test_scores_too_large_for_a_power_are_shifted_and_it_says_so(
    scores: list[float], shift: float
) -> None:
    text = softmax_written_out(np.array(scores, dtype=np.float64), 0, 1.0)
    assert ("largest score" in text) == (shift != 0)
    written = read_softmax(text)
    assert written.shift == shift
    assert written.exponents == [score - shift for score in scores]


def test_terms_left_out_of_a_softmax_still_count_where_every_score_is_low() -> None:
    written = read_softmax(softmax_written_out(np.full(128, -20.0), 0, 1 / 128))
    assert written.left_out == 128 - MAX_TERMS
    assert written.adds_up()  # without the other keys it would be 1/32


def test_without_a_key_to_look_at_there_is_nothing_to_compute() -> None:
    text = softmax_written_out(np.full(3, -np.inf), 1, 0.0)
    assert "e^" not in text
    assert "every weight is 0" in text


def test_a_layer_norm_written_out() -> None:
    x = np.array([1.0, -2.0, 4.0, 0.0, 7.0])
    gain, bias = np.array([1.0, 2.0, 0.5, 1.0, 1.0]), np.array([0.0, -1.0, 0.25, 0.0, 3.0])
    deviation = math.sqrt(((x - 2) ** 2).mean() + 1e-5)
    out = (x - 2) / deviation * gain + bias
    mean, spread, *numbers = layer_norm_written_out(x, gain, bias, 1e-5, out).splitlines()
    assert mean.endswith(" = 2.000")
    assert read_number(spread.rpartition(" = ")[2]).says(deviation)
    assert len(numbers) == 4
    for dimension, line in enumerate(numbers):
        match = re.fullmatch(r"out\[(\d)\] = \((\S+) − (\S+)\) / (\S+) · (\S+) \+ (\S+) = (\S+)",
                             line)  # fmt: skip
        assert match, line
        index, value, middle, width, factor, shift, result = (
            read_number(part) for part in match.groups()
        )
        assert index.value == dimension
        recomputed = (value.value - middle.value) / width.value * factor.value + shift.value
        assert recomputed == pytest.approx(result.value, abs=0.002)
        assert result.says(out[dimension])
