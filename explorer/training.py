"""Training, one step after another: whoever asks for the next step decides how long it goes on.

`python -m explorer.training` trains the checkpoints in assets/ anew.
"""

import argparse
import math
import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import islice
from typing import Final

import torch
import torch.nn.functional as F
from jaxtyping import Int
from torch import Tensor

from explorer.checkpoints import SHIPPED, Checkpoint, save
from explorer.config import ModelConfig, TrainConfig
from explorer.decoding import of_words
from explorer.device import estimate
from explorer.tasks import TASKS, Memorise, Pair, Task, pairs
from explorer.text import BOS_ID, EOS_ID, PAD_ID, Vocabulary
from explorer.transformer import Transformer

JUDGED: Final = 256  # sentences that decide the accuracy


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainStep:
    """What one step of training did."""

    number: int  # from 1
    loss: float  # mean cross-entropy of a target token, in nats
    lr: float
    seconds: float


@dataclass(frozen=True, slots=True)
class Examples:
    """Padded ids of training or held-out pairs."""

    src: Int[Tensor, "batch src"]
    tgt_in: Int[Tensor, "batch tgt"]
    tgt_out: Int[Tensor, "batch tgt"]

    @classmethod
    def of(cls, given: Sequence[Pair], vocabularies: tuple[Vocabulary, Vocabulary]) -> "Examples":
        """Number, frame and pad the pairs."""
        src_vocab, tgt_vocab = vocabularies
        src = _padded([src_vocab.encode(pair.source) for pair in given])
        tgt = _padded([[BOS_ID, *tgt_vocab.encode(pair.target), EOS_ID] for pair in given])
        return cls(src, tgt[:, :-1], tgt[:, 1:])

    def to(self, device: torch.device | str) -> "Examples":
        """The same ids on another device."""
        return Examples(self.src.to(device), self.tgt_in.to(device), self.tgt_out.to(device))


class Trainer:
    """Trains a model on a task.

    Everything random in a step follows from `config.seed` and the step's number, so training that
    was interrupted goes on as if it had not been. `config` may be replaced between steps.
    """

    def __init__(self, model: Transformer, task: Task, config: TrainConfig) -> None:
        self.model = model
        self.task = task
        self.config = config
        self.done = 0  # steps
        self.parameters = list(model.parameters())
        # Adam with the betas and epsilon of the paper, section 5.3.
        self.optimizer = torch.optim.Adam(self.parameters, betas=(0.9, 0.98), eps=1e-9, fused=True)
        for layer in range(model.config.n_decoder_layers):
            model.attention("cross", layer).lone_heads = config.lone_heads

    def steps(self) -> Iterator[TrainStep]:
        """The steps that are left; each is taken when it is asked for."""
        while self.done < self.config.steps:
            yield self.step()

    def step(self) -> TrainStep:
        """One step: forward, loss, backward, and the weights a little better."""
        start = time.perf_counter()
        config = self.config
        number = self.done + 1
        device = self.parameters[0].device
        dice = random.Random(f"{config.seed} {number}")
        batch = list(islice(pairs(self.task, dice, held_out=False), config.batch_size))
        examples = Examples.of(batch, self.task.vocabularies).to(device)
        dropping = torch.Generator(device).manual_seed(dice.getrandbits(48))
        lr = config.lr_at(number, self.model.config.d_model)
        for group in self.optimizer.param_groups:
            group["lr"] = lr

        logits = self.model(examples.src, examples.tgt_in, dropping).logits
        loss = F.cross_entropy(
            logits.flatten(0, 1),  # (batch · tgt, tgt_vocab)
            examples.tgt_out.flatten(),
            ignore_index=PAD_ID,
            label_smoothing=config.label_smoothing,
        )
        self.optimizer.zero_grad()
        torch.autograd.backward(loss)
        if config.clip:
            torch.nn.utils.clip_grad_norm_(self.parameters, config.clip)
        self.optimizer.step()
        self.done = number
        return TrainStep(
            number=number, loss=loss.item(), lr=lr, seconds=time.perf_counter() - start
        )


def held_out(task: Task, count: int = JUDGED, seed: int = 0) -> Examples:
    """Sentences that no training of the task sees; for pairs to memorise, the pairs themselves."""
    if isinstance(task, Memorise):
        return Examples.of(task.given, task.vocabularies)
    found = islice(pairs(task, random.Random(f"held out {seed}"), held_out=True), count)
    return Examples.of(list(found), task.vocabularies)


def accuracy(model: Transformer, examples: Examples) -> float:
    """Share of the sentences that the model answers without a mistake.

    A sentence counts if every word is the most probable one after the right words before it. Then
    greedy decoding writes exactly that sentence, and otherwise it does not.
    """
    examples = examples.to(next(model.parameters()).device)
    with torch.inference_mode():
        logits = model(examples.src, examples.tgt_in).logits
        said = of_words(logits).argmax(dim=-1)  # (batch, tgt)
    right = (said == examples.tgt_out) | (examples.tgt_out == PAD_ID)
    return float(right.all(dim=1).float().mean())


@cache
def _operations_a_second() -> float:
    """What this machine makes of a matrix product of the size that training a small model has.

    In seconds of the thread: somebody else may be using the machine just now.
    """
    a, b = torch.rand(1024, 64), torch.rand(64, 256)
    best = math.inf
    for _ in range(8):
        start = time.thread_time()
        a @ b
        best = min(best, time.thread_time() - start)
    return 2 * a.shape[0] * a.shape[1] * b.shape[1] / best


def seconds_a_step(config: ModelConfig, training: TrainConfig, task: Task) -> float:
    """How long a step will take on this machine's CPU, within a factor of about two."""
    weights = estimate(config, 1, 1, 1).model // 4
    tokens = training.batch_size * (task.longest + 1)
    layers = config.n_encoder_layers + 2 * config.n_decoder_layers
    scores = 12 * layers * tokens * (task.longest + 1) * config.d_model
    # Forward once, backward twice, two operations a weight; all that is not a product of
    # matrices takes about as long again in a small model, and every layer has its calls.
    return (6 * weights * tokens + scores) * 1.7 / _operations_a_second() + 0.0012 * layers


def required_memory(config: ModelConfig, training: TrainConfig, task: Task) -> int:
    """Bytes that training takes at most, roughly: weights, gradients, Adam's two moments; and
    what the backward pass needs of every forward pass."""
    length = task.longest + 1
    one = estimate(config, training.batch_size, length, length)
    return 4 * one.model + 2 * one.trace


def config_for(
    task: Task, *, d_model: int = 64, n_heads: int = 4, n_layers: int = 2, dropout: float = 0.0
) -> ModelConfig:
    """A model for the task, of the size that the checkpoints have."""
    src_vocab, tgt_vocab = task.vocabularies
    return ModelConfig(
        d_model=d_model,
        n_heads=n_heads,
        n_encoder_layers=n_layers,
        n_decoder_layers=n_layers,
        d_ff=4 * d_model,
        dropout=dropout,
        src_vocab_size=src_vocab.size,
        tgt_vocab_size=tgt_vocab.size,
    )


# Steps until the shipped weights were trained, and the highest learning rate.
RECIPES: Final = {
    "reverse": TrainConfig(steps=2400, warmup=500),
    "copy": TrainConfig(steps=2000, warmup=500),
    "sort": TrainConfig(steps=8000, warmup=800, lr=3e-3, lone_heads=0.1),
    "numbers": TrainConfig(steps=800, warmup=200),
    "german": TrainConfig(steps=2500, warmup=400, lr=3e-3),
    "quotes": TrainConfig(steps=200, warmup=50, batch_size=16, lr=3e-3),
}


def train_shipped(name: str, seed: int = 0) -> Checkpoint:
    """Train the checkpoint of one task as it is shipped, and say how it goes."""
    torch.set_num_threads(1)  # sums of several threads would differ from run to run
    task, config = TASKS[name], replace(RECIPES[name], seed=seed)
    model = Transformer(config_for(task), seed=seed)
    trainer, judged = Trainer(model, task, config), held_out(task, 1000)
    for step in trainer.steps():
        if step.number % 100 == 0:
            share = accuracy(model, judged)
            print(f"{name}: step {step.number}, loss {step.loss:.4f}, right {share:.1%}")
    return Checkpoint(
        task=task,
        model=model,
        training=config,
        steps=trainer.done,
        accuracy=accuracy(model, judged),
    )


def main() -> None:
    """Train the named checkpoints, or all of them, and write them to assets/."""
    parser = argparse.ArgumentParser(prog="python -m explorer.training", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="name", help=", ".join(RECIPES))
    parser.add_argument("--seed", type=int, default=0, help="of the weights and the sentences")
    chosen = parser.parse_args()
    if unknown := sorted(set(chosen.names) - RECIPES.keys()):
        parser.error(f"names must be among {', '.join(RECIPES)}, got {', '.join(unknown)}")
    for name in chosen.names or RECIPES:
        checkpoint = train_shipped(name, chosen.seed)
        SHIPPED.mkdir(exist_ok=True)
        (SHIPPED / f"{name}.safetensors").write_bytes(save(checkpoint))
        print(f"{name}: {checkpoint.accuracy:.1%} of held-out sentences right")


def _padded(sentences: list[list[int]]) -> Int[Tensor, "batch length"]:
    width = max(map(len, sentences))
    return torch.tensor([ids + [PAD_ID] * (width - len(ids)) for ids in sentences])


if __name__ == "__main__":
    main()
