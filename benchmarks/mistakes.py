"""The famous mistakes: how many sentences trained models still get right with them.

Writes assets/mistakes.json, which the lab reads.
"""

import json
from dataclasses import asdict

import torch

from benchmarks.report import Row, Section
from explorer.mistakes.catalogue import ALL
from explorer.mistakes.effect import FILE, count
from explorer.training.trainer import held_out
from explorer.weights.catalogue import Shipped, checkpoint, shipped_translator


def measure() -> Section:
    """Every mistake on the model for "reverse", and on the translator."""
    torch.set_num_threads(1)
    reverse = checkpoint(Shipped("reverse"))
    assert reverse is not None
    examples = held_out(reverse.task)
    found = count(reverse.model, examples, shipped_translator())
    FILE.write_text(json.dumps(asdict(found), indent=1) + "\n")
    rows = []
    for mistake in ALL:
        effect = found.effects[mistake.id]
        there = ""
        if effect.there is not None:
            without, with_it, of = effect.there
            there = f"; where it shows, {without} → **{with_it}** of {of} next words are right"
        rows.append(
            Row(
                what=f"With the mistake “{mistake.title}”",
                how=f"{len(found.right)} held-out sentences to reverse, "
                f"{found.sentences} to translate",
                aim="–",
                measured=f"**{effect.n_right}** of {found.right.count('1')} are still right, "
                f"**{effect.n_changed}** of {found.sentences} translations change{there}",
            )
        )
    return Section(
        title="Famous mistakes on trained weights",
        rows=rows,
        notes=["Greedy answers. The models have learnt without these mistakes."],
    )
