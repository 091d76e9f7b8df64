"""An answer is what the model, or an altered one, writes word by word."""

from typing import Any

import pytest
import torch

from explorer.analysis.what_if import AttentionChange, changed
from explorer.decoding import answers
from explorer.mistakes.catalogue import MISTAKES
from explorer.names import USUAL_IDS, AttentionKind
from explorer.runtime.engine import Engine, forward
from explorer.runtime.generation import answer_to
from tests.runtime.test_mistaken import ENGINE, REQUEST, batch, reverse

ASKED: Any = {"specials": USUAL_IDS, "limit": 9}
NO_MASK = AttentionChange(masked=False)


@pytest.mark.parametrize("mistake", ["no_causal", "base_1000", "columns", "sequence_first"])
def test_the_answer_is_the_one_that_the_mistaken_model_writes(mistake: str) -> None:
    made, read = MISTAKES[mistake], batch().src
    model = made.made(reverse())
    whole = answers(model, read, limit=9)
    for row in range(3):
        alone = read[row : row + 1]
        found = answer_to(ENGINE, REQUEST, alone, altered=(mistake, made.made), **ASKED)
        assert found.ids == answers(model, alone, limit=9)[0]
        assert len(found.probabilities) == len(found.ids)
        found = answer_to(ENGINE, REQUEST, read, row=row, altered=(mistake, made.made), **ASKED)
        assert found.ids == whole[row]


@pytest.mark.parametrize(
    "mistake", [name for name, made in MISTAKES.items() if not (made.ahead or made.across)]
)
def test_a_draft_does_not_change_the_answer(mistake: str) -> None:
    read, altered = batch().src[:1], (mistake, MISTAKES[mistake].made)
    plain = answer_to(Engine(), REQUEST, read, altered=altered, **ASKED)
    for draft in ((6, 5, 4, 3), (9, 9, 9, 9, 9, 9, 9), (6, 5, 9, 2, 2), plain.ids):
        drafted = answer_to(Engine(), REQUEST, read, draft=draft, altered=altered, **ASKED)
        assert drafted.ids == plain.ids
        assert drafted.probabilities == pytest.approx(plain.probabilities, abs=1e-5)


@pytest.mark.parametrize("kind", ["encoder", "decoder", "cross"])
@pytest.mark.parametrize(
    "change",
    [AttentionChange(), NO_MASK, AttentionChange(temperature=10.0), AttentionChange(scaled=False)],
)
def test_it_is_written_greedily_by_the_changed_model(
    kind: AttentionKind, change: AttentionChange
) -> None:
    read, model = batch().src[:1], changed(reverse(), kind, 1, change)
    altered = (kind, change), lambda usual: changed(usual, kind, 1, change)
    written = answer_to(ENGINE, REQUEST, read, altered=altered, **ASKED)
    ids = [USUAL_IDS.bos]
    with torch.inference_mode():
        while len(ids) <= ASKED["limit"] and USUAL_IDS.eos not in ids:
            ids.append(int(model(read, torch.tensor([ids])).logits[0, -1].argmax()))
    assert list(written.ids) == ids[1:]


def test_some_change_changes_the_answer() -> None:
    ran, flat = ENGINE.run(REQUEST, batch(), 0), AttentionChange(temperature=1000.0)
    altered = flat, lambda usual: changed(usual, "cross", 1, flat)
    usual = answer_to(ENGINE, REQUEST, batch().src[:1], **ASKED)
    assert answer_to(ENGINE, REQUEST, batch().src[:1], altered=altered, **ASKED).ids != usual.ids
    torch.testing.assert_close(  # and the model itself is as it was
        forward(ran.loaded.model, batch(), row=0).logits, ran.trace.logits, rtol=1e-4, atol=1e-4
    )
