"""Whether a translator was sure of its answer, and how often answers as sure as that are right."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from explorer.languages import tr

MAX_FALSE_ALARM_RATE: Final = 0.05  # share of good translations that may be marked as doubtful


def mean_log(probabilities: Sequence[float]) -> float:
    """The mean logarithm of the probabilities of the written pieces, in nats per piece.

    0 if there are none.
    """
    logs = [math.log(max(probability, 1e-9)) for probability in probabilities]
    return sum(logs) / max(1, len(logs))


@dataclass(frozen=True, slots=True)
class Sureness:
    """The likely quality of an answer, by the mean logarithm of its probabilities.

    If it was measured, the share of right answers is a logistic function of it (Platt 1999).
    """

    doubted_below: float
    intercept: float = 0.0
    slope: float | None = None

    @classmethod
    def measured(cls, means: Sequence[float], right: Sequence[bool]) -> "Sureness":
        """From the mean logarithms of many answers, and whether each was right.

        Raises:
            ValueError: unless some are right and some are not.
        """
        if len({*right}) != 2:
            raise ValueError("some answers must be right, and some must not be")
        x = np.stack([np.ones(len(means)), np.asarray(means)])
        y = np.asarray(right, dtype=float)
        coefficients = np.zeros(2)
        for _ in range(
            50
        ):  # Newton's method; a small ridge term, in case the classes are separable
            p = _logistic(coefficients @ x)
            gradient = x @ (y - p) - 1e-3 * coefficients
            hessian = (x * p * (1 - p)) @ x.T + 1e-3 * np.eye(2)
            coefficients += np.linalg.solve(hessian, gradient)
        good = sorted(mean for mean, one in zip(means, right, strict=True) if one)
        bound = good[int(MAX_FALSE_ALARM_RATE * len(good))]
        return cls(*(round(float(one), 3) for one in (bound, *coefficients)))

    def right_of_ten(self, probabilities: Sequence[float]) -> int | None:
        """How many of ten answers with such probabilities are right; None if not measured."""
        if self.slope is None:
            return None
        share = _logistic(np.asarray(self.intercept + self.slope * mean_log(probabilities)))
        return round(10 * float(share))

    def doubt(self, probabilities: Sequence[float]) -> str:
        """Why a translation is doubted, or nothing.

        A nonsensical translation nearly always has low probabilities; a right one rarely has.
        """
        if mean_log(probabilities) >= self.doubted_below:
            return ""
        return tr(
            "on average (geometric mean) its pieces had a probability of only {share:.2f}",
            share=math.exp(mean_log(probabilities)),
        )


def _logistic(x: np.ndarray) -> np.ndarray:
    found: np.ndarray = 1 / (1 + np.exp(-np.clip(x, -30.0, 30.0)))
    return found
