"""Pretrained models that visitors loaded from files, found by a secret token.

The files come from anybody. They are written under names that are known here, into a folder of
their own, and read as the folder of any model is. The folder is deleted with its model.
"""

import secrets
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final
from weakref import finalize

from explorer.runtime.cache import SplitCache
from explorer.runtime.memory import MIB, estimate
from explorer.tokenizer import Tokenizer
from explorer.weights.checkpoints import LARGEST
from explorer.weights.huggingface.description import Description
from explorer.weights.huggingface.files import (
    COMMAND,
    CONFIG,
    GENERATION,
    INDEX,
    OPTIONAL_FILES,
    TARGET_TOKENIZER,
    TOKENIZER,
    WEIGHTS,
    PretrainedError,
)
from explorer.weights.huggingface.known import ModelFolder
from explorer.weights.huggingface.model import read_model
from explorer.weights.huggingface.text.bounded import require_bounded
from explorer.weights.huggingface.text.pieces import is_failure
from explorer.weights.huggingface.text.tokenizer import convert_old_files

ROOM: Final = LARGEST  # bytes for the models of all visitors
MAX_TOKENS: Final = 300_000  # of a vocabulary; mT5's has 250,112
MAX_LAYERS: Final = 64  # of both stacks
MAX_HEADS: Final = 64
_LARGEST_SETTINGS: Final = MIB  # bytes
_LARGEST_OTHER: Final = 20 * MIB  # of a tokenizer's file; mT5's has 16
_IN_MEMORY: Final = 16  # bytes that a byte of a tokenizer's file takes, roughly
_NAMES: Final = (CONFIG, WEIGHTS, *OPTIONAL_FILES)
_PICKLES: Final = (".bin", ".pt", ".pth", ".ckpt", ".pkl", ".pickle")
Room = Callable[[int], AbstractContextManager[bool]]  # whether so many bytes may be taken


def keep(files: Mapping[str, bytes], room: Room) -> str:
    """Check the files of a model, by their names, and keep them; returns the model's token.

    Nobody can guess a token, so it may be part of an address: it opens only this model. `room` is
    asked before the weights are read.

    Raises:
        PretrainedError: if they are no model that can be shown here; the message is for the person
            who chose them.
    """
    require_files([(name, len(content)) for name, content in files.items()])
    with ExitStack() as if_refused:
        try:
            made = TemporaryDirectory(prefix="explorer-", ignore_cleanup_errors=True)
            folder = Path(if_refused.enter_context(made))
            for name, content in files.items():
                (folder / name).write_bytes(content)
        except OSError:
            raise PretrainedError("The server's disk has no room for these files.") from None
        found = _read(folder, room)
        # A tokenizer.json that was made of older files counts, too.
        sizes = {path.name: path.stat().st_size for path in folder.iterdir()}
        if_refused.pop_all()
    finalize(found, made.cleanup)
    weights = sizes.pop(WEIGHTS)
    others = sum(sizes.values())
    token = secrets.token_urlsafe(9)
    _cache().put(token, weights + _IN_MEMORY * others, found)
    return token


def find(token: str) -> ModelFolder | None:
    """The model, unless it was removed from memory or the server has restarted.

    Its folder stays as long as the caller has it.
    """
    return _cache().find(token)


def drop(token: str) -> None:
    """Forget a model."""
    _cache().drop(token)


def forget_all() -> None:
    """Forget all models when the server ends: a process that a signal ends does nothing more."""
    _cache.cache_clear()


def require_files(files: Sequence[tuple[str, int]]) -> None:
    """The names and sizes of a model's files, before their content is looked at.

    Raises:
        PretrainedError: if some are missing, not known, or too large, or if there are too many.
    """
    if len(files) > len(_NAMES):
        raise PretrainedError(
            f"A model may have up to {len(_NAMES)} files, and these are {len(files):,}."
        )
    for name, _ in files:
        _require_known(name)
    names = [name for name, _ in files]
    if missing := [name for name in (CONFIG, WEIGHTS) if name not in names]:
        raise PretrainedError(
            f"A pretrained model also needs {' and '.join(missing)}. Choose all files of the model "
            "together."
        )
    for name, size in files:
        limit = LARGEST if name == WEIGHTS else _LARGEST_OTHER
        limit = _LARGEST_SETTINGS if name in (CONFIG, GENERATION) else limit
        if size > limit:
            raise PretrainedError(
                f"{name} may have up to {limit // MIB} MB, and this one has {size / MIB:,.0f} MB."
            )
    if (total := sum(size for _, size in files)) > LARGEST:
        raise PretrainedError(
            f"The files of a model may have up to {LARGEST // MIB} MB together, and these have "
            f"{total / MIB:,.0f} MB."
        )


def _require_known(name: str) -> None:
    """The name of a file that a page reads.

    Raises:
        PretrainedError: if it is none; the message says what to choose instead.
    """
    shown = name[:100]
    if name.endswith(_PICKLES):
        raise PretrainedError(
            f"{shown} may be a pickle, which can hold code, so it is not opened here. Choose "
            f"{WEIGHTS} instead. Where there is none, whoever runs the explorer can add it: "
            f"{COMMAND}"
        )
    if name == INDEX or (name.startswith("model-0") and name.endswith(".safetensors")):
        raise PretrainedError(
            f"{shown} belongs to a model in several files of weights. A page reads models with "
            f"all weights in {WEIGHTS}. For others, whoever runs the explorer can add it: "
            f"{COMMAND}"
        )
    if name not in _NAMES:
        raise PretrainedError(
            f"{shown} is not a name of a pretrained model's file that is known here. Known are "
            f"{', '.join(_NAMES)}."
        )


def _read(folder: Path, room: Room) -> ModelFolder:
    """A model in its folder, which has been read once.

    Raises:
        PretrainedError: if it is none that can be shown here.
    """
    found = ModelFolder(folder)
    _require_small(found.described)
    try:
        convert_old_files(folder, found.described.hf_config)
        for name in (TOKENIZER, TARGET_TOKENIZER):
            if (folder / name).is_file():
                require_bounded(folder / name)
        assert isinstance(found.tokenizer, Tokenizer)
    except BaseException as error:
        if isinstance(error, PretrainedError) or not is_failure(error):
            raise
        raise PretrainedError(f"The tokenizer cannot be used: {str(error)[:300]}.") from None
    with room(estimate(found.described.config, 1, 1, 1).model) as there_is_room:
        if not there_is_room:
            raise PretrainedError(
                "The server has no memory for this model at the moment. Try again later."
            )
        read_model(folder)
    return found


def _require_small(described: Description) -> None:
    """Refuse a model of which a page would draw too much.

    Raises:
        PretrainedError: if it is.
    """
    config, hf_config = described.config, described.hf_config
    sizes = (config.src_vocab_size, config.tgt_vocab_size, hf_config.get("decoder_vocab_size") or 0)
    for what, number, most in (
        ("tokens in a vocabulary", max(sizes), MAX_TOKENS),
        ("layers", config.n_encoder_layers + config.n_decoder_layers, MAX_LAYERS),
        ("heads", config.n_heads, MAX_HEADS),
    ):
        if number > most:
            raise PretrainedError(
                f"A model that is loaded on a page may have up to {most:,} {what}, and this one "
                f"has {number:,}. Whoever runs the explorer can add it: {COMMAND}"
            )


@cache
def _cache() -> SplitCache[ModelFolder]:
    return SplitCache(ROOM)
