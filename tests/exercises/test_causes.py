"""Questions about causes, answered by models that run without the piece or the head."""

import math
import re
from typing import Any

import numpy as np
import pytest
import torch

from explorer.analysis.what_if import AttentionChange, changed
from explorer.exercises.draw import ask
from explorer.exercises.question import Answer, Question
from explorer.exercises.reading import names
from explorer.intervention import Intervention
from explorer.runtime.engine import Run
from explorer.transformer import Transformer
from tests.exercises.runs import MODELS, asked, check, kinds_about, run_of


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


def without_head(run: Run, position: int | None, option: str) -> float:
    """Without the head that a text names."""
    layer, head, kind = re.findall(r"layer (\d+), head (\d+) \((\w+)\)", option)[0]
    change = AttentionChange(without_head=int(head) - 1)
    return log_p(run, position, changed(run.loaded.model, kind, int(layer) - 1, change))


def lost_word(question: Question, run: Run) -> Answer:
    position = question.focus.word
    src = run.src_labels if run.request.config.has_encoder else ()
    labels = src + run.tgt_labels[: position + 1]
    places = [names(labels).index(option) for option in question.options]
    return int(np.argmin([without_piece(run, position, at) for at in places]))


def needed_head(question: Question, run: Run) -> Answer:
    left = [without_head(run, question.focus.word, option) for option in question.options]
    return int(np.argmin(left))


def look_or_cause(question: Question, run: Run) -> Answer:
    before, after = (
        math.exp(found)
        for found in (
            log_p(run, question.focus.word),
            without_head(run, question.focus.word, question.text),
        )
    )
    begins = "The head matters here" if abs(after - before) >= 0.05 else "The head alone does not"
    return next(n for n, option in enumerate(question.options) if option.startswith(begins))


def numbers_in(text: str) -> list[float]:
    return [float(found.replace("−", "-")) for found in re.findall(r"−?\d+\.\d+", text)]


def probability_left(question: Question, run: Run) -> Answer:
    log_before, lost = (
        float(found.replace("−", "-"))
        for found in re.findall(r"is (−?\d+\.\d+) nats", question.text)
    )
    return math.exp(log_before - lost)


def missing_part(question: Question, run: Run) -> Answer:
    logit, *parts = numbers_in(question.text.split("logit of")[1].split("What did")[0])
    return round(logit - sum(parts), 2)


def runs_of_occlusion(question: Question, run: Run) -> Answer:
    pad, at = run.batch.pad_id, question.focus.word
    src, tgt = (ids[run.row] for ids in (run.batch.src, run.batch.tgt_in))
    source = int((src != pad).sum()) if run.request.config.has_encoder else 0
    return source + int((tgt[: at + 1] != pad).sum()) - 1


def cells_of_score(question: Question, run: Run) -> Answer:
    layers = int(re.search(r"layer (\d+)", question.text)[1]) - 1
    return (3 + layers * (run.request.config.n_heads + 1),) * 2


BY_HAND = {
    "lost_word": lost_word,
    "needed_head": needed_head,
    "look_or_cause": look_or_cause,
    "probability_left": probability_left,
    "missing_part": missing_part,
    "runs_of_occlusion": runs_of_occlusion,
    "cells_of_score": cells_of_score,
}


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("kind", kinds_about("why"))
def test_the_answer_follows_from_runs_without_it(kind: str, name: str) -> None:
    check(kind, name, BY_HAND[kind])


@pytest.mark.parametrize("kind", kinds_about("why"))
def test_each_kind_can_be_asked_about_the_translator(kind: str) -> None:
    assert asked(kind, "translator")


def test_nothing_is_asked_of_words_that_a_model_does_not_write() -> None:
    assert not run_of("encoder alone").request.config.n_logits
    for kind in kinds_about("why"):
        if kind != "cells_of_score":
            assert not asked(kind, "encoder alone")


def test_a_word_that_is_written_twice_has_its_position() -> None:
    assert run_of("reverse").tgt_labels[1:5] == ("one", "three", "two", "one")
    drawn = [
        ask(kind, run_of("reverse"), np.random.default_rng(seed))
        for kind in ("lost_word", "needed_head", "probability_left", "missing_part")
        for seed in range(8)
    ]
    asked_about = " ".join(question.text for question in drawn if question is not None)
    assert "“1 · one”" in asked_about or "“4 · one”" in asked_about
    assert "“one”" not in asked_about
