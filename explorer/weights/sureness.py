"""Whether a translator was sure of what it wrote."""

import math
from collections.abc import Sequence
from typing import Final

from explorer.languages import tr

SPARED: Final = 0.03  # share of good translations that may be marked
_SURE: Final = 0.5  # probability of a piece


def mean_log(probabilities: Sequence[float]) -> float:
    """The mean logarithm of the probabilities of the pieces that were written, in nats a piece.

    0 for nothing.
    """
    logs = [math.log(max(probability, 1e-9)) for probability in probabilities]
    return sum(logs) / max(1, len(logs))


def bound_of(good: Sequence[float]) -> float:
    """The bound below which a mean logarithm is doubted, from those of good translations."""
    return sorted(good)[int(SPARED * len(good))]


def doubt(probabilities: Sequence[float], bound: float) -> str:
    """Why a translation is doubted, or nothing.

    What is nonsense is nearly always written with low probabilities; what is right rarely is.
    """
    if mean_log(probabilities) >= bound:
        return ""
    return tr(
        "it was sure of only {sure} of the {n} pieces that it wrote",
        sure=sum(probability >= _SURE for probability in probabilities),
        n=len(probabilities),
    )
