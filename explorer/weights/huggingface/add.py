"""Adds a pretrained model to the folder of models: from Hugging Face, or from a folder.

The model is put together in a hidden folder beside its place and moved there when it is whole, so
an interrupted addition leaves no model. Pickles are read only as numbers: nothing in them runs.
"""

import os
import secrets
import shutil
import warnings
import zipfile
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from glob import escape
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import torch
from safetensors import SafetensorError
from safetensors.torch import save_file
from torch import Tensor

from explorer.runtime.memory import MIB, estimate, free_memory
from explorer.weights.huggingface.description import describe
from explorer.weights.huggingface.files import CONFIG, INDEX, OPTIONAL_FILES, WEIGHTS, shards
from explorer.weights.huggingface.model import check, read_model
from explorer.weights.huggingface.shelf import folder_name, models_folder
from explorer.weights.huggingface.text.tokenizer import convert_old_files, read_tokenizer

PICKLED: Final = "pytorch_model.bin"
PICKLED_INDEX: Final = "pytorch_model.bin.index.json"
_ADAPTER: Final = "adapter_config.json"
TOKENS: Final = 32  # a side, for which the memory is stated
_NUMBERS: Final = (torch.float32, torch.float16, torch.bfloat16, torch.float64)
# What trainings call the weights that they save.
_WEIGHTS: Final = ("state_dict", "model_state_dict", "model", "module")


class AddError(ValueError):
    """A model that cannot be added; the message says why."""


def add(given: str, *, name: str | None = None, replace: bool = False) -> Path:
    """Add the model of a folder, or of that name on Hugging Face; return its folder.

    Args:
        given: a folder, "owner/model" or "model". A folder of that name comes first.
        name: of the model here; None: its name there.
        replace: whether a model that has this name already may go.

    Raises:
        AddError, PretrainedError: if there is no such model, or none that the engine computes.
    """
    is_here = os.path.exists(given)  # unlike Path's, it takes any name
    target = models_folder() / name_for(given, name)
    if os.path.lexists(target) and not replace:
        raise AddError(
            f"There is a model {target.name} already; --replace puts this one in its place."
        )
    try:
        with _hidden_folder(target.parent) as made:
            source = _local(Path(given)) if is_here else _on_hugging_face(given)
            _collect(source, made)
            read_model(made)
            _move(made, target)
    except (OSError, SafetensorError) as error:
        raise AddError(f"The model cannot be copied to {target}: {error}.") from None
    return target


def name_for(given: str, name: str | None = None) -> str:
    """The name of a new model's folder, inside the folder of models.

    Raises:
        AddError: if it cannot have one.
    """
    is_here = os.path.exists(given)  # unlike Path's, it takes any name
    try:
        return folder_name(name or (Path(given).resolve().name if is_here else given))
    except ValueError as error:
        if name or is_here:
            raise AddError(f"{error}; choose another with --as NAME.") from None
        raise AddError(f"There is no folder {given[:100]!r}, and {error}.") from None


def summary(folder: Path) -> str:
    """In one line, what the model of a folder is and needs.

    Raises:
        PretrainedError: if its files are no model that the engine can compute.
    """
    described = check(folder)
    config = described.config
    stacks = [n for n in (config.n_encoder_layers, config.n_decoder_layers) if n]
    need = estimate(config, 1, TOKENS * config.has_encoder, TOKENS * config.has_decoder)
    try:
        found = read_tokenizer(folder, described.hf_config)
        tokenizer = "has a tokenizer" if found else "no tokenizer: the explorer shows ids"
    except ValueError as error:
        tokenizer = f"its tokenizer cannot be used: {error}"
    heads = f", without its head ({described.left_out})" if described.left_out else ""
    return (
        f"{described.family.title}, {' + '.join(map(str, stacks))} layer{'s' * (stacks != [1])}, "
        f"d_model {config.d_model:,}, {config.n_heads} head{'s' * (config.n_heads > 1)}, "
        f"d_ff {config.d_ff:,}, {_amount(config.n_weights)} weights, "
        f"{max(1, (need.model + need.trace) / MIB):,.0f} MB of memory{heads}; {tokenizer}"
    )


def _amount(number: int) -> str:
    if number < 10**6:
        return f"{number:,}"
    return f"{number / 1e6:,.{int(number < 10**7)}f} million"


@dataclass(frozen=True, slots=True)
class _Source:
    """Where a model comes from."""

    title: str  # in a message
    names: Collection[str]  # of its files
    fetch: Callable[[Iterable[str], Path], None]  # copies some of them into a folder


def _local(folder: Path) -> _Source:
    """The files of a folder; a lone model may have a name of its own.

    Raises:
        AddError: if it is a file.
    """
    if not folder.is_dir():
        raise AddError(f"{folder} must be the folder of a model, and it is a file.")
    files = {path.name: path for path in folder.iterdir() if path.is_file()}
    files = {name: files[name] for name in files if not name.startswith("adapter_model.")}
    others = (*OPTIONAL_FILES, _ADAPTER)
    configs = [name for name in files if name.endswith(CONFIG) and name not in others]
    weights = [name for name in files if name.endswith(".safetensors")]
    if len(configs) == 1:
        files[CONFIG] = files[configs[0]]
    if len(weights) == 1 and INDEX not in files:
        files[WEIGHTS] = files[weights[0]]
    pickles = [name for name in files if name.endswith((".bin", ".pt", ".pth", ".ckpt"))]
    if len(pickles) == 1:
        files[PICKLED] = files[pickles[0]]

    def fetch(names: Iterable[str], into: Path) -> None:
        for name in names:
            shutil.copyfile(files[name], into / name)

    return _Source(str(folder), files, fetch)


def _on_hugging_face(name: str) -> _Source:
    """The files of a model there, as they are at this moment.

    Raises:
        AddError: if there is no such model, or no way to it.
    """
    try:
        package: Any = import_module("huggingface_hub")
    except ImportError:
        raise AddError(
            f"There is no folder {name}, and models of Hugging Face need one more package: "
            "pip install -r requirements-models.txt"
        ) from None
    with _hub_errors_in_words(name):
        found = package.model_info(name)
        names = frozenset(file.rfilename for file in found.siblings or ())

    def fetch(names: Iterable[str], into: Path) -> None:
        wanted = [escape(file) for file in names]
        with _hub_errors_in_words(name):
            package.snapshot_download(
                name, revision=found.sha, allow_patterns=wanted, local_dir=into
            )

    return _Source(name, names, fetch)


@contextmanager
def _hub_errors_in_words(name: str) -> Iterator[None]:
    """Turn whatever the package, or one below it, raises into one sentence."""
    try:
        yield
    except Exception as error:
        if type(error).__name__ in ("RepositoryNotFoundError", "GatedRepoError"):
            raise AddError(
                f"There is no folder {name}, and no model of this name on Hugging Face that is "
                "open to you."
            ) from None
        first_line = (str(error).strip() or type(error).__name__).splitlines()[0][:200]
        raise AddError(f"Hugging Face cannot be asked for {name}: {first_line}.") from None


@contextmanager
def _hidden_folder(beside: Path) -> Iterator[Path]:
    """A new folder, which is gone at the end unless it was moved."""
    beside.mkdir(parents=True, exist_ok=True)
    made = beside / f".adding-{secrets.token_hex(4)}"
    made.mkdir()
    try:
        yield made
    finally:
        shutil.rmtree(made, ignore_errors=True)


def _collect(source: _Source, into: Path) -> None:
    """Bring a model's files into a folder, the small ones first.

    Raises:
        AddError, PretrainedError: if they are no model, or one that is too large.
    """
    if _ADAPTER in source.names and not {WEIGHTS, INDEX, PICKLED, PICKLED_INDEX} & set(
        source.names
    ):
        raise AddError(
            f"{source.title} holds an adapter without its model: merge both, with "
            "model.merge_and_unload(), and save the whole."
        )
    besides = [
        name for name in source.names if name in OPTIONAL_FILES or name.startswith("LICENSE")
    ]
    _fetch(source, [CONFIG, *besides], into)
    described = describe(into)
    try:
        convert_old_files(into, described.hf_config)
    except ValueError as error:
        raise AddError(f"The tokenizer cannot be used: {error}.") from None
    need = estimate(described.config, 1, TOKENS, TOKENS).model
    if need > (free := free_memory("cpu")):
        raise AddError(
            f"This model needs about {need / MIB:,.0f} MB of memory, and {free / MIB:,.0f} MB are "
            "free."
        )
    if WEIGHTS in source.names:
        _fetch(source, [WEIGHTS], into)
    elif INDEX in source.names:
        _fetch(source, [INDEX], into)
        _fetch(source, shards(into, INDEX), into)
    elif PICKLED in source.names:
        _fetch(source, [PICKLED], into)
        _convert(into, [PICKLED])
    elif PICKLED_INDEX in source.names:
        _fetch(source, [PICKLED_INDEX], into)
        _fetch(source, names := shards(into, PICKLED_INDEX), into)
        _convert(into, names)
        (into / PICKLED_INDEX).unlink()
    else:
        raise AddError(
            f"{source.title} must hold {WEIGHTS} or {PICKLED}, or their shards, and does not: save "
            "the model there."
        )
    shutil.rmtree(into / ".cache", ignore_errors=True)  # of huggingface_hub


def _fetch(source: _Source, names: Sequence[str], into: Path) -> None:
    if missing := [name for name in names if name not in source.names]:
        raise AddError(f"{source.title} must hold {missing[0][:100]}, and does not.")
    source.fetch(names, into)


def _convert(folder: Path, pickled: Sequence[str]) -> None:
    """Replace pickles by one file of safetensors."""
    tensors: dict[str, Tensor] = {}
    for name in pickled:
        tensors |= _numbers_in(folder / name)
    kept: dict[object, str] = {}
    same = {"format": "pt"}  # and names of a tensor that another name stands for, as in save_model
    written: set[int] = set()
    for name, tensor in list(tensors.items()):
        place = (tensor.data_ptr(), tensor.dtype, tensor.shape, tensor.stride())
        if tensor.numel() and place in kept:
            same[name] = kept[place]
            del tensors[name]
            continue
        kept[place] = name
        plain = tensor.contiguous()
        if plain.untyped_storage().data_ptr() in written:  # safetensors takes no shared memory
            plain = plain.clone()
        written.add(plain.untyped_storage().data_ptr())
        tensors[name] = plain
    save_file(tensors, folder / WEIGHTS, same)
    shutil.copymode(folder / CONFIG, folder / WEIGHTS)  # or only their owner might read them
    for name in pickled:
        (folder / name).unlink()


def _numbers_in(path: Path) -> dict[str, Tensor]:
    """The tensors of a pickle by their names; nothing in it is executed.

    Raises:
        AddError: if it holds more than numbers, or is no such file.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about unusual pickles
            held = torch.load(
                path, map_location="cpu", weights_only=True, mmap=zipfile.is_zipfile(path)
            )
    except Exception as error:  # whatever error the bytes of an invalid file lead to
        if "GLOBAL" in str(error):
            raise AddError(
                f"{path.name} holds more than numbers: code that would run if it was opened as "
                "usual. Nothing in it was executed, and the model was not added. Save its numbers "
                f'alone: torch.save(model.state_dict(), "{path.name}").'
            ) from None
        raise AddError(
            f"{path.name} is no file of weights, or it is damaged; nothing in it was executed."
        ) from None
    if not (tensors := _weights_in(held)):
        raise AddError(
            f"{path.name} must hold weights by their names, and does not: save them with "
            f'torch.save(model.state_dict(), "{path.name}").'
        )
    return tensors


def _weights_in(held: Any) -> dict[str, Tensor]:
    """The numbers in a dictionary by their names; of what a training saved, only the weights."""
    for _ in range(3):  # one may have wrapped what another had saved
        if not isinstance(held, dict):
            return {}
        inner = (held[name] for name in _WEIGHTS if isinstance(held.get(name), dict))
        held = next(inner, held)
    return {
        name: value
        for name, value in held.items()
        if isinstance(name, str)
        and isinstance(value, Tensor)
        and (value.layout, value.device.type) == (torch.strided, "cpu")
        and value.dtype in _NUMBERS
    }


def _move(made: Path, target: Path) -> None:
    """Move a whole model to its place, from which the one that was there is deleted."""
    if target.is_symlink():
        target.unlink()
    elif target.exists():
        shutil.rmtree(target)
    made.rename(target)
