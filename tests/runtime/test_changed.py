"""The answer with one attention changed is what the changed model writes word by word."""

import pytest
import torch

from explorer.analysis.what_if import AttentionChange, changed
from explorer.names import AttentionKind
from explorer.runtime.changed import LONGER, changed_answer
from explorer.runtime.engine import Engine, forward
from explorer.text import Batch
from explorer.weights.catalogue import Shipped, checkpoint, request

REQUEST = request(Shipped("reverse"))
ENGINE = Engine()
NO_MASK = AttentionChange(masked=False)


def batch() -> Batch:
    found = checkpoint(Shipped("reverse"))
    assert found is not None
    words = [["x", "y"], ["a", "b", "c", "d"]]
    return Batch.from_words(words, [[*reversed(w)] for w in words], *found.task.vocabularies)


@pytest.mark.parametrize("kind", ["encoder", "decoder", "cross"])
@pytest.mark.parametrize(
    "change",
    [AttentionChange(), NO_MASK, AttentionChange(temperature=10.0), AttentionChange(scaled=False)],
)
def test_it_is_written_greedily_by_the_changed_model(
    kind: AttentionKind, change: AttentionChange
) -> None:
    both = batch()
    ran = ENGINE.run(REQUEST, both, 0)
    usual = [i for i in both.tgt[0].tolist() if i > 2]  # without BOS, EOS and PAD
    written = changed_answer(ran, kind, 1, change, usual)
    model = changed(ran.loaded.model, kind, 1, change)
    read = [both.specials.bos]
    with torch.inference_mode():
        while len(read) <= len(usual) + 1 + LONGER and both.specials.eos not in read:
            logits = model(both.src[:1], torch.tensor([read])).logits[0, -1]
            read.append(int(logits.argmax()))
    assert list(written.ids) == read[1:]


def test_some_change_changes_the_answer() -> None:
    ran = ENGINE.run(REQUEST, batch(), 1)
    usual = [i for i in batch().tgt[1].tolist() if i > 2]
    flat, plain = (
        changed_answer(ran, "cross", 1, AttentionChange(temperature=heat), usual)
        for heat in (1000.0, 1.0)
    )
    assert flat.ids != plain.ids
    torch.testing.assert_close(  # and the model itself is as it was
        forward(ran.loaded.model, batch(), row=1).logits, ran.trace.logits, rtol=1e-4, atol=1e-4
    )
