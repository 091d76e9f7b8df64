"""Every head switched off, one at a time, against a model that computes without it."""

import numpy as np
import pytest
import torch

from explorer.analysis.causes.heads_off import without_heads
from explorer.analysis.causes.question import Question
from explorer.analysis.what_if import AttentionChange, changed
from tests.analysis.causes.sentences import read, sentence


@pytest.mark.parametrize("rival", [None, 3])
@pytest.mark.parametrize("variant", ["the paper", "T5", "a decoder alone", "masked words"])
@torch.no_grad()
def test_against_a_model_without_the_head(variant: str, rival: int | None) -> None:
    seen = sentence(variant)
    question = Question.of(seen, 1, 5, rival)
    found = list(without_heads(question))
    assert [(kind, layer) for kind, layer, _ in found] == [
        (kind, layer)
        for kind in seen.model.config.attention_kinds
        for layer in range(seen.model.config.layers_of(kind))
    ]
    for kind, layer, effects in found:
        for head, effect in enumerate(effects):
            without = changed(seen.model, kind, layer, AttentionChange(without_head=head))
            assert question.answered(read(without)) - question.answer == pytest.approx(
                effect, abs=1e-9
            )
    assert max(np.abs(effects).max() for *_, effects in found) > 1e-3
