"""Questions about decoding, answered by running the model by hand."""

from typing import Any

import numpy as np
import pytest
import torch

from explorer.exercises.facts import Asked
from explorer.exercises.question import Answer
from explorer.runtime.engine import Run
from tests.exercises.runs import MODELS, asked, check, kinds_about


def chances_at(run: Run, at: int) -> np.ndarray:
    scores = run.trace.logits[0, at].double().numpy()
    grown = np.exp(scores - scores.max())
    return grown / grown.sum()


def likeliest(one: Asked, run: Run) -> Answer:
    look: Any = one.facts.look
    words = [at for at, label in enumerate(run.tgt_labels) if label != "PAD"]
    found, specials = chances_at(run, words[look["at"] - 1]), run.batch.specials
    ids = {"EOS": specials.eos, "UNK": specials.unk}
    options = one.worded().options
    chances = [found[ids.get(w, run.batch.tgt_vocab.encode([w])[0])] for w in options]
    np.testing.assert_allclose(chances, one.facts.bars, atol=1e-5)
    assert max(chances) == found.max() >= 0.5  # else it would be a lottery
    return int(np.argmax(chances))


def least_sure(one: Asked, run: Run) -> Answer:
    target, first = run.batch.tgt_out[run.row].tolist(), run.tgt_labels.index("BOS")
    places = [int(option.split(" · ")[0]) - 1 for option in one.worded().options]
    assert min(places) >= first
    return int(np.argmin([chances_at(run, at)[target[at]] for at in places]))


def runs_of_decoder(one: Asked, run: Run) -> Answer:
    """The answer, written with whole forward passes."""
    specials, model = run.batch.specials, run.loaded.model
    src = run.batch.src[run.row : run.row + 1] if run.request.config.has_encoder else None
    read = [specials.bos]
    with torch.inference_mode():
        while read[-1] != specials.eos and len(read) < 40:
            scores = model(src, torch.tensor([read])).logits[0, -1].numpy().copy()
            scores[[specials.pad, specials.bos]] = -np.inf
            read.append(int(scores.argmax()))
    return len(read) - 1


BY_HAND = {"next_word": likeliest, "least_sure": least_sure, "passes": runs_of_decoder}


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("kind", kinds_about("decoding"))
def test_the_answer_follows_from_the_logits(kind: str, name: str) -> None:
    check(kind, name, BY_HAND[kind])


def test_a_typed_target_has_not_been_written_by_the_model() -> None:
    assert not asked("passes", "untrained")
