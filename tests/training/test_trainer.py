"""Training: a step's loss by hand, the same numbers every time, and something is learnt."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
import torch
from torch import Tensor

from explorer.config import ModelConfig, Schedule, TrainConfig
from explorer.decoding import answers
from explorer.names import USUAL_IDS
from explorer.tasks.tasks import (
    COPY,
    GERMAN,
    NUMBERS,
    QUOTES,
    Memorise,
    Pair,
    Task,
    is_held_out,
    pairs,
)
from explorer.training import trainer as training
from explorer.training.recipes import config_for
from explorer.training.trainer import Examples, Trainer, accuracy, held_out
from explorer.transformer import Transformer
from explorer.weights.checkpoints import load, shipped

pytestmark = pytest.mark.slow

SHORT = replace(COPY, longest=3, slots=5)
SMALL = config_for(SHORT, d_model=16, n_heads=2, n_layers=2)
PLAIN = TrainConfig(steps=20, batch_size=6, warmup=2, lr=0.01, clip=0.0, lone_heads=0.0)


def trainer(config: TrainConfig, model: ModelConfig = SMALL, task: Task = SHORT) -> Trainer:
    return Trainer(Transformer(model, seed=1), task, config)


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> list[Pair]:
    """The pairs that training draws."""
    drawn: list[Pair] = []

    def recording(*args: Any, **kwargs: Any) -> Iterator[Pair]:
        for pair in pairs(*args, **kwargs):
            drawn.append(pair)
            yield pair

    monkeypatch.setattr(training, "pairs", recording)
    return drawn


def loss_by_hand(model: Transformer, task: Task, given: list[Pair], smoothing: float) -> float:
    """One sentence after another, without any padding, in float64."""
    src_vocab, tgt_vocab = task.vocabularies
    losses: list[Tensor] = []
    for pair in given:
        src = torch.tensor([src_vocab.encode(pair.source)])
        answer = tgt_vocab.encode(pair.target)
        with torch.no_grad():
            logits = model.double()(src, torch.tensor([[USUAL_IDS.bos, *answer]])).logits[0]
        for row, wanted in zip(logits.log_softmax(dim=-1), [*answer, USUAL_IDS.eos], strict=True):
            losses.append(-(1 - smoothing) * row[wanted] - smoothing * row.mean())
    return float(torch.stack(losses).mean())


@pytest.mark.parametrize("task", [SHORT, NUMBERS, QUOTES], ids=lambda task: task.name)
@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_the_loss_of_a_step_recomputed_without_padding(
    task: Task, smoothing: float, seen: list[Pair]
) -> None:
    config = config_for(task, d_model=16, n_heads=2, n_layers=1)
    step = trainer(replace(PLAIN, label_smoothing=smoothing), config, task).step()
    assert len(seen) == PLAIN.batch_size
    assert len({len(pair.target) for pair in seen}) > 1  # otherwise nothing is padded
    expected = loss_by_hand(Transformer(config, seed=1), task, seen, smoothing)
    assert step.loss == pytest.approx(expected, abs=1e-5)


def test_examples_are_framed_shifted_and_padded() -> None:
    given = [Pair(("00", "02"), ("02",)), Pair(("01",), ("00", "01", "04"))]
    examples = Examples.of(given, SHORT.vocabularies)
    assert examples.src.tolist() == [[4, 6], [5, 0]]
    assert examples.tgt_in.tolist() == [[1, 6, 2, 0], [1, 4, 5, 8]]
    assert examples.tgt_out.tolist() == [[6, 2, 0, 0], [4, 5, 8, 2]]


def test_no_step_sees_held_out_sentences(seen: list[Pair]) -> None:
    one = trainer(replace(PLAIN, batch_size=64))
    for _ in range(5):
        one.step()
    assert len(seen) == 5 * 64
    assert not any(is_held_out(pair.source) for pair in seen)


@pytest.mark.parametrize("schedule", ["constant", "linear", "paper"])
def test_the_first_step_of_adam_moves_every_weight_by_the_learning_rate(schedule: Schedule) -> None:
    """Both of its moments are the gradient then, so that only its sign is left."""
    one = trainer(replace(PLAIN, schedule=schedule))
    before = [p.detach().clone() for p in one.parameters]
    step = one.step()
    assert step.lr == one.config.lr_at(1, 16) > 0
    moved = 0
    for old, new in zip(before, one.parameters, strict=True):
        assert new.grad is not None
        clear = new.grad.abs() > 1e-4
        expected = old - step.lr * new.grad.sign()
        torch.testing.assert_close(new.detach()[clear], expected[clear], rtol=0, atol=3e-6)
        moved += int(clear.sum())
    assert moved > 500


def test_steps_are_counted_and_end() -> None:
    one = trainer(replace(PLAIN, steps=4))
    taken = list(one.steps())
    assert [step.number for step in taken] == [1, 2, 3, 4]
    assert [step.lr for step in taken] == [one.config.lr_at(n, 16) for n in (1, 2, 3, 4)]
    assert one.done == 4
    assert list(one.steps()) == []


NOISY = replace(SMALL, dropout=0.2)
LONE = replace(PLAIN, lone_heads=0.5, clip=1.0)


def weights(of: Trainer) -> dict[str, Tensor]:
    return {name: value.clone() for name, value in of.model.state_dict().items()}


def same(one: dict[str, Tensor], other: dict[str, Tensor]) -> bool:
    return one.keys() == other.keys() and all(torch.equal(one[name], other[name]) for name in one)


def test_the_same_seed_trains_the_same_to_the_last_bit() -> None:
    one, other, another = (trainer(replace(LONE, seed=seed), NOISY) for seed in (0, 0, 1))
    for each in (one, other, another):
        torch.rand(3)  # somebody else draws in between
        for _ in range(3):
            each.step()
    assert same(weights(one), weights(other))
    assert not same(weights(one), weights(another))


def test_dropout_and_lone_heads_change_what_is_learnt() -> None:
    plain, noisy, lone = (
        trainer(replace(PLAIN, lone_heads=share), model)
        for share, model in ((0.0, SMALL), (0.0, NOISY), (0.5, SMALL))
    )
    for each in (plain, noisy, lone):
        each.step()
    assert not same(weights(plain), weights(noisy))
    assert not same(weights(plain), weights(lone))


def test_a_new_learning_rate_counts_from_the_next_step() -> None:
    config = replace(PLAIN, schedule="constant", lr=0.001)
    kept, changed = trainer(config), trainer(config)
    for each in (kept, changed):
        each.step()
    assert same(weights(kept), weights(changed))
    changed.config = replace(config, lr=0.1)
    assert (kept.step().lr, changed.step().lr) == (0.001, 0.1)
    assert not same(weights(kept), weights(changed))


def gradient(config: TrainConfig) -> Tensor:
    one = trainer(config)
    one.step()
    return torch.cat([p.grad.flatten() for p in one.parameters if p.grad is not None])


def test_clipping_bounds_the_norm_and_keeps_the_direction() -> None:
    free = gradient(PLAIN)
    assert free.norm() > 0.5
    for clip in (0.01, 0.3):
        clipped = gradient(replace(PLAIN, clip=clip))
        assert float(clipped.norm()) == pytest.approx(clip, rel=1e-3)
        torch.testing.assert_close(clipped / clipped.norm(), free / free.norm())
    torch.testing.assert_close(gradient(replace(PLAIN, clip=1e3)), free)


def half_trained() -> tuple[Transformer, Task]:
    """How many steps that takes depends on the processor."""
    one = trainer(replace(PLAIN, steps=2000, batch_size=16, schedule="constant"))
    judged = held_out(SHORT, 60)
    for _ in one.steps():
        if one.done % 10 == 0 and accuracy(one.model, judged) > 0.2:
            break
    return one.model, SHORT


@pytest.mark.parametrize(
    ("made", "low", "high"),
    [
        (half_trained, 0.05, 0.95),
        (lambda: (Transformer(config_for(NUMBERS)), NUMBERS), 0.0, 0.01),
        (lambda: (load(shipped("german")).model, GERMAN), 0.9, 1.0),
    ],
    ids=["half trained", "untrained", "german"],
)
def test_accuracy_is_what_greedy_decoding_gets_right(
    made: Callable[[], tuple[Transformer, Task]], low: float, high: float
) -> None:
    model, task = made()
    examples = held_out(task, 120)
    found = answers(model, examples.src)
    wanted = [tuple(ids[: ids.index(USUAL_IDS.eos) + 1]) for ids in examples.tgt_out.tolist()]
    right = [one == other for one, other in zip(found, wanted, strict=True)]
    share = accuracy(model, examples)
    assert low <= share <= high
    assert share == pytest.approx(sum(right) / len(right), abs=1e-6)
    for row in range(0, 120, 15):
        one = Examples(examples.src[[row]], examples.tgt_in[[row]], examples.tgt_out[[row]])
        assert accuracy(model, one) == float(right[row])


def test_one_wrong_word_makes_a_sentence_wrong_and_pad_does_not_count() -> None:
    model = load(shipped("copy")).model
    given = [Pair(("03", "01", "02"), ("03", "01", "02")), Pair(("05",), ("05",))]
    wrong = [given[0], Pair(("05",), ("06",))]
    assert accuracy(model, Examples.of(given, COPY.vocabularies)) == 1.0
    assert accuracy(model, Examples.of(wrong, COPY.vocabularies)) == 0.5
    short = [Pair(("03", "01", "02"), ("03", "01"))]  # it ends too early
    assert accuracy(model, Examples.of(short, COPY.vocabularies)) == 0.0


def test_held_out_sentences_are_held_out_and_the_same_every_time() -> None:
    vocab, _ = COPY.vocabularies
    examples = held_out(COPY, 50)
    assert len(examples.src) == 50
    for ids in examples.src.tolist():
        assert is_held_out(tuple(vocab.decode(n for n in ids if n != USUAL_IDS.pad)))
    assert torch.equal(examples.src, held_out(COPY, 50).src)
    assert not torch.equal(examples.src[:, :2], held_out(COPY, 50, seed=1).src[:, :2])


def test_pairs_to_memorise_are_judged_by_themselves() -> None:
    own = Memorise((Pair(("a", "b"), ("x",)), Pair(("c",), ("y", "z"))))
    assert held_out(own).src.tolist() == [[4, 5], [6, 0]]
