"""Sums and products written out with their numbers, for checking by hand."""

from typing import Final

import numpy as np
from jaxtyping import Float

from explorer.languages import numeral, tr, tr_n

MAX_TERMS: Final = 32
FEW_TERMS: Final = 3
MAX_NUMBERS: Final = 4  # of a norm


def signed_number(value: float, digits: int = 3) -> str:
    """A number without a sign on zero."""
    return numeral(value, f"z.{digits}f" if abs(value) < 1e5 else ".2e")


def sum_of_products(
    a: Float[np.ndarray, " width"],
    b: Float[np.ndarray, " width"],
    result: float,
    *,
    bias: float | None = None,
    whole: bool = True,
) -> str:
    """a·b + bias = result: 32 products, or if not the `whole` the three largest; then the rest."""
    products = a.astype(np.float64) * b.astype(np.float64)
    shown = _shown(products, whole=whole)
    terms = [f"{_factor(float(a[n]))}·{_factor(float(b[n]))}" for n in shown]
    more = len(a) - len(shown)
    if more > 0:
        rest = float(np.delete(products, shown).sum())
        text = tr_n(
            "{n} more product: {sum}", "{n} more products: {sum}", more, sum=signed_number(rest)
        )
        terms.append(f"[{text}]")
    if bias is not None:
        terms.append(tr("{bias} (bias)", bias=signed_number(bias)))
    return f"{' + '.join(terms)} = {signed_number(result)}"


def _shown(sizes: Float[np.ndarray, " terms"], *, whole: bool) -> list[int]:
    """The terms of a sum that are written out, in their order."""
    if whole:
        return list(range(min(MAX_TERMS, len(sizes))))
    return sorted(np.argsort(-np.abs(sizes), kind="stable")[:FEW_TERMS].tolist())


def softmax_written_out(
    scores: Float[np.ndarray, " key"], key: int, weight: float, *, whole: bool = True
) -> str:
    """e^score of one key, divided by the sum over all keys; −∞ adds nothing.

    As many terms are written out as in `sum_of_products`.
    """
    finite = scores[np.isfinite(scores)]
    if len(finite) == 0:
        return tr("this query may attend to no key: every weight is 0")
    # The softmax itself always subtracts the largest score; moderate scores are shown as they are.
    extreme = float(np.abs(finite).max()) > 60 or float(finite.max()) < -4
    shift = float(finite.max()) if extreme else 0.0
    powers = np.exp(finite.astype(np.float64) - shift)
    shown = _shown(powers, whole=whole)
    terms = [f"e^{_factor(float(finite[n] - shift))}" for n in shown]
    if (more := len(finite) - len(shown)) > 0:
        rest = float(np.delete(powers, shown).sum())
        text = tr_n("{n} more term: {sum}", "{n} more terms: {sum}", more, sum=signed_number(rest))
        terms.append(f"[{text}]")
    own = "e^(−∞)" if np.isneginf(scores[key]) else f"e^{_factor(float(scores[key]) - shift)}"
    quotient = f"{own} / ({' + '.join(terms)}) = {numeral(weight, '.4f')}"
    if not shift:
        return quotient
    note = tr("(largest score, {score}, subtracted from all)", score=signed_number(shift))
    return f"{quotient}   {note}"


def _factor(value: float) -> str:
    text = signed_number(value)
    return f"({text})" if text.startswith("−") else text


def layer_norm_written_out(
    x: Float[np.ndarray, " d_model"],
    gain: Float[np.ndarray, " d_model"],
    bias: Float[np.ndarray, " d_model"],
    epsilon: float,
    out: Float[np.ndarray, " d_model"],
) -> str:
    """Mean and deviation of one token, and its first few numbers after the norm."""
    mean, variance = float(x.mean(dtype=np.float64)), float(x.var(dtype=np.float64))
    deviation = float(np.sqrt(variance + epsilon))
    lines = [
        tr("μ = mean of {n} numbers = {mean}", n=len(x), mean=signed_number(mean)),
        tr(
            "σ = √(variance + ε) = √({variance} + {epsilon:.0e}) = {deviation}",
            variance=signed_number(variance),
            epsilon=epsilon,
            deviation=signed_number(deviation),
        ),
    ]
    lines += [
        f"out[{n}] = ({signed_number(float(x[n]))} − {_factor(mean)}) / {signed_number(deviation)}"
        f" · {signed_number(float(gain[n]))} + {_factor(float(bias[n]))} = "
        f"{signed_number(float(out[n]))}"
        for n in range(min(MAX_NUMBERS, len(x)))
    ]
    return "\n".join(lines)


def rms_norm_written_out(
    x: Float[np.ndarray, " d_model"],
    gain: Float[np.ndarray, " d_model"],
    epsilon: float,
    out: Float[np.ndarray, " d_model"],
) -> str:
    """Root mean square of one token, and its first few numbers after the norm."""
    square = float(np.square(x, dtype=np.float64).mean())
    size = signed_number(float(np.sqrt(square + epsilon)))
    return "\n".join(
        [
            tr(
                "r = √(mean of the {n} squares + ε) = √({mean} + {epsilon:.0e}) = {size}",
                n=len(x),
                mean=signed_number(square),
                epsilon=epsilon,
                size=size,
            ),
            *(
                f"out[{n}] = {signed_number(float(x[n]))} / {size} · "
                f"{signed_number(float(gain[n]))} = {signed_number(float(out[n]))}"
                for n in range(min(MAX_NUMBERS, len(x)))
            ),
        ]
    )
