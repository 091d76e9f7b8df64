"""Sums and products written out with their numbers, for checking by hand."""

from typing import Final

import numpy as np
from jaxtyping import Float

MOST_TERMS: Final = 64


def signed_number(value: float, digits: int = 3) -> str:
    """A number with a proper minus sign, and none on zero."""
    text = f"{value:.{digits}f}" if abs(value) < 1e5 else f"{value:.2e}"
    if text.strip("-0.") == "":
        text = text.lstrip("-")
    return text.replace("-", "−")


def sum_of_products(
    a: Float[np.ndarray, " width"],
    b: Float[np.ndarray, " width"],
    result: float,
    *,
    bias: float | None = None,
) -> str:
    """a·b + bias = result, with up to 64 products written out and the rest as one number."""
    terms = [
        f"{_factor(float(x))}·{_factor(float(y))}"
        for x, y in zip(a[:MOST_TERMS], b[:MOST_TERMS], strict=True)
    ]
    left = len(a) - MOST_TERMS
    if left > 0:
        rest = float(a[MOST_TERMS:].astype(np.float64) @ b[MOST_TERMS:].astype(np.float64))
        terms.append(f"[{left} more products: {signed_number(rest)}]")
    if bias is not None:
        terms.append(f"{signed_number(bias)} (bias)")
    return f"{' + '.join(terms)} = {signed_number(result)}"


def softmax_by_hand(scores: Float[np.ndarray, " key"], key: int, weight: float) -> str:
    """e^score of one key, divided by the sum over all keys; −∞ adds nothing."""
    seen = scores[np.isfinite(scores)]
    if len(seen) == 0:
        return "this query may attend to no key: every weight is 0"
    # The softmax itself always subtracts the largest score; moderate scores are shown as they are.
    far = float(np.abs(seen).max()) > 60 or float(seen.max()) < -4
    shift = float(seen.max()) if far else 0.0
    terms = [f"e^{_factor(float(score - shift))}" for score in seen[:MOST_TERMS]]
    if len(seen) > MOST_TERMS:
        rest = float(np.exp(seen[MOST_TERMS:].astype(np.float64) - shift).sum())
        terms.append(f"[{len(seen) - MOST_TERMS} more terms: {signed_number(rest)}]")
    own = "e^(−∞)" if np.isneginf(scores[key]) else f"e^{_factor(float(scores[key]) - shift)}"
    note = f"   (largest score, {signed_number(shift)}, subtracted from all)" if shift else ""
    return f"{own} / ({' + '.join(terms)}) = {weight:.4f}{note}"


def _factor(value: float) -> str:
    text = signed_number(value)
    return f"({text})" if text.startswith("−") else text


def layer_norm_by_hand(
    x: Float[np.ndarray, " d_model"],
    gain: Float[np.ndarray, " d_model"],
    bias: Float[np.ndarray, " d_model"],
    epsilon: float,
    out: Float[np.ndarray, " d_model"],
    *,
    most: int = 4,
) -> str:
    """Mean and deviation of one token, and its first few numbers after the norm."""
    mean, variance = float(x.mean(dtype=np.float64)), float(x.var(dtype=np.float64))
    deviation = float(np.sqrt(variance + epsilon))
    lines = [
        f"μ = mean of {len(x)} numbers = {signed_number(mean)}",
        f"σ = √(variance + ε) = √({signed_number(variance)} + {epsilon:.0e}) = "
        f"{signed_number(deviation)}",
    ]
    lines += [
        f"out[{n}] = ({signed_number(float(x[n]))} − {_factor(mean)}) / {signed_number(deviation)}"
        f" · {signed_number(float(gain[n]))} + {_factor(float(bias[n]))} = "
        f"{signed_number(float(out[n]))}"
        for n in range(min(most, len(x)))
    ]
    return "\n".join(lines)


def rms_norm_by_hand(
    x: Float[np.ndarray, " d_model"],
    gain: Float[np.ndarray, " d_model"],
    epsilon: float,
    out: Float[np.ndarray, " d_model"],
    *,
    most: int = 4,
) -> str:
    """Root mean square of one token, and its first few numbers after the norm."""
    square = float(np.square(x, dtype=np.float64).mean())
    size = signed_number(float(np.sqrt(square + epsilon)))
    return "\n".join(
        [
            f"r = √(mean of the {len(x)} squares + ε) = √({signed_number(square)} + "
            f"{epsilon:.0e}) = {size}",
            *(
                f"out[{n}] = {signed_number(float(x[n]))} / {size} · "
                f"{signed_number(float(gain[n]))} = {signed_number(float(out[n]))}"
                for n in range(min(most, len(x)))
            ),
        ]
    )
