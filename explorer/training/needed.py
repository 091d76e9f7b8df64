"""Measures which heads the shipped models need: every head switched off, over many sentences."""

import random
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Final

import numpy as np

from explorer.analysis.what_if import AttentionChange, changed
from explorer.names import AttentionKind
from explorer.tasks.tasks import TASKS, pairs
from explorer.weights.catalogue import TRANSLATOR
from explorer.weights.loaded import Loaded, load
from explorer.weights.needed import ShippedNeed, need_in_steps

SENTENCES: Final = 50
# The sentences that the translator is judged by, in columns: a group, English, right German, and
# more. It never learns from them.
HUNDRED: Final = Path(__file__).parent / "hundred.tsv"


def measured(name: str) -> ShippedNeed:
    """The loss of shipped weights without each head, in log-probability and in chrF.

    The translator has every second of its hundred judged sentences, the others fifty that were held
    out. Answers are compared with the right ones.

    Raises:
        ModuleNotFoundError: without sacrebleu, which requirements-dev.txt installs.
    """
    loaded, (sources, right) = load(name), _sentences(name)
    before = _chrf(loaded, sources, right)
    means: dict[AttentionKind, np.ndarray] = {}
    errors: dict[AttentionKind, np.ndarray] = {}
    for kind in loaded.config.attention_kinds:
        shape = (loaded.config.layers_of(kind), loaded.config.n_heads)
        means[kind], errors[kind] = np.zeros(shape), np.zeros(shape)
        for layer, head in np.ndindex(shape):
            model = changed(loaded.model, kind, layer, AttentionChange(without_head=head))
            change = _chrf(replace(loaded, model=model), sources, right) - before
            means[kind][layer, head] = change.mean()
            errors[kind][layer, head] = change.std(ddof=1) / len(change) ** 0.5
    *_, (_, need) = need_in_steps(loaded, sources)
    assert need is not None
    return ShippedNeed(need=need, chrf=means, chrf_errors=errors)


def _sentences(name: str) -> tuple[list[str], list[str]]:
    """Sources, and their right answers."""
    if name == TRANSLATOR:
        lines = HUNDRED.read_text(encoding="utf-8").splitlines()[::2]
        columns = [line.split("\t") for line in lines]
        return [english for _, english, *_ in columns], [german for _, _, german, *_ in columns]
    dice = random.Random("needed heads")
    drawn = list(islice(pairs(TASKS[name], dice, held_out=True), SENTENCES))
    return [" ".join(one.source) for one in drawn], [" ".join(one.target) for one in drawn]


def _chrf(loaded: Loaded, sources: Sequence[str], right: Sequence[str]) -> np.ndarray:
    """The chrF (Popović 2015) of every answer."""
    import sacrebleu

    answers = loaded.answer(sources)
    return np.array(
        [
            sacrebleu.sentence_chrf(answer, [wanted]).score
            for answer, wanted in zip(answers, right, strict=True)
        ]
    )
