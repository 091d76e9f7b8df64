"""Trained weights in a safetensors file, which cannot execute code.

The file's header names the task, the settings of the model and of its training, and the accuracy on
held-out sentences.
"""

import json
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Final, TypeVar

import safetensors.torch
import torch

from explorer.config import ModelConfig, TrainConfig, named_as_today
from explorer.languages import tr
from explorer.names import LARGEST_WEIGHT, USUAL_IDS
from explorer.paths import ASSETS
from explorer.tasks.tasks import TASKS, Memorise, Pair, Rearrange, Task
from explorer.text import MAX_PAIRS, MAX_TOKENS
from explorer.transformer import Transformer

SHIPPED: Final = ASSETS / "weights"
LARGEST: Final = 256 * 2**20  # bytes; a larger file is not read
_LARGEST_HEADER: Final = 2**20
_FORMAT: Final = "transformer-explorer 1"
_LARGEST_NUMBER: Final = 2**63
# What the controls of the explorer can change; all else is as in the paper.
_OWN_SETTINGS: Final = (
    "d_model", "n_heads", "n_encoder_layers", "n_decoder_layers", "d_ff", "dropout", "max_len",
    "src_vocab_size", "tgt_vocab_size", "src_pad_id", "tgt_pad_id", "norm_first", "norm",
    "activation", "gated", "positions", "bias", "d_kv", "scale_scores", "scale_embedding", "tying",
)  # fmt: skip
_ALLOWED: Final[dict[Any, tuple[type, ...]]] = {
    int: (int,), float: (int, float), bool: (bool,),
    int | None: (int, type(None)), bool | None: (bool, type(None)),
}  # fmt: skip
_Settings = TypeVar("_Settings", ModelConfig, TrainConfig)


class CheckpointError(ValueError):
    """A file without usable weights; the message says what is wrong with it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """A trained model and its training."""

    task: Task
    model: Transformer
    training: TrainConfig
    steps: int  # steps taken
    accuracy: float  # share of held-out sentences answered without a mistake, 0 to 1


def save(checkpoint: Checkpoint) -> bytes:
    """The content of the file."""
    about = description(checkpoint.task) | {
        "config": asdict(checkpoint.model.config),
        "training": asdict(checkpoint.training),
        "steps": checkpoint.steps,
        "accuracy": checkpoint.accuracy,
    }
    tensors = {name: value.cpu() for name, value in checkpoint.model.own_weights().items()}
    return safetensors.torch.save(
        tensors, {"format": _FORMAT, "about": json.dumps(about, ensure_ascii=False)}
    )


def description(task: Task) -> dict[str, Any]:
    """A task as JSON."""
    about: dict[str, Any] = {"task": task.name}
    if isinstance(task, Rearrange):
        about["longest"] = task.longest
    if isinstance(task, Memorise) and task.name not in TASKS:
        about["pairs"] = [[pair.source, pair.target] for pair in task.given]
    return about


def described_task(about: dict[str, Any]) -> Task:
    """The task for a description.

    Raises:
        KeyError, TypeError, ValueError, OverflowError: if it describes no task.
    """
    name = about["task"]
    if name == Memorise.name:
        pairs = tuple(
            Pair(_words(source), _words(target)) for source, target in about["pairs"][:MAX_PAIRS]
        )
        if not pairs:
            raise ValueError(tr("at least one pair is needed"))
        return Memorise(pairs)
    if name not in TASKS:
        raise ValueError(
            tr(
                "the task must be one of {tasks}, got {name}",
                tasks=", ".join(TASKS),
                name=repr(name),
            )
        )
    task = TASKS[name]
    if isinstance(task, Rearrange):
        longest = int(about["longest"])
        if not task.shortest <= longest <= MAX_TOKENS:
            raise ValueError(
                tr(
                    "longest must lie in 1 … {most}, got {longest}",
                    most=MAX_TOKENS,
                    longest=longest,
                )
            )
        return replace(task, longest=longest)
    return task


def load(content: bytes) -> Checkpoint:
    """The checkpoint in a file's content, checked before anything large is built.

    Raises:
        CheckpointError: if this is not such a file; the message is for the person who chose it.
    """
    header = _header(content)
    about = _about(header)
    try:
        config, training, task, steps, accuracy = _described(about)
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise CheckpointError(
            tr(
                "The file's description of the model cannot be used: {error}",
                error=str(error)[:200],
            )
        ) from None
    _check_fit(config, task, header, content)
    try:
        tensors = safetensors.torch.load(content)
        model = Transformer(config, weights=tensors)
    except (safetensors.SafetensorError, RuntimeError, ValueError, KeyError):
        raise CheckpointError(
            tr(
                "The weights in the file do not fit the model it describes: the file is damaged or "
                "was changed."
            )
        ) from None
    if any(t.dtype != torch.float32 or not t.isfinite().all() for t in tensors.values()):
        raise CheckpointError(
            tr("Weights must be finite 32-bit numbers, and some in the file are not.")
        )
    if (largest := max(float(t.abs().max()) for t in tensors.values() if len(t))) > LARGEST_WEIGHT:
        raise CheckpointError(
            tr(
                "Weights must lie between −{most:,.0f} and {most:,.0f}, and the largest in the "
                "file is {largest:.2g}: the file is damaged, or its training went wrong.",
                most=LARGEST_WEIGHT,
                largest=largest,
            )
        )
    return Checkpoint(task=task, model=model, training=training, steps=steps, accuracy=accuracy)


def shipped(name: str) -> bytes:
    """The content of a checkpoint that comes with the explorer."""
    return (SHIPPED / f"{name}.safetensors").read_bytes()


def _header(content: bytes) -> dict[str, Any]:
    if len(content) > LARGEST:
        raise CheckpointError(
            tr(
                "A file may have up to {most} MB, but this one has {size:,.0f} MB.",
                most=LARGEST // 2**20,
                size=len(content) / 2**20,
            )
        )
    size = int.from_bytes(content[:8], "little")
    if len(content) < 8 or size > min(_LARGEST_HEADER, len(content) - 8):
        raise CheckpointError(tr("This is not a safetensors file, or its beginning is damaged."))
    try:
        header = json.loads(content[8 : 8 + size])
    except (ValueError, RecursionError):
        header = None
    if not isinstance(header, dict):
        raise CheckpointError(tr("This is not a safetensors file, or its beginning is damaged."))
    return header


def _described(about: dict[str, Any]) -> tuple[ModelConfig, TrainConfig, Task, int, float]:
    """The model, its training and its task, as a file describes them."""
    config = _settings(ModelConfig, about["config"])
    training = _settings(TrainConfig, about["training"])
    task = described_task(about)
    steps, accuracy = int(about["steps"]), float(about["accuracy"])
    if not 0 <= steps < _LARGEST_NUMBER or not 0.0 <= accuracy <= 1.0:
        raise ValueError(
            tr("{steps} steps, a share of {accuracy} right", steps=steps, accuracy=accuracy)
        )
    usual = ModelConfig(**{name: getattr(config, name) for name in _OWN_SETTINGS})
    if config != usual:
        raise ValueError(tr("no model with these parts can be trained here"))
    if (
        config.max_len <= MAX_TOKENS
        or (config.src_pad_id, config.tgt_pad_id) != (USUAL_IDS.pad,) * 2
    ):
        raise ValueError(
            tr(
                "it must read {most} words and BOS, and PAD must be {pad}",
                most=MAX_TOKENS,
                pad=USUAL_IDS.pad,
            )
        )
    return config, training, task, steps, accuracy


def _check_fit(config: ModelConfig, task: Task, header: dict[str, Any], content: bytes) -> None:
    """Compare the model that a file describes with its task and its size.

    Raises:
        CheckpointError: if they do not fit.
    """
    sizes = tuple(vocabulary.size for vocabulary in task.vocabularies)
    if sizes != (config.src_vocab_size, config.tgt_vocab_size):
        raise CheckpointError(
            tr(
                "The task “{task}” has vocabularies of {source} and {target} ids, but the file's "
                "model has {model_source} and {model_target}.",
                task=tr(task.title),
                source=sizes[0],
                target=sizes[1],
                model_source=config.src_vocab_size,
                model_target=config.tgt_vocab_size,
            )
        )
    # Count before building: a small file may claim a huge model.
    layers = config.n_encoder_layers + config.n_decoder_layers
    tensors_a_layer = 6 + 4 * config.bias + 2 * (config.norm == "layer")  # at least
    if (
        layers * tensors_a_layer > len(header)
        or abs(4 * config.n_weights - len(content)) > _LARGEST_HEADER
    ):
        raise CheckpointError(
            tr(
                "The file does not hold as many weights as the model it describes: it is cut off "
                "or damaged."
            )
        )


def _about(header: dict[str, Any]) -> dict[str, Any]:
    metadata = header.get("__metadata__")
    if not isinstance(metadata, dict) or metadata.get("format") != _FORMAT:
        raise CheckpointError(
            tr(
                "This file was not saved by this explorer: it does not say what its weights are "
                "for. Choose one from “Download these weights”, or all files of a pretrained model "
                "together."
            )
        )
    try:
        about = json.loads(metadata["about"])
    except (KeyError, TypeError, ValueError, RecursionError):
        about = None
    if not isinstance(about, dict):
        raise CheckpointError(tr("The file's description of the model is damaged."))
    return about


def _settings(kind: type[_Settings], given: dict[str, Any]) -> _Settings:
    """Settings from JSON, in which a number may have any size or type."""
    if not isinstance(given, dict):
        raise TypeError(tr("settings must have names, got {given}", given=repr(given)))
    given = named_as_today(given)
    for field in fields(kind):
        value = given.get(field.name, field.default)
        large = isinstance(value, int) and abs(value) >= _LARGEST_NUMBER
        if large or type(value) not in _ALLOWED.get(field.type, (str,)):
            raise TypeError(tr("{name} cannot be {value}", name=field.name, value=repr(value)))
    return kind(**given)


def _words(given: list[str]) -> tuple[str, ...]:
    """Words from JSON, which may contain half a character."""
    if not isinstance(given, list) or not all(isinstance(word, str) for word in given):
        raise TypeError(tr("a sentence must be a list of words, got {given}", given=repr(given)))
    " ".join(given).encode()
    return tuple(given[:MAX_TOKENS])
