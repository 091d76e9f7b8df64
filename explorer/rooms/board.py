"""The board of a room that trains: one curve for each person, without a name, best first."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from functools import lru_cache
from typing import Any, Final

MAX_POINTS: Final = 60
MAX_NAME: Final = 40  # characters
MAX_CURVE: Final = 6000  # bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """A person's choices for a training."""

    task: str
    steps: int
    rate: float
    batch: int
    d_model: int
    heads: int
    encoder_layers: int
    decoder_layers: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """The curve of one training so far."""

    setting: Setting
    step: int
    steps: int
    accuracies: tuple[tuple[int, float], ...]  # step, share of sentences without an error
    losses: tuple[tuple[int, float], ...]

    @property
    def accuracy(self) -> float:
        """The newest accuracy; 0 before the first measurement."""
        return self.accuracies[-1][1] if self.accuracies else 0.0

    @property
    def loss(self) -> float:
        """The newest loss."""
        return self.losses[-1][1] if self.losses else float("inf")


_NUMBERS: Final = [field.name for field in fields(Setting) if field.type is int]


def thinned(points: Sequence[tuple[int, float]]) -> tuple[tuple[int, float], ...]:
    """At most `MAX_POINTS` of these points, always with the last."""
    if len(points) <= MAX_POINTS:
        return tuple((at, round(value, 4)) for at, value in points)
    last = len(points) - 1
    at = sorted({round(n * last / (MAX_POINTS - 1)) for n in range(MAX_POINTS)})
    return tuple((points[n][0], round(points[n][1], 4)) for n in at)


def write_curve(curve: Curve) -> bytes:
    """A curve as bytes."""
    return json.dumps(asdict(curve), separators=(",", ":")).encode()


@lru_cache(maxsize=256)  # everybody in a room draws the same curves
def read_curve(data: bytes) -> Curve | None:
    """The curve that `write_curve` wrote; None if it is not valid."""
    try:
        curve = json.loads(data[:MAX_CURVE])
        return Curve(
            setting=_setting(curve["setting"]),
            step=int(curve["step"]),
            steps=int(curve["steps"]),
            accuracies=_points(curve["accuracies"]),
            losses=_points(curve["losses"]),
        )
    except (ValueError, TypeError, KeyError, OverflowError, RecursionError):
        return None


def _setting(data: Mapping[str, Any]) -> Setting:
    numbers = {name: int(data[name]) for name in _NUMBERS}
    return Setting(task=str(data["task"])[:MAX_NAME], rate=float(data["rate"]), **numbers)


def _points(points: Iterable[Iterable[float]]) -> tuple[tuple[int, float], ...]:
    return tuple((int(at), float(value)) for at, value in points)[:MAX_POINTS]


def ranked(curves: Mapping[str, Curve]) -> list[tuple[str, Curve]]:
    """The curves by the person's random name, best first."""
    return sorted(curves.items(), key=lambda item: (-item[1].accuracy, item[1].loss, item[0]))
