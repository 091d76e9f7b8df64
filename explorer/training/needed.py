"""Measures which heads the shipped models need: every head switched off, over many sentences."""

import random
from itertools import islice
from typing import Final

from explorer.analysis.causes.need import HeadNeed
from explorer.paths import ASSETS
from explorer.tasks.tasks import TASKS, pairs
from explorer.weights.catalogue import TRANSLATOR
from explorer.weights.loaded import load
from explorer.weights.needed import need_in_steps

SENTENCES: Final = 50
# The sentences that the translator is judged by, in columns: a group, English, right German, and
# more. It never learns from them.
HUNDRED: Final = ASSETS / "hundred.tsv"


def measured(name: str) -> HeadNeed:
    """The loss of shipped weights without each head.

    The translator has every second of its hundred judged sentences, the others fifty that were held
    out.
    """
    *_, (_, need) = need_in_steps(load(name), _sentences(name))
    assert need is not None
    return need


def _sentences(name: str) -> list[str]:
    if name == TRANSLATOR:
        lines = HUNDRED.read_text(encoding="utf-8").splitlines()[::2]
        return [line.split("\t")[1] for line in lines]
    dice = random.Random("needed heads")
    drawn = islice(pairs(TASKS[name], dice, held_out=True), SENTENCES)
    return [" ".join(one.source) for one in drawn]
