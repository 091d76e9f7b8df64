"""The translator's training, which can be interrupted at any time."""

import itertools
import os
import time
from collections.abc import Iterable, Iterator
from copy import deepcopy
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

import torch
from tokenizers import Tokenizer
from torch import Tensor
from torch.utils.data import DataLoader

from explorer.config import ModelConfig
from explorer.transformer import Transformer
from explorer.weights.doubts.familiarity import Familiarity
from explorer.weights.subwords import train_subwords
from explorer.weights.translator import Translator
from training.corpus import Corpus, references
from training.heads import measured_heads
from training.loss import loss_of, taught_heads
from training.measures import known_words
from training.quality import quality, sureness
from training.recipe import CONFIG, Recipe
from training.rounds import Batch, Rounds

ATTRIBUTION: Final = (
    "Sentence pairs from tatoeba.org (CC BY 2.0 FR), by way of manythings.org/anki."
)
_SAVED_EVERY: Final = 180  # seconds
_OF_HEADS: Final = 300  # held-out sentences to measure the heads on


class Training:
    """Trains a translator on a corpus.

    What is random follows from the number of the round or the step, but for the merges that BPE
    dropout leaves out.

    With `start`, a translator that has been trained before, its weights and its pieces are those to
    begin with. How the steps before went is not known any more: the optimizers begin anew.
    """

    def __init__(
        self,
        corpus: Corpus,
        recipe: Recipe,
        config: ModelConfig = CONFIG,
        *,
        start: Translator | None = None,
        device: str = "cpu",
    ) -> None:
        self.corpus = corpus
        self.recipe = recipe
        self._device = device
        if start is None:
            pairs = corpus.train + corpus.written
            self.tokenizer = train_subwords(
                (sentence for pair in pairs for sentence in (pair.source, pair.target)),
                config.src_vocab_size,
            )
            self.model = Transformer(config, device=device)
        else:
            self.tokenizer = start.tokenizer
            self.model = deepcopy(start.model).to(device)
        self.average = {name: weight.clone() for name, weight in self.model.own_weights().items()}
        self.rounds = 0  # of the mixture
        self.batches = 0  # of the round that has begun
        self._in_round = 1  # batches
        self.steps = 0
        named = list(self.model.named_parameters())
        # Muon (Jordan et al. 2024) needs fewer steps than AdamW. It is for the matrices inside.
        self.optimizers: tuple[torch.optim.Optimizer, ...] = (
            torch.optim.Muon(
                [tensor for name, tensor in named if _is_inside(name, tensor)],
                weight_decay=recipe.weight_decay,
                adjust_lr_fn="match_rms_adamw",
            ),
            torch.optim.AdamW(
                [tensor for name, tensor in named if not _is_inside(name, tensor)],
                betas=(0.9, 0.98),
                weight_decay=0.0,
                fused=True,
            ),
        )

    @property
    def done(self) -> float:
        """The share of the training that is over, from 0 to 1."""
        return min(1.0, self.passes / self.recipe.passes)

    @property
    def passes(self) -> float:
        """The number of passes over the corpus until now."""
        rounds = self.rounds + self.batches / self._in_round
        return rounds / self.recipe.mixture.rounds(self.corpus)

    def run(self) -> Iterator[Tensor]:
        """Train until all passes are over; each step yields all that its batch costs.

        That is the loss in nats a piece, and what copying, looking and agreeing add to it.
        """
        for round_ in self._rounds():
            self._in_round = len(round_)
            for src, tgt in round_[self.batches :]:
                if self.done == 1.0:
                    return
                loss = self._step(*(torch.from_numpy(ids).to(self._device) for ids in (src, tgt)))
                self.batches += 1
                yield loss
            self.rounds, self.batches = self.rounds + 1, 0

    def _rounds(self) -> Iterable[list[Batch]]:
        """The round that has begun, and those after it; a GPU does not wait until one is made."""
        beside = self._device != "cpu"
        return DataLoader(
            Rounds(self.corpus, self.recipe, self.tokenizer),
            batch_size=None,
            sampler=itertools.count(self.rounds),
            num_workers=4 if beside else 0,
            collate_fn=_as_it_is,
            multiprocessing_context="spawn" if beside else None,
        )

    def translator(self, **about: Any) -> Translator:
        """The translator as it is now, with the average of its last weights."""
        pairs = self.corpus.train + self.corpus.written
        familiar = Familiarity.measured(
            self.tokenizer,
            [pair.source for pair in pairs],
            {pair.source for pair in self.corpus.held_out},
        )
        training = asdict(self.recipe) | {"steps": self.steps, "read": round(self.passes, 2)}
        return Translator(
            Transformer(self.model.config, weights={k: w.cpu() for k, w in self.average.items()}),
            self.tokenizer,
            familiar,
            {"attribution": ATTRIBUTION, "training": training, **about},
            known_words(self.corpus),
        )

    def save(self, path: Path) -> None:
        """Keep all that is needed to go on. An interrupted `save` leaves the file as it was."""
        state = {
            "model": self.model.state_dict(),
            "average": self.average,
            "optimizers": [optimizer.state_dict() for optimizer in self.optimizers],
            "tokenizer": self.tokenizer.to_str(),
            "counts": [self.rounds, self.batches, self._in_round, self.steps],
        }
        unfinished = path.with_suffix(".unfinished.state")
        torch.save(state, unfinished)
        os.replace(unfinished, path)

    def resume(self, path: Path) -> None:
        """Go on with what `save` has kept; the corpus may have grown, and the recipe changed."""
        state = torch.load(path, weights_only=True, map_location=self._device)
        self.tokenizer = Tokenizer.from_str(state["tokenizer"])
        self.model.load_state_dict(state["model"])
        self.average = state["average"]
        for optimizer, kept in zip(self.optimizers, state["optimizers"], strict=True):
            optimizer.load_state_dict(kept)
        self.rounds, self.batches, self._in_round, self.steps = state["counts"]

    def _step(self, src: Tensor, tgt: Tensor) -> Tensor:
        self.steps += 1
        lr = self.recipe.lr_at(self.steps, self.done)
        for optimizer in self.optimizers:
            optimizer.zero_grad()
            for group in optimizer.param_groups:
                group["lr"] = lr
        dice = torch.Generator(self._device).manual_seed(self.steps)
        loss = loss_of(
            self.model,
            src,
            tgt,
            dice,
            smoothing=self.recipe.label_smoothing,
            copying=self.recipe.copying,
            looking=self.recipe.looking,
            agreeing=self.recipe.agreeing,
        )
        torch.autograd.backward(loss)
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        for optimizer in self.optimizers:
            optimizer.step()
        # Of the first steps all count alike.
        weight = 1 / min(self.steps, self.recipe.averaged)
        now = self.model.own_weights()
        torch._foreach_lerp_([self.average[name] for name in now], list(now.values()), weight)
        return loss.detach()


def train_translator(
    corpus: Corpus, recipe: Recipe, state: Path, start: Translator | None = None
) -> Translator:
    """Train a translator, or go on with the training in `state`, and print its progress.

    A GPU is used if there is one.
    """
    import sacrebleu  # noqa: F401 (needed at the end of hours: say now if it is missing)

    device = "cuda" if torch.cuda.is_available() else "cpu"
    training = Training(corpus, recipe, start=start, device=device)
    if state.exists():
        training.resume(state)
        print(f"resumed after {training.steps:,} steps")
    saved = time.monotonic()
    losses: list[Tensor] = []
    for loss in training.run():
        losses.append(loss)
        if training.steps % 50 == 0:
            print(
                f"step {training.steps:,}, pass {training.passes:.2f} of {recipe.passes:g}, "
                f"loss {torch.stack(losses).mean():.3f}",
                flush=True,
            )
            losses.clear()
        if time.monotonic() - saved > _SAVED_EVERY:
            training.save(state)
            saved = time.monotonic()
    training.save(state)
    return training.translator(**measured(training.translator(), corpus))


def measured(translator: Translator, corpus: Corpus) -> dict[str, Any]:
    """The measurements of a translator that its file keeps: its quality and its heads."""
    known = references(corpus.held_out)
    sure = sureness(translator, known)
    once = list({pair.source: pair for pair in corpus.held_out}.values())
    return {
        "quality": {
            "greedy": asdict(quality(translator, known)),
            "beam 4": asdict(quality(translator, known, width=4)),
        },
        "sureness": None if sure is None else asdict(sure),
        "heads": {
            **measured_heads(translator, once[:: len(once) // _OF_HEADS or 1]),
            "taught": taught_heads(translator.model.config),
        },
    }


def _as_it_is(round_: list[Batch]) -> list[Batch]:
    """Arrays are sent as they are; each tensor would take an open file until it is used."""
    return round_


def _is_inside(name: str, tensor: Tensor) -> bool:
    return tensor.ndim == 2 and "embedding" not in name and "to_logits" not in name
