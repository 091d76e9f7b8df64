"""Questions about decoding, answered by running the model by hand."""

import math
import re

import numpy as np
import pytest
import torch

from explorer.exercises.question import Answer, Question
from explorer.runtime.engine import Run
from tests.exercises.runs import MODELS, asked, check, kinds_about


def logits(run: Run, at: int) -> np.ndarray:
    return run.trace.logits[0, at].double().numpy()


def softmax(scores: np.ndarray) -> np.ndarray:
    grown = np.exp(scores - scores.max())
    return grown / grown.sum()


def position(question: Question, run: Run) -> int:
    words = [at for at, label in enumerate(run.tgt_labels) if label != "PAD"]
    return words[question.focus.at]


def likeliest(question: Question, run: Run) -> Answer:
    found = softmax(logits(run, position(question, run)))
    chances = [found[run.batch.tgt_vocab.encode([word])[0]] for word in question.options]
    special = {"EOS": run.batch.specials.eos, "UNK": run.batch.specials.unk}
    chances = [
        found[special[word]] if word in special else chance
        for word, chance in zip(question.options, chances, strict=True)
    ]
    return int(np.argmax(chances))


def written(run: Run) -> list[float]:
    """The probability of every word of the target."""
    ids = run.batch.tgt_out[run.row].tolist()
    return [
        float(softmax(logits(run, at))[ids[at]])
        for at, label in enumerate(run.tgt_labels)
        if label != "PAD"
    ]


def log_probability(question: Question, run: Run) -> Answer:
    shown = [round(float(chance), 3) for chance in written(run)[:3]]
    return sum(round(math.log(chance), 3) for chance in shown)


def least_sure(question: Question, run: Run) -> Answer:
    chances = written(run)
    first = run.tgt_labels.index("BOS")
    places = [int(option.split(" · ")[0]) - 1 - first for option in question.options]
    return int(np.argmin([chances[at] for at in places]))


def hotter(question: Question, run: Run) -> Answer:
    scores = logits(run, position(question, run))
    scores[[run.batch.specials.pad, run.batch.specials.bos]] = -np.inf
    temperature = float(question.text.rpartition(" ")[2].rstrip("?"))
    return question.options.index(f"{softmax(scores / temperature).max():.2f}")


def greedy_by_hand(run: Run) -> list[int]:
    """The answer, written with whole forward passes."""
    specials, model = run.batch.specials, run.loaded.model
    src = run.batch.src[run.row : run.row + 1] if run.request.config.has_encoder else None
    read = [specials.bos]
    with torch.inference_mode():
        while read[-1] != specials.eos and len(read) < 40:
            scores = model(src, torch.tensor([read])).logits[0, -1].numpy().copy()
            scores[[specials.pad, specials.bos]] = -np.inf
            read.append(int(scores.argmax()))
    return read[1:]


def from_logits(question: Question, run: Run) -> Answer:
    """The answer from the numbers in the text; the model's own probability is near it."""
    first, share, second = (
        float(found.replace("−", "-")) for found in re.findall(r"(−?\d+\.\d+)", question.text)
    )
    by_hand = share * math.exp(second - first)
    found = softmax(logits(run, position(question, run)))
    assert np.abs(found - by_hand).min() < question.tolerance
    return by_hand


BY_HAND = {
    "next_word": likeliest,
    "from_logits": from_logits,
    "log_probability": log_probability,
    "least_sure": least_sure,
    "hotter": hotter,
    "logits_shape": lambda question, run: (
        1,
        len(run.tgt_labels),
        run.request.config.tgt_vocab_size,
    ),
    "passes": lambda question, run: len(greedy_by_hand(run)),
}


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("kind", [kind for kind in kinds_about("decoding") if kind in BY_HAND])
def test_the_answer_follows_from_the_logits(kind: str, name: str) -> None:
    check(kind, name, BY_HAND[kind])


def test_every_kind_is_tried() -> None:
    assert BY_HAND.keys() == set(kinds_about("decoding"))


def test_a_typed_target_has_not_been_written_by_the_model() -> None:
    assert not asked("passes", "untrained")


@pytest.mark.parametrize("name", MODELS)
def test_the_next_word_is_only_asked_for_where_the_model_is_sure(name: str) -> None:
    for question in asked("next_word", name):
        assert question.bars is not None
        assert max(question.bars.values) >= 0.5
