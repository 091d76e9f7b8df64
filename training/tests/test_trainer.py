"""The translator's training: it learns, keeps its state, and goes on as if nothing had happened."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from training.corpus import Corpus, Pair
from training.tests.small_translator import RECIPE, SMALL, small_corpus
from training.trainer import Training


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return small_corpus()


def steps(training: Training, count: int) -> list[float]:
    run = training.run()
    return [float(next(run)) for _ in range(count)]


def test_it_learns_to_translate_word_by_word(corpus: Corpus) -> None:
    training = Training(corpus, RECIPE, SMALL)
    wanted = ["zwei eins", "fünf vier drei"]
    run = training.run()
    for _ in range(600):
        next(run)
        if training.steps % 25 == 0 and (
            training.translator().answer(["two one", "five four three"]) == wanted
        ):
            return
    pytest.fail("600 steps were not enough")


def test_an_interrupted_training_goes_on_as_if_it_had_not_been(
    corpus: Corpus, tmp_path: Path
) -> None:
    file = tmp_path / "kept.state"
    whole = Training(corpus, RECIPE, SMALL)
    half = Training(corpus, RECIPE, SMALL)
    batches = 12  # in a pass: so the second half begins in the middle of the second pass
    losses = steps(whole, 2 * batches)
    first = steps(half, batches + 3)
    half.save(file)
    resumed = Training(corpus, RECIPE, SMALL)
    resumed.resume(file)
    assert resumed.passes == half.passes
    rest = steps(resumed, batches - 3)
    assert first + rest == pytest.approx(losses, rel=1e-5)
    assert losses[-1] < losses[0]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ((0.0, {}), (0.5, {})),
        ((0.5, {}), (0.5, {"agreeing": 5.0})),
        ((0.0, {}), (0.0, {"label_smoothing": 0.5})),
    ],
)
def test_a_setting_changes_what_a_batch_costs(
    corpus: Corpus, before: tuple[float, dict[str, Any]], after: tuple[float, dict[str, Any]]
) -> None:
    usual, other = (
        steps(Training(corpus, replace(RECIPE, **chosen), replace(SMALL, dropout=dropped)), 1)[0]
        for dropped, chosen in (before, after)
    )
    assert other > usual + 0.05


def test_it_goes_on_from_a_translator_that_was_trained_before(corpus: Corpus) -> None:
    before = Training(corpus, RECIPE, SMALL)
    steps(before, 40)
    start = before.translator()
    again = Training(corpus, replace(RECIPE, lr=1e-9), start=start)
    assert again.tokenizer.to_str() == before.tokenizer.to_str()
    first = steps(again, 1)[0]
    # Had it begun anew, the loss would be that of the first step before.
    assert first < steps(Training(corpus, RECIPE, SMALL), 1)[0] - 1.0
    for name, weight in again.translator().model.own_weights().items():
        torch.testing.assert_close(weight, start.model.own_weights()[name], rtol=0, atol=1e-5)


def test_the_kept_weights_are_the_average_of_the_last_ones(corpus: Corpus) -> None:
    training = Training(corpus, replace(RECIPE, averaged=2), SMALL)
    wanted: dict[str, torch.Tensor] = {}
    for step, _ in zip(range(4), training.run(), strict=False):
        now = training.model.own_weights()
        if step == 0:
            wanted = {name: weight.clone() for name, weight in now.items()}
        else:
            wanted = {name: (weight + now[name]) / 2 for name, weight in wanted.items()}
    found = training.translator().model.own_weights()
    for name, weight in wanted.items():
        torch.testing.assert_close(found[name], weight)


def test_a_training_goes_on_with_a_corpus_that_has_grown(corpus: Corpus, tmp_path: Path) -> None:
    file = tmp_path / "kept.state"
    training = Training(corpus, RECIPE, SMALL)
    steps(training, 15)
    training.save(file)
    grown = Corpus(corpus.train * 2, corpus.held_out, written=(Pair("six", "sechs"),))
    resumed = Training(grown, RECIPE, SMALL)
    resumed.resume(file)
    assert resumed.steps == 15
    steps(resumed, 3)
    assert resumed.steps == 18


def test_the_saved_state_stays_if_saving_again_fails(
    corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "kept.state"
    training = Training(corpus, RECIPE, SMALL)
    training.save(file)
    before = file.read_bytes()

    def full(*_: object) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(torch, "save", full)
    steps(training, 1)
    with pytest.raises(OSError, match="no space"):
        training.save(file)
    assert file.read_bytes() == before


def test_it_ends_when_the_passes_are_over(corpus: Corpus) -> None:
    training = Training(corpus, replace(RECIPE, passes=1.5), SMALL)
    run = training.run()
    next(run)
    assert 0 < training.done < 0.1
    list(run)
    assert 1.5 <= training.passes < 1.6
    assert training.done == 1.0


def test_both_optimizers_together_train_every_weight_once(corpus: Corpus) -> None:
    training = Training(corpus, RECIPE, SMALL)
    given = [
        tensor
        for optimizer in training.optimizers
        for group in optimizer.param_groups
        for tensor in group["params"]
    ]
    assert len(given) == len({id(tensor) for tensor in given})
    assert {id(tensor) for tensor in given} == {id(p) for p in training.model.parameters()}
    before = [tensor.detach().clone() for tensor in given]
    steps(training, 2)
    assert not any(torch.equal(old, new) for old, new in zip(before, given, strict=True))
