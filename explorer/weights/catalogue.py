"""The sources of models, and requests that name any model."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Final

from explorer.config import ModelConfig
from explorer.decoding import answers
from explorer.tasks.tasks import Memorise, Task, judged_on
from explorer.tasks.tokenizer import TaskTokenizer
from explorer.text import MAX_PAIRS, MAX_TOKENS, Answer
from explorer.tokenizer import TextTokenizer, Tokenizer
from explorer.transformer import Transformer
from explorer.weights import trained_here, translator
from explorer.weights.checkpoints import Checkpoint, load, shipped
from explorer.weights.pieces import SubwordTokenizer
from explorer.weights.translator import Translator

# Each a file in assets/weights that says itself what it holds.
TRANSLATOR: Final = "translator"
SMALL_TASKS: Final = ("reverse", "copy", "sort", "numbers", "german", "quotes")
SHIPPED_NAMES: Final = (TRANSLATOR, *SMALL_TASKS)


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
    """What weights were trained for, and how well they do."""

    name: str
    title: str
    steps: int
    quality: str  # in words, as measured on held-out sentences
    task: Task | None  # None for the translator: a sentence has many right translations

    def answer_limit(self, longest_source: int) -> int:
        """The number of tokens after which an answer is cut off."""
        if self.task is None:
            return min(MAX_TOKENS - 1, 3 * longest_source // 2 + 10)
        known = self.task.longest if isinstance(self.task, Memorise) else 0
        return min(MAX_TOKENS - 1, max(longest_source, known) + 8)


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
    trained = trained_model(source)
    if trained is not None:
        config, seed = trained.config, 0
    if config is None:
        raise ValueError("untrained weights need a config: the shape of the model")
    if dropout is not None:
        config = replace(config, dropout=dropout)
    return ModelRequest(source=source, config=config, seed=seed, device=device)


def trained_model(source: Source) -> Transformer | None:
    """The trained model of a source; None for an untrained one.

    Raises:
        ValueError: for a name that is not shipped.
        WeightsGoneError: if the weights are gone.
    """
    if source == Shipped(TRANSLATOR):
        return shipped_translator().model
    found = checkpoint(source)
    return None if found is None else found.model


def checkpoint(source: Source) -> Checkpoint | None:
    """The weights of a model that was trained on a task; None for all other models.

    Raises:
        ValueError: for a name that is not shipped.
        WeightsGoneError: if the weights are gone.
    """
    if isinstance(source, Untrained) or source == Shipped(TRANSLATOR):
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
    """What the weights of a source were trained for; None for an untrained model.

    Raises:
        WeightsGoneError: if the weights are gone.
    """
    if source == Shipped(TRANSLATOR):
        return _learnt_by_translator()
    found = checkpoint(source)
    if found is None:
        return None
    return Learnt(
        name=found.task.name,
        title=found.task.title,
        steps=found.steps,
        quality=f"{found.accuracy:.1%} of {judged_on(found.task)} right",
        task=found.task,
    )


@cache
def _learnt_by_translator() -> Learnt:
    about = shipped_translator().about
    return Learnt(
        name=TRANSLATOR,
        title="English → German",
        steps=about["training"]["steps"],
        quality=f"BLEU {about['quality']['greedy']['bleu']:.1f} on held-out sentences",
        task=None,
    )


def tokenizer(source: Source) -> Tokenizer:
    """The tokenizer of a source; an untrained model reads words.

    Raises:
        WeightsGoneError: if the weights are gone.
    """
    if source == Shipped(TRANSLATOR):
        return subwords()
    found = checkpoint(source)
    return TextTokenizer() if found is None else TaskTokenizer(found.task)


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """A trained model and its tokenizer, for notebooks and scripts."""

    model: Transformer
    tokenizer: Tokenizer
    learnt: Learnt

    @property
    def config(self) -> ModelConfig:
        """The shape of the model."""
        return self.model.config

    def answer(self, sentences: Sequence[str]) -> list[str]:
        """The greedy answer to each sentence, as text; nothing for an empty sentence."""
        said: list[str] = []
        for first in range(0, len(sentences), MAX_PAIRS):
            some = sentences[first : first + MAX_PAIRS]
            batch = self.tokenizer.batch(some, [Answer(())] * len(some))
            limit = self.learnt.answer_limit(batch.src.shape[1])
            found = answers(self.model, batch.src, specials=batch.specials, limit=limit)
            for ids, is_empty in zip(found, (batch.src == batch.pad_id).all(dim=1), strict=True):
                words = () if is_empty else [i for i in ids if i != batch.specials.eos]
                said.append(self.tokenizer.join(batch.tgt_vocab.decode(words)))
        return said


def load_shipped(name: str) -> Loaded:
    """A trained model that comes with the explorer: "translator", "reverse", "copy", …

    >>> load_shipped("reverse").answer(["one two three"])
    ['three two one']

    Raises:
        ValueError: for a name that is not shipped.
    """
    source = Shipped(name)
    model, about = trained_model(source), learnt(source)
    if model is None or about is None:
        raise ValueError(f"{name} holds no trained model")
    return Loaded(model=model, tokenizer=tokenizer(source), learnt=about)


@cache
def shipped_translator() -> Translator:
    """The translator that comes with the explorer."""
    return translator.load()


@cache
def subwords() -> SubwordTokenizer:
    """The translator's subwords, which an untrained model can read, too."""
    return SubwordTokenizer(shipped_translator().tokenizer)


@cache
def _shipped(name: str) -> Checkpoint:
    return load(shipped(name))
