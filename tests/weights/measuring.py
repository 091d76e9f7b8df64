"""`python -m tests.weights.measuring [NAME ...]`: measure again which heads shipped models need."""

import json
import random
import sys
from itertools import islice
from pathlib import Path
from typing import Final

import numpy as np

from explorer.tasks.tasks import TASKS, pairs
from explorer.weights.catalogue import SHIPPED_NAMES, TRANSLATOR
from explorer.weights.loaded import load
from explorer.weights.needed import FILE, fingerprint, need_in_steps

SENTENCES: Final = 50
HUNDRED: Final = Path(__file__).parents[2] / "training/judged/hundred.tsv"


def sentences(name: str) -> list[str]:
    """Every second of the translator's hundred judged sentences; of others, fifty held out."""
    if name == TRANSLATOR:
        lines = HUNDRED.read_text(encoding="utf-8").splitlines()[::2]
        return [line.split("\t")[1] for line in lines]
    drawn = islice(pairs(TASKS[name], random.Random("needed heads"), held_out=True), SENTENCES)
    return [" ".join(one.source) for one in drawn]


def measure(name: str) -> None:
    """Measure one model, and write that down."""
    *_, (_, need) = need_in_steps(load(name), sentences(name))
    assert need is not None
    known = json.loads(FILE.read_text()) if FILE.exists() else {}
    known[name] = {
        "weights": fingerprint(name),
        "words": need.words,
        "sentences": need.sentences,
        **{
            what: {kind: np.round(grid, 4).tolist() for kind, grid in grids.items()}
            for what, grids in (("changes", need.changes), ("errors", need.errors))
        },
    }
    FILE.write_text(json.dumps(known, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    for one in sys.argv[1:] or SHIPPED_NAMES:
        measure(one)
