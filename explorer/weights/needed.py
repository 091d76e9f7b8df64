"""Which heads the shipped models need, measured once over many sentences.

`python -m explorer.training needed` measures it, and writes the file.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import numpy as np
from jaxtyping import Float

from explorer.analysis.causes.need import HeadNeed
from explorer.names import AttentionKind
from explorer.places import ASSETS
from explorer.weights.checkpoints import SHIPPED

FILE: Final = ASSETS / "needed.json"
Grids = Mapping[AttentionKind, Float[np.ndarray, "layers heads"]]


@dataclass(frozen=True, slots=True, kw_only=True)
class ShippedNeed:
    """What is lost without each head: in log-probability, and in the chrF of whole answers."""

    need: HeadNeed
    chrf: Grids  # the mean change, of a measure from 0 to 100
    chrf_errors: Grids  # standard errors of the means


@cache
def shipped_need(name: str) -> ShippedNeed | None:
    """What was measured of shipped weights; None if it was measured on others."""
    said = json.loads(FILE.read_text()).get(name)
    if said is None or said["weights"] != fingerprint(name):
        return None
    grids = {
        what: {kind: np.array(grid) for kind, grid in said[what].items()}
        for what in ("changes", "errors", "chrf", "chrf_errors")
    }
    need = HeadNeed(
        changes=grids["changes"],
        errors=grids["errors"],
        words=said["words"],
        sentences=said["sentences"],
    )
    return ShippedNeed(need=need, chrf=grids["chrf"], chrf_errors=grids["chrf_errors"])


def written(name: str, found: ShippedNeed) -> dict[str, Any]:
    """As JSON."""
    grids = {
        "changes": found.need.changes,
        "errors": found.need.errors,
        "chrf": found.chrf,
        "chrf_errors": found.chrf_errors,
    }
    return {
        "weights": fingerprint(name),
        "words": found.need.words,
        "sentences": found.need.sentences,
        **{
            what: {kind: np.round(grid, 4).tolist() for kind, grid in some.items()}
            for what, some in grids.items()
        },
    }


def fingerprint(name: str) -> str:
    """SHA-256 of the file of shipped weights."""
    return hashlib.sha256((SHIPPED / f"{name}.safetensors").read_bytes()).hexdigest()
