"""Questions about decoding, answered by running the model by hand."""

import math

import numpy as np
import pytest
import torch

from explorer.exercises.question import Answer, Question
from explorer.runtime.engine import Run
from tests.exercises.runs import MODELS, asked, check, kinds_about, option, run_of


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
    return float(sum(math.log(chance) for chance in written(run)[:3]))


def least_sure(question: Question, run: Run) -> Answer:
    chances = written(run)
    first = run.tgt_labels.index("BOS")
    places = [int(said.split(" · ")[0]) - 1 - first for said in question.options]
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


def beam_by_hand(run: Run, width: int = 4) -> list[int]:
    """Wu et al.'s beam search with whole forward passes, one beginning at a time."""
    specials, model = run.batch.specials, run.loaded.model
    src = run.batch.src[run.row : run.row + 1]
    alive: list[tuple[float, list[int]]] = [(0.0, [specials.bos])]
    ended: list[tuple[float, list[int]]] = []
    for length in range(1, 40):
        tried = []
        for total, read in alive:
            with torch.inference_mode():
                scores = model(src, torch.tensor([read])).logits[0, -1].double().numpy().copy()
            scores[[specials.pad, specials.bos]] = -np.inf
            logs = np.log(softmax(scores) + 1e-300)
            tried += [(total + logs[i], [*read, int(i)]) for i in np.argsort(-logs)[:width]]
        norm = ((5 + length) / 6) ** 0.6
        rivals = [(total / norm, read) for total, read in tried] + ended
        rivals.sort(key=lambda rival: -rival[0])
        kept = rivals[:width]
        ended = [rival for rival in kept if rival[1][-1] == specials.eos]
        alive = [(score * norm, read) for score, read in kept if read[-1] != specials.eos]
        if not alive:
            break
    return ended[0][1][1:]


def beam(question: Question, run: Run) -> Answer:
    same = beam_by_hand(run) == greedy_by_hand(run)
    return question.options.index("The same answer." if same else "Another answer.")


BY_HAND = {
    "next_word": likeliest,
    "among_the_unlikely": likeliest,
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


@pytest.mark.parametrize("name", ["translator", "reverse"])
def test_beam_search_is_compared_with_greedy_decoding(name: str) -> None:
    question = asked("beam_or_greedy", name)[0]
    assert option(question) == question.options[beam(question, run_of(name))]


def test_every_kind_is_tried() -> None:
    assert {*BY_HAND, "beam_or_greedy"} == set(kinds_about("decoding"))


def test_a_typed_target_has_not_been_written_by_the_model() -> None:
    for kind in ("passes", "beam_or_greedy"):
        assert not asked(kind, "untrained")
