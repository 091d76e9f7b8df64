"""Measures which heads a model needs over many sentences, step by step.

For the shipped models this was done once: `python -m tests.weights.measuring` measures them and
writes the file.
"""

import hashlib
import json
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Final

import numpy as np

from explorer.analysis.causes.need import HeadNeed, heads_needed
from explorer.paths import ASSETS
from explorer.reading_notes import require_all_read
from explorer.weights.checkpoints import SHIPPED
from explorer.weights.loaded import Loaded, answered

FILE: Final = ASSETS / "needed.json"
ANSWERING: Final = 0.1  # the share of the work, roughly, until all sentences are answered
AT_ONCE: Final = 2  # sentences: others wait while some are answered


@cache
def shipped_need(name: str) -> HeadNeed | None:
    """The measurement of shipped weights; None if it was made on others."""
    content = json.loads(FILE.read_text()).get(name)
    if content is None or content["weights"] != fingerprint(name):
        return None
    changes, errors = (
        {kind: np.array(grid) for kind, grid in content[what].items()}
        for what in ("changes", "errors")
    )
    return HeadNeed(
        changes=changes, errors=errors, words=content["words"], sentences=content["sentences"]
    )


def fingerprint(name: str) -> str:
    """SHA-256 of the file of shipped weights."""
    return hashlib.sha256((SHIPPED / f"{name}.safetensors").read_bytes()).hexdigest()


def need_in_steps(
    loaded: Loaded, sentences: Sequence[str | tuple[str, str]]
) -> Iterator[tuple[float, HeadNeed | None]]:
    """The work of `explorer.need`, step by step: the share that is done; with the result at last.

    Raises:
        ValueError: if there is no sentence, or the model predicts no words.
    """
    pairs = [(sentence, None) if isinstance(sentence, str) else sentence for sentence in sentences]
    # Sentences of about the same length together: little of a batch is PAD.
    pairs.sort(key=lambda pair: len(loaded.tokenizer.split(pair[0])))
    batches = []
    for first in range(0, len(pairs), AT_ONCE):
        batch = pairs[first : first + AT_ONCE]
        sources, targets = [pair[0] for pair in batch], [pair[1] for pair in batch]
        batches.append(loaded.tokenizer.batch(sources, answered(loaded, sources, targets)))
        require_all_read(batches[-1].notes)
        yield ANSWERING * (first + len(batch)) / len(pairs), None
    for share, need in heads_needed(loaded.model, batches):
        yield ANSWERING + (1 - ANSWERING) * share, need
