"""The translator's training: it learns, keeps its state, and goes on as if nothing had happened."""

import random
from pathlib import Path

import pytest
import torch

from explorer.config import ModelConfig
from explorer.training.corpus import Corpus, Pair
from explorer.training.translator import CONFIG, Recipe, Training

WORDS = {"one": "eins", "two": "zwei", "three": "drei", "four": "vier", "five": "fünf"}
PIECES = 330  # 4 special ones, 256 bytes, and the words
SMALL = ModelConfig(
    d_model=32, n_heads=4, n_encoder_layers=1, n_decoder_layers=1, d_ff=64, dropout=0.0,
    src_vocab_size=PIECES, tgt_vocab_size=PIECES, norm_first=True, tying="all",
)  # fmt: skip
RECIPE = Recipe(minutes=1.0, tokens=300, lr=1e-2, warmup=20, merges_left_out=0.0)


def pair(dice: random.Random) -> Pair:
    words = [dice.choice(list(WORDS)) for _ in range(dice.randint(1, 4))]
    return Pair(" ".join(words), " ".join(WORDS[word] for word in words))


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    dice = random.Random(0)
    return Corpus(tuple(pair(dice) for _ in range(600)), (pair(dice),))


def steps(training: Training, count: int) -> list[float]:
    run = training.run()
    return [next(run) for _ in range(count)]


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
    whole.recipe = endless = Recipe(**{**vars_of(RECIPE), "minutes": 1e9})
    half = Training(corpus, endless, SMALL)
    batches = 12  # in a pass: so the second half begins in the middle of the second pass
    losses = steps(whole, 2 * batches)
    first = steps(half, batches + 3)
    half.save(file)
    rest = steps(Training.resumed(file, corpus, SMALL), batches - 3)
    assert first + rest == pytest.approx(losses, rel=1e-5)
    assert losses[-1] < losses[0]


def vars_of(recipe: Recipe) -> dict[str, float]:
    return {name: getattr(recipe, name) for name in recipe.__slots__}


def test_what_was_kept_stays_if_keeping_it_again_fails(
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


def test_it_ends_when_the_time_is_over(corpus: Corpus) -> None:
    training = Training(corpus, RECIPE, SMALL)
    training.seconds = 59.99
    run = list(training.run())
    assert 1 <= len(run) < 20
    assert training.done == 1.0


def test_the_rate_rises_and_falls_to_nothing() -> None:
    assert RECIPE.lr_at(1, 0.0) == pytest.approx(RECIPE.lr / 20)
    assert RECIPE.lr_at(20, 0.0) == RECIPE.lr
    assert RECIPE.lr_at(500, 0.5) == pytest.approx(RECIPE.lr / 2)
    assert RECIPE.lr_at(900, 1.0) == 0.0


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


def test_the_file_will_be_small_enough() -> None:
    assert 2 * CONFIG.n_weights < 19.5e6  # bytes in half precision; the subwords take 0.3 MB
