"""The sources of models, and requests that name any model."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import Final, TypeVar

from explorer.analysis.head_roles import KnownHeads
from explorer.config import ModelConfig, require_one_of
from explorer.languages import tr, tr_n
from explorer.tasks.tasks import Memorise, Task
from explorer.tasks.tokenizer import TaskTokenizer
from explorer.text import MAX_TOKENS
from explorer.tokenizer import IdTokenizer, TextTokenizer, Tokenizer
from explorer.transformer import Transformer
from explorer.weights import loaded_here, trained_here, translator
from explorer.weights.checkpoints import Checkpoint, load, shipped
from explorer.weights.huggingface.description import Description
from explorer.weights.huggingface.files import PretrainedError
from explorer.weights.huggingface.known import ModelFolder, model_in
from explorer.weights.huggingface.model import Report, read_model
from explorer.weights.huggingface.shelf import folder_of, shown_name
from explorer.weights.pieces import SubwordTokenizer
from explorer.weights.translator import Translator

# Each is a file in assets/weights, and its description stands in the file.
TRANSLATOR: Final = "translator"
SMALL_TASKS: Final = ("reverse", "copy", "sort", "numbers", "german", "quotes")
SHIPPED_NAMES: Final = (TRANSLATOR, *SMALL_TASKS)
_GOES_ON: Final = 16  # words that a decoder alone adds to what it has read
T = TypeVar("T")


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


@dataclass(frozen=True, slots=True)
class Pretrained:
    """A model from elsewhere, in the folder of models (`explorer.weights.huggingface.shelf`).

    One that a visitor loaded from files has a secret token in place of a name: see
    `explorer.weights.loaded_here`.
    """

    name: str = ""  # of its folder
    version: int = 0  # of its files: a changed model is another one
    token: str = ""


Source = Untrained | Shipped | TrainedHere | Pretrained
UNTRAINED: Final = Untrained()


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRequest:
    """The weights, shape and device of a model. `request` makes one that fits its weights."""

    source: Source
    config: ModelConfig
    seed: int = 0  # of untrained weights
    device: str = "cpu"


@dataclass(frozen=True, slots=True, kw_only=True)
class Learnt:
    """The purpose of trained weights, and how well they do, in the reader's language."""

    name: str
    title: str
    quality: str  # in words, as measured on held-out sentences
    steps: int = 0  # of training; 0 if unknown
    task: Task | None = None  # None for real language: a sentence has many right translations
    max_len: int = MAX_TOKENS

    @property
    def shown_name(self) -> str:
        """The name in the reader's language; that of a pretrained model is the same in all."""
        return tr(self.name)

    def answer_limit(self, source_length: int) -> int:
        """The number of tokens after which the answer to a source is cut off."""
        if self.task is None:
            wanted = 3 * source_length // 2 + 10 if source_length else _GOES_ON
            return min(MAX_TOKENS - 1, self.max_len - 1, wanted)
        known = self.task.longest if isinstance(self.task, Memorise) else 0
        return min(MAX_TOKENS - 1, max(source_length, known) + 8)


class WeightsGoneError(LookupError):
    """Weights that were trained or loaded here and were removed from memory."""


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
    trained = trained_config(source)
    if trained is not None:
        config, seed = trained, 0
    if config is None:
        raise ValueError("untrained weights need a config: the shape of the model")
    if dropout is not None:
        config = replace(config, dropout=dropout)
    return ModelRequest(source=source, config=config, seed=seed, device=device)


def trained_config(source: Source) -> ModelConfig | None:
    """The shape of a trained model, without reading its weights; None for an untrained one.

    Raises:
        ValueError: for a name that is not shipped.
        WeightsGoneError: if the weights are gone.
    """
    if isinstance(source, Pretrained):
        return _described_by(source).config
    model = trained_model(source)
    return None if model is None else model.config


def trained_model(source: Source, report: Report | None = None) -> Transformer | None:
    """The trained model of a source; None for an untrained one.

    A pretrained model is read from its files, and `report` hears how much has been read: the engine
    keeps it.

    Raises:
        ValueError: for a name that is not shipped.
        WeightsGoneError: if the weights are gone.
    """
    if isinstance(source, Pretrained):
        return _read(source, lambda it: read_model(it.folder, report))[0]
    if source == Shipped(TRANSLATOR):
        return shipped_translator().model
    trained = checkpoint(source)
    return None if trained is None else trained.model


def checkpoint(source: Source) -> Checkpoint | None:
    """The weights of a model that was trained on a task; None for all other models.

    Raises:
        ValueError: for a name that is not shipped.
        WeightsGoneError: if the weights are gone.
    """
    if isinstance(source, Untrained | Pretrained) or source == Shipped(TRANSLATOR):
        return None
    if isinstance(source, Shipped):
        require_one_of("name", source.name, SHIPPED_NAMES)
        return _shipped(source.name)
    trained = trained_here.find(source.token)
    if trained is None:
        raise WeightsGoneError(tr("these weights were removed from memory: train again"))
    return trained


def learnt(source: Source) -> Learnt | None:
    """The purpose of a source's weights; None for an untrained model.

    Raises:
        WeightsGoneError: if the weights are gone.
    """
    if source == Shipped(TRANSLATOR):
        return _learnt_by_translator()
    if isinstance(source, Pretrained):
        name = shown_name(source.name) or tr("This model")
        return learnt_elsewhere(name, _described_by(source))
    trained = checkpoint(source)
    return None if trained is None else learnt_by(trained)


def right_in_words(task: Task, accuracy: float) -> str:
    """How much is answered without a mistake, in words."""
    if isinstance(task, Memorise):
        return tr("{accuracy:.1%} of pairs right", accuracy=accuracy)
    return tr("{accuracy:.1%} of held-out sentences right", accuracy=accuracy)


def learnt_by(trained: Checkpoint) -> Learnt:
    """The purpose and quality of weights that were trained on a task."""
    return Learnt(
        name=trained.task.name,
        title=tr(trained.task.title),
        steps=trained.steps,
        quality=right_in_words(trained.task, trained.accuracy),
        task=trained.task,
    )


def _learnt_by_translator() -> Learnt:
    about = shipped_translator().about
    return Learnt(
        name=TRANSLATOR,
        title=tr("English → German"),
        quality=tr(
            "BLEU {bleu:.1f} on held-out sentences", bleu=about["quality"]["greedy"]["bleu"]
        ),
        task=None,
    )


def tokenizer(source: Source) -> Tokenizer:
    """The tokenizer of a source; an untrained model reads words.

    Raises:
        WeightsGoneError: if the weights are gone.
    """
    if source == Shipped(TRANSLATOR):
        return subwords()
    if isinstance(source, Pretrained):
        return _read(source, lambda it: it.tokenizer)
    trained = checkpoint(source)
    return TextTokenizer() if trained is None else TaskTokenizer(trained.task)


def writes(source: Source) -> bool:
    """Whether the model of a source answers what it reads.

    Raises:
        WeightsGoneError: if the weights are gone.
    """
    if not isinstance(source, Pretrained):
        return source != UNTRAINED
    reads_text = not isinstance(tokenizer(source), IdTokenizer)
    return reads_text and _described_by(source).config.has_decoder


def pretrained_source(name: str) -> Pretrained:
    """The source of a model in the folder of models, as its files are now.

    Raises:
        WeightsGoneError: if there is no such model.
    """
    return Pretrained(name, _read(Pretrained(name), lambda it: it.version))


def _described_by(source: Pretrained) -> Description:
    return _read(source, lambda it: it.described)


def _read(source: Pretrained, read: Callable[[ModelFolder], T]) -> T:
    """What is read of the model's folder."""
    try:
        if not source.token:
            return read(model_in(folder_of(source.name)))
        kept = loaded_here.find(source.token)
        if kept is None:
            raise LookupError(tr("its files were removed from memory."))
        return read(kept)
    except (LookupError, OSError, PretrainedError) as error:
        if source.token:
            why = tr("the model that was loaded here cannot be read: {error}", error=str(error))
        else:
            why = tr(
                "the model “{name}” cannot be read: {error}",
                name=shown_name(source.name),
                error=str(error),
            )
        raise WeightsGoneError(why) from None


def learnt_elsewhere(name: str, description: Description) -> Learnt:
    """The title and size of a model from elsewhere."""
    millions = description.config.n_weights / 1e6
    if millions >= 0.1:
        size = tr("{millions:,.1f} million weights", millions=millions)
    else:
        size = tr_n("{n:,} weight", "{n:,} weights", description.config.n_weights)
    if heads := description.left_out:
        size = tr("{size}, without its head ({heads})", size=size, heads=heads)
    return Learnt(
        name=name,
        title=description.family.title,
        quality=size,
        max_len=description.config.max_len,
    )


@cache
def shipped_translator() -> Translator:
    """The translator that comes with the explorer."""
    return translator.load()


def known_heads(source: Source) -> KnownHeads | None:
    """The roles of a model's heads over many sentences, where they were measured."""
    return heads_of_translator() if source == Shipped(TRANSLATOR) else None


@cache
def heads_of_translator() -> KnownHeads:
    """The roles of the shipped translator's heads over many sentences."""
    return KnownHeads.read(shipped_translator().about["heads"])


@cache
def subwords() -> SubwordTokenizer:
    """The translator's subwords, which an untrained model can read, too."""
    return SubwordTokenizer(shipped_translator().tokenizer)


@cache
def _shipped(name: str) -> Checkpoint:
    return load(shipped(name))
