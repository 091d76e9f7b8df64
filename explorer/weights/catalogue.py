"""The sources of models, and requests that name any model."""

from dataclasses import dataclass, replace
from functools import cache
from typing import Final

from explorer.config import ModelConfig
from explorer.tasks.tasks import Task
from explorer.tasks.tokenizer import TaskTokenizer
from explorer.tokenizer import TextTokenizer, Tokenizer
from explorer.weights import trained_here
from explorer.weights.checkpoints import Checkpoint, load, shipped

# Each a file in assets/weights that says itself what it holds.
SHIPPED_NAMES: Final = ("reverse", "copy", "sort", "numbers", "german", "quotes")


@dataclass(frozen=True, slots=True)
class Untrained:
    """Weights drawn from a seed, for a model of any shape."""


@dataclass(frozen=True, slots=True)
class Shipped:
    """Trained weights that come with the explorer."""

    name: str  # one of SHIPPED_NAMES


@dataclass(frozen=True, slots=True)
class TrainedHere:
    """Weights that a visitor trained or loaded from a file."""

    token: str  # see `explorer.weights.trained_here`
    steps: int = 0  # taken so far: training continues under the same token


Source = Untrained | Shipped | TrainedHere
UNTRAINED: Final = Untrained()


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRequest:
    """Names any model. Only `Untrained` has no shape of its own: see `request`."""

    source: Source
    config: ModelConfig
    seed: int = 0  # of untrained weights
    device: str = "cpu"


@dataclass(frozen=True, slots=True, kw_only=True)
class Learnt:
    """The task that weights were trained on, and how well they do."""

    task: Task
    steps: int
    accuracy: float  # share of held-out sentences answered without a mistake, 0 to 1


class WeightsGoneError(LookupError):
    """Weights that were trained here and had to make room for others."""


def request(
    source: Source,
    config: ModelConfig | None = None,
    *,
    seed: int = 0,
    device: str = "cpu",
    dropout: float | None = None,
) -> ModelRequest:
    """The request for a model; `config` and `seed` are for untrained weights.

    `dropout` replaces the dropout that the model was trained with.

    Raises:
        ValueError: if untrained weights are requested without a config.
        WeightsGoneError: if the weights are gone.
    """
    found = checkpoint(source)
    if found is not None:
        config, seed = found.model.config, 0
    if config is None:
        raise ValueError("untrained weights need a config: the shape of the model")
    if dropout is not None:
        config = replace(config, dropout=dropout)
    return ModelRequest(source=source, config=config, seed=seed, device=device)


def checkpoint(source: Source) -> Checkpoint | None:
    """The trained weights of a source; None for an untrained model.

    Raises:
        ValueError: for a name that is not shipped.
        WeightsGoneError: if the weights are gone.
    """
    if isinstance(source, Untrained):
        return None
    if isinstance(source, Shipped):
        if source.name not in SHIPPED_NAMES:
            names = ", ".join(SHIPPED_NAMES)
            raise ValueError(f"name must be one of {names}, got {source.name!r}")
        return _shipped(source.name)
    found = trained_here.find(source.token)
    if found is None:
        raise WeightsGoneError("these weights had to make room for others: train again")
    return found


def learnt(source: Source) -> Learnt | None:
    """The task and the accuracy of a source; None for an untrained model.

    Raises:
        WeightsGoneError: if the weights are gone.
    """
    found = checkpoint(source)
    if found is None:
        return None
    return Learnt(task=found.task, steps=found.steps, accuracy=found.accuracy)


def tokenizer(source: Source) -> Tokenizer:
    """The tokenizer of a source; an untrained model reads words.

    Raises:
        WeightsGoneError: if the weights are gone.
    """
    found = checkpoint(source)
    return TextTokenizer() if found is None else TaskTokenizer(found.task)


@cache
def _shipped(name: str) -> Checkpoint:
    return load(shipped(name))
