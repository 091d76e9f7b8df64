"""Training, one step after another; the caller decides how long it goes on."""

import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

import torch
import torch.nn.functional as F
from jaxtyping import Int
from torch import Tensor

from explorer.config import TrainConfig
from explorer.names import USUAL_IDS, SpecialIds
from explorer.rules import of_words
from explorer.tasks.tasks import Memorise, Pair, Task, pairs
from explorer.text import padded
from explorer.transformer import Transformer
from explorer.vocabulary import Vocabulary

JUDGED: Final = 256  # sentences to measure the accuracy on


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainStep:
    """The result of one training step."""

    number: int  # from 1
    loss: float  # mean cross-entropy per target token, in nats
    lr: float
    seconds: float


@dataclass(frozen=True, slots=True)
class Examples:
    """Padded ids of sentence pairs."""

    src: Int[Tensor, "batch src"]
    tgt_in: Int[Tensor, "batch tgt"]
    tgt_out: Int[Tensor, "batch tgt"]
    specials: SpecialIds = USUAL_IDS  # of the target

    @classmethod
    def of(cls, given: Sequence[Pair], vocabularies: tuple[Vocabulary, Vocabulary]) -> "Examples":
        """Number, frame and pad the pairs."""
        src_vocab, tgt_vocab = vocabularies
        specials = tgt_vocab.specials
        src = padded([src_vocab.encode(pair.source) for pair in given], src_vocab.specials.pad)
        tgt = padded(
            [[specials.bos, *tgt_vocab.encode(pair.target), specials.eos] for pair in given],
            specials.pad,
        )
        return cls(src, tgt[:, :-1], tgt[:, 1:], specials)

    def to(self, device: torch.device | str) -> "Examples":
        """The same ids on another device."""
        ids = (self.src.to(device), self.tgt_in.to(device), self.tgt_out.to(device))
        return Examples(*ids, self.specials)


class Trainer:
    """Trains a model on a task.

    Everything random in a step follows from `config.seed` and the step's number, so an interrupted
    training continues as if nothing had happened. `config` may be replaced between steps.
    """

    def __init__(self, model: Transformer, task: Task, config: TrainConfig) -> None:
        self.model = model
        self.task = task
        self.config = config
        self.done = 0  # steps
        self.parameters = list(model.parameters())
        # The paper's betas and epsilon (section 5.3).
        self.optimizer = torch.optim.Adam(self.parameters, betas=(0.9, 0.98), eps=1e-9, fused=True)

    def steps(self) -> Iterator[TrainStep]:
        """The remaining steps, each taken on demand."""
        while self.done < self.config.steps:
            yield self.step()

    def step(self) -> TrainStep:
        """Take one step: forward, loss, backward, and a small change to the weights."""
        start = time.perf_counter()
        config = self.config
        number = self.done + 1
        device = self.parameters[0].device
        dice = random.Random(f"{config.seed} {number}")
        batch = list(islice(pairs(self.task, dice, held_out=False), config.batch_size))
        examples = Examples.of(batch, self.task.vocabularies).to(device)
        dropping = torch.Generator(device).manual_seed(dice.getrandbits(48))
        for layer in range(self.model.config.n_decoder_layers):
            self.model.attention("cross", layer).lone_heads = config.lone_heads
        lr = config.lr_at(number, self.model.config.d_model)
        for group in self.optimizer.param_groups:
            group["lr"] = lr

        logits = self.model(examples.src, examples.tgt_in, dropping).logits
        loss = F.cross_entropy(
            logits.flatten(0, 1),  # (batch · tgt, tgt_vocab)
            examples.tgt_out.flatten(),
            ignore_index=examples.specials.pad,
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
    """Sentences kept out of training; for a task to memorise, its pairs themselves."""
    if isinstance(task, Memorise):
        return Examples.of(task.given, task.vocabularies)
    found = islice(pairs(task, random.Random(f"held out {seed}"), held_out=True), count)
    return Examples.of(list(found), task.vocabularies)


def accuracy(model: Transformer, examples: Examples) -> float:
    """The share of sentences that the model answers without a mistake.

    A sentence counts if every word is the most probable one after the right words before it. This
    is so exactly when greedy decoding writes that sentence.
    """
    examples = examples.to(model.device)
    with torch.inference_mode():
        logits = model(examples.src, examples.tgt_in).logits
        guesses = of_words(logits, examples.specials).argmax(dim=-1)  # (batch, tgt)
    right = (guesses == examples.tgt_out) | (examples.tgt_out == examples.specials.pad)
    return float(right.all(dim=1).float().mean())
