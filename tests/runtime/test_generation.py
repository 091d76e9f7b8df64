"""An answer is what the model, or an altered one, writes word by word."""

from typing import Any

import pytest
import torch

from explorer.analysis.what_if import AttentionChange, changed
from explorer.decoding import answers
from explorer.forward import forward
from explorer.mistakes.catalogue import MISTAKES
from explorer.names import USUAL_IDS
from explorer.runtime.engine import Engine
from explorer.runtime.generation import Altered, answer_to
from tests.runtime.test_mistaken import ENGINE, REQUEST, batch, reverse

SETTINGS: Any = {"specials": USUAL_IDS, "limit": 9}


@pytest.mark.parametrize("name", ["no_causal", "base_1000", "columns", "sequence_first"])
def test_the_answer_is_the_one_that_the_mistaken_model_writes(name: str) -> None:
    mistake, sources = MISTAKES[name], batch().sources
    model, altered = mistake.applied_to(reverse()), Altered(name, mistake.applied_to)
    whole = answers(model, sources.ids, limit=9)
    for row in range(3):
        alone = sources[row : row + 1]
        answer = answer_to(ENGINE, REQUEST, alone, altered=altered, **SETTINGS)
        assert answer.ids == answers(model, alone.ids, limit=9)[0]
        assert len(answer.probabilities) == len(answer.ids)
        answer = answer_to(ENGINE, REQUEST, sources, row=row, altered=altered, **SETTINGS)
        assert answer.ids == whole[row]


@pytest.mark.parametrize(
    "name", [name for name, one in MISTAKES.items() if not (one.ahead or one.across)]
)
def test_a_draft_does_not_change_the_answer(name: str) -> None:
    src, altered = batch().sources[:1], Altered(name, MISTAKES[name].applied_to)
    plain = answer_to(Engine(), REQUEST, src, altered=altered, **SETTINGS)
    for draft in ((6, 5, 4, 3), (9, 9, 9, 9, 9, 9, 9), (6, 5, 9, 2, 2), plain.ids):
        drafted = answer_to(Engine(), REQUEST, src, draft=draft, altered=altered, **SETTINGS)
        assert drafted.ids == plain.ids
        assert drafted.probabilities == pytest.approx(plain.probabilities, abs=1e-5)


def test_some_change_changes_the_answer() -> None:
    run, off = ENGINE.run(REQUEST, batch(), 0), AttentionChange(without_head=0)
    altered = Altered(off, lambda usual: changed(usual, "cross", 0, off))
    usual = answer_to(ENGINE, REQUEST, batch().sources[:1], **SETTINGS)
    other = answer_to(ENGINE, REQUEST, batch().sources[:1], altered=altered, **SETTINGS)
    assert other.ids != usual.ids
    torch.testing.assert_close(  # and the model itself is as it was
        forward(run.loaded.model, batch(), row=0).logits, run.trace.logits, rtol=1e-4, atol=1e-4
    )
