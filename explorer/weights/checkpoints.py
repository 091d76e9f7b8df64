"""Trained weights in a safetensors file, which cannot execute code.

The file's header names the task, the settings of the model and of its training, and the accuracy on
held-out sentences.
"""

import json
from contextlib import suppress
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Final, TypeVar

import safetensors.torch
import torch

from explorer.config import ModelConfig, TrainConfig, named_as_today, require_one_of
from explorer.names import LARGEST_WEIGHT, USUAL_IDS
from explorer.paths import ASSETS
from explorer.runtime.memory import MIB
from explorer.tasks.tasks import TASKS, Memorise, Pair, Rearrange, Task
from explorer.text import MAX_PAIRS, MAX_TOKENS
from explorer.transformer import Transformer

SHIPPED: Final = ASSETS / "weights"
LARGEST: Final = 256 * MIB  # bytes; a larger file is not read
_LARGEST_HEADER: Final = MIB
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
        given = about["pairs"][:MAX_PAIRS]
        pairs = tuple(Pair(_words(source), _words(target)) for source, target in given)
        if not pairs:
            raise ValueError("at least one pair is needed")
        return Memorise(pairs)
    require_one_of("the task", name, TASKS)
    task = TASKS[name]
    if isinstance(task, Rearrange):
        longest = int(about["longest"])
        if not task.shortest <= longest <= MAX_TOKENS:
            raise ValueError(f"longest must lie in 1 … {MAX_TOKENS}, got {longest}")
        return replace(task, longest=longest)
    return task


def load(content: bytes) -> Checkpoint:
    """The checkpoint in a file's content, checked before anything large is built.

    Raises:
        CheckpointError: if this is not such a file; the message says why.
    """
    header = _header(content)
    try:
        config, training, task, steps, accuracy = _described(header)
    except (
        KeyError,
        TypeError,
        ValueError,
        AttributeError,
        OverflowError,
        RecursionError,
    ) as error:
        raise CheckpointError(
            f"Its description of the model cannot be used: {str(error)[:200]}."
        ) from None
    _check_fit(config, task, header, content)
    try:
        tensors = safetensors.torch.load(content)
        model = Transformer(config, weights=tensors)
    except (safetensors.SafetensorError, RuntimeError, ValueError, KeyError):
        raise CheckpointError(
            "Its weights do not fit the model that it describes: it is damaged or was changed."
        ) from None
    if any(t.dtype != torch.float32 or not t.isfinite().all() for t in tensors.values()):
        raise CheckpointError("Weights must be finite 32-bit numbers, and some of its are not.")
    if (largest := max(float(t.abs().max()) for t in tensors.values() if len(t))) > LARGEST_WEIGHT:
        raise CheckpointError(
            f"Weights must lie between −{LARGEST_WEIGHT:,.0f} and {LARGEST_WEIGHT:,.0f}, and its "
            f"largest is {largest:.2g}: it is damaged, or its training went wrong."
        )
    return Checkpoint(task=task, model=model, training=training, steps=steps, accuracy=accuracy)


def shipped(name: str) -> bytes:
    """The content of a checkpoint that comes with the explorer."""
    return (SHIPPED / f"{name}.safetensors").read_bytes()


def _header(content: bytes) -> dict[str, Any]:
    """The header of a safetensors file that this explorer has saved."""
    if len(content) > LARGEST:
        raise CheckpointError(
            f"A file may have up to {LARGEST // MIB} MB, and this one has "
            f"{len(content) / MIB:,.0f} MB."
        )
    size = int.from_bytes(content[:8], "little")
    header = None
    if len(content) >= 8 and size <= min(_LARGEST_HEADER, len(content) - 8):
        with suppress(ValueError, RecursionError):
            header = json.loads(content[8 : 8 + size])
    if not isinstance(header, dict):
        raise CheckpointError("It is not a safetensors file, or its beginning is damaged.")
    metadata = header.get("__metadata__")
    if not isinstance(metadata, dict) or metadata.get("format") != _FORMAT:
        raise CheckpointError(
            "It was not saved by this explorer: it does not say what its weights are for. Choose "
            "one that was downloaded here, or all files of a pretrained model together."
        )
    return header


def _described(header: dict[str, Any]) -> tuple[ModelConfig, TrainConfig, Task, int, float]:
    """The model, its training and its task, as a file describes them."""
    about = json.loads(header["__metadata__"]["about"])
    if not isinstance(about, dict):
        raise TypeError(f"it must have names, got {about!r}")
    config = _settings(ModelConfig, about["config"])
    training = _settings(TrainConfig, about["training"])
    task = described_task(about)
    steps, accuracy = int(about["steps"]), float(about["accuracy"])
    if not 0 <= steps < _LARGEST_NUMBER or not 0.0 <= accuracy <= 1.0:
        raise ValueError(f"{steps} steps, a share of {accuracy} right")
    usual = ModelConfig(**{name: getattr(config, name) for name in _OWN_SETTINGS})
    if config != usual:
        raise ValueError("no model with these parts can be trained here")
    pads = (config.src_pad_id, config.tgt_pad_id)
    if config.max_len <= MAX_TOKENS or pads != (USUAL_IDS.pad, USUAL_IDS.pad):
        raise ValueError(f"it must read {MAX_TOKENS} words and BOS, and PAD must be 0")
    return config, training, task, steps, accuracy


def _check_fit(config: ModelConfig, task: Task, header: dict[str, Any], content: bytes) -> None:
    """Compare the model that a file describes with its task and its size.

    Raises:
        CheckpointError: if they do not fit.
    """
    wanted = tuple(vocabulary.size for vocabulary in task.vocabularies)
    if wanted != (sizes := (config.src_vocab_size, config.tgt_vocab_size)):
        raise CheckpointError(
            f"The task {task.name} has vocabularies of {wanted[0]} and {wanted[1]} ids, and its "
            f"model has {sizes[0]} and {sizes[1]}."
        )
    # Count before building: a small file may claim a huge model.
    layers = config.n_encoder_layers + config.n_decoder_layers
    tensors_a_layer = 6 + 4 * config.bias + 2 * (config.norm == "layer")  # at least
    if (
        layers * tensors_a_layer > len(header)
        or abs(4 * config.n_weights - len(content)) > _LARGEST_HEADER
    ):
        raise CheckpointError(
            "It does not hold as many weights as the model that it describes: it is cut off or "
            "damaged."
        )


def _settings(kind: type[_Settings], given: dict[str, Any]) -> _Settings:
    """Settings from JSON, in which a number may have any size or type."""
    if not isinstance(given, dict):
        raise TypeError(f"settings must have names, got {given!r}")
    given = named_as_today(given)
    for field in fields(kind):
        value = given.get(field.name, field.default)
        large = isinstance(value, int) and abs(value) >= _LARGEST_NUMBER
        if large or type(value) not in _ALLOWED.get(field.type, (str,)):
            raise TypeError(f"{field.name} cannot be {value!r}")
    return kind(**given)


def _words(given: list[str]) -> tuple[str, ...]:
    """Words from JSON, which may contain half a character."""
    if not isinstance(given, list) or not all(isinstance(word, str) for word in given):
        raise TypeError(f"a sentence must be a list of words, got {given!r}")
    " ".join(given).encode()
    return tuple(given[:MAX_TOKENS])
