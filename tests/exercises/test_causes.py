"""Questions about causes, answered by models that run without the piece or the head."""

import math
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
import torch

from explorer.analysis.what_if import AttentionChange, changed
from explorer.exercises.draw import ask
from explorer.exercises.facts import Asked
from explorer.exercises.question import Answer
from explorer.exercises.sources import names
from explorer.intervention import Intervention
from explorer.runtime.engine import Run
from explorer.transformer import Transformer
from tests.exercises.runs import MODELS, asked, check, kinds_about, numbers_in, run_of


def log_p(run: Run, position: int | None, model: Transformer | None = None, **given: Any) -> float:
    """Of what follows at a position, or of the likeliest where nothing is written."""
    config, batch = run.request.config, run.batch
    ids = [batch.src[run.row, None], batch.tgt_in[run.row, None]]
    with torch.inference_mode():
        trace = (model or run.loaded.model)(
            ids[0] if config.has_encoder else None,
            ids[1] if config.has_decoder else None,
            given=Intervention(**given),
        )
    token = int(batch.tgt_out[run.row, position])
    return float(trace.logits[0, position].double().log_softmax(-1)[token])


def without_piece(run: Run, position: int | None, at: int) -> float:
    """With one piece masked for all others; `at` counts source and target together."""
    trace = run.trace
    src, tgt = trace.src_mask.clone(), trace.tgt_mask.clone()
    n_src = src.shape[-1]
    if at < n_src:
        src[..., at] = False
    else:
        tgt[..., at - n_src] = (
            torch.eye(tgt.shape[-1], dtype=torch.bool)[at - n_src] & tgt[0, 0, :, at - n_src]
        )
    return log_p(run, position, src_mask=src, tgt_mask=tgt)


def _called(labels: Sequence[str], others: Sequence[str], side: str) -> list[str]:
    """Positions are those of a side; its name tells a piece from that of the other side."""
    pairs = zip(labels, names(labels), strict=True)
    return [f"“{name}” in the {side}" if label in others else name for label, name in pairs]


def lost_word(one: Asked, run: Run) -> Answer:
    look: Any = one.facts.look
    src = run.src_labels if run.request.config.has_encoder else ()
    tgt = run.tgt_labels[: look["why_at"] + 1]
    called = [*_called(src, tgt, "source"), *_called(tgt, src, "answer")]
    places = [called.index(option) for option in one.worded().options]
    return int(np.argmin([without_piece(run, look["why_at"], at) for at in places]))


def look_or_cause(one: Asked, run: Run) -> Answer:
    look: Any = one.facts.look
    question, at = one.worded(), look["why_at"]
    layer, head, kind = re.findall(r"layer (\d+), head (\d+) \((\w+)\)", question.text)[0]
    change = AttentionChange(without_head=int(head) - 1)
    model = changed(run.loaded.model, kind, int(layer) - 1, change)
    before, after = math.exp(log_p(run, at)), math.exp(log_p(run, at, model))
    assert numbers_in(question.text)[1:] == pytest.approx([before, after], abs=0.0006)
    begins = "The head matters here" if abs(after - before) >= 0.05 else "The head alone does not"
    return next(n for n, option in enumerate(question.options) if option.startswith(begins))


BY_HAND = {"lost_word": lost_word, "look_or_cause": look_or_cause}


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("kind", kinds_about("why"))
def test_the_answer_follows_from_runs_without_it(kind: str, name: str) -> None:
    check(kind, name, BY_HAND[kind])
    assert asked(kind, "translator")


def test_nothing_is_asked_of_words_that_a_model_does_not_write() -> None:
    assert not run_of("encoder alone").request.config.n_logits
    for kind in kinds_about("why"):
        assert not asked(kind, "encoder alone")


def test_a_word_that_is_written_twice_has_its_position() -> None:
    assert run_of("reverse").tgt_labels[1:5] == ("one", "three", "two", "one")
    drawn = [ask("lost_word", run_of("reverse"), draw) for draw in range(12)]
    asked_about = " ".join(one.worded().text.partition(" with ")[0] for one in drawn if one)
    assert "“1 · one”" in asked_about or "“4 · one”" in asked_about
    assert "“one”" not in asked_about
