"""A pretrained model in a folder, in the layout of Hugging Face: config.json and safetensors.

Everything in such a folder may come from anybody: it is checked before it is opened or allocated,
and nothing in it is ever executed.
"""

import json
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import torch
from jaxtyping import Float
from safetensors import SafetensorError, safe_open
from torch import Tensor

from explorer.config import ModelConfig
from explorer.transformer import Transformer
from explorer.weights.huggingface.families import FAMILIES, Family, Taken

CONFIG: Final = "config.json"
WEIGHTS: Final = "model.safetensors"
INDEX: Final = "model.safetensors.index.json"
_LARGEST_JSON: Final = 8 * 2**20  # bytes
_LARGEST_SIZE: Final = 2**24  # of any dimension
_SHOWN: Final = 5  # names in a message
_NUMBERS: Final = ("F32", "F16", "BF16", "F64")
Shape = tuple[int, ...]


class PretrainedError(ValueError):
    """A folder without a usable model; the message says what is wrong and what is supported."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Description:
    """What config.json says about a model."""

    family: Family
    config: ModelConfig
    said: Mapping[str, Any]


def describe(folder: Path) -> Description:
    """Read config.json; no weight is touched.

    Raises:
        PretrainedError: if it describes no model that the engine can compute.
    """
    said = _json(folder, CONFIG)
    kind = said.get("model_type")
    if not isinstance(kind, str) or kind not in FAMILIES:
        known = ", ".join(FAMILIES)
        given = "none" if kind is None else repr(kind)[:60]
        raise PretrainedError(f"model_type in {CONFIG} must be one of {known}; it is {given}.")
    for name, value in said.items():
        if isinstance(value, int) and abs(value) > _LARGEST_SIZE and not name.endswith("_id"):
            raise PretrainedError(f"{name} in {CONFIG} is {value:,}: that cannot be right.")
    try:
        config = FAMILIES[kind].config(said)
    except KeyError as missing:
        raise PretrainedError(f"{CONFIG} must give {missing.args[0]}, and does not.") from None
    except (TypeError, ValueError, OverflowError) as error:
        raise PretrainedError(f"{CONFIG} cannot be used: {str(error)[:300]}.") from None
    return Description(family=FAMILIES[kind], config=config, said=said)


def read_model(folder: Path) -> tuple[Transformer, Description]:
    """The model in a folder, in single precision.

    Raises:
        PretrainedError: if its files are no model that the engine can compute.
    """
    described = describe(folder)
    with ExitStack() as opened:
        found = _tensors(folder, opened, described.family)
        if described.family.own_logits in found:
            described = replace(described, config=replace(described.config, tying="embeddings"))
        config = described.config
        wanted = dict(described.family.tensors(config))
        expected = _shapes(config)
        _require_all(wanted, expected, found, described.family)
        weights = {name: _take(taken, expected[name], found) for name, taken in wanted.items()}
    model = Transformer(config, weights=weights)
    return model.requires_grad_(False), described


@dataclass(frozen=True, slots=True)
class _Stored:
    """One tensor in an opened file."""

    file: Any
    name: str
    shape: Shape

    def read(self) -> Tensor:
        tensor: Tensor = self.file.get_tensor(self.name)
        return tensor.float()


def _tensors(folder: Path, opened: ExitStack, family: Family) -> dict[str, _Stored]:
    """All tensors of the files, by their names without the family's prefix."""
    found: dict[str, _Stored] = {}
    for path in _files(folder):
        try:
            file: Any = opened.enter_context(safe_open(path, framework="pt"))
        except (SafetensorError, OSError):
            raise PretrainedError(
                f"{path.name} is not a safetensors file, or it is damaged."
            ) from None
        for name in file.keys():  # noqa: SIM118 (no dict)
            stored = file.get_slice(name)
            short = name.removeprefix(family.prefix)
            # Files of 2018 call the weight and bias of a norm so.
            short = short.replace("LayerNorm.gamma", "LayerNorm.weight")
            short = short.replace("LayerNorm.beta", "LayerNorm.bias")
            if stored.get_dtype() in _NUMBERS:
                found[short] = _Stored(file, name, tuple(stored.get_shape()))
    return found


def _files(folder: Path) -> list[Path]:
    """The safetensors files of a model: one, or the shards that an index names."""
    if (folder / WEIGHTS).is_file():
        return [folder / WEIGHTS]
    if not (folder / INDEX).is_file():
        raise PretrainedError(
            f"The folder must hold {WEIGHTS}, or {INDEX} with its shards. Other formats are "
            "converted by: python -m explorer.weights add FOLDER"
        )
    named = _json(folder, INDEX).get("weight_map")
    if not isinstance(named, dict):
        raise PretrainedError(f"{INDEX} must have a weight_map.")
    files = []
    for name in dict.fromkeys(named.values()):
        inside = isinstance(name, str) and Path(name).name == name
        if not inside or not name.endswith(".safetensors"):
            raise PretrainedError(
                f"A shard must be a safetensors file beside {INDEX}, and it names "
                f"{str(name)[:60]!r}."
            )
        if not (folder / name).is_file():
            raise PretrainedError(f"{INDEX} names {name[:60]}, and there is no such file.")
        files.append(folder / name)
    return files


def _shapes(config: ModelConfig) -> dict[str, Shape]:
    """The shape of every tensor of a model, without allocating any."""
    with torch.device("meta"):
        model = Transformer(config, device="meta")
    return {name: tuple(parameter.shape) for name, parameter in model.named_parameters()}


def _require_all(
    wanted: Mapping[str, Taken],
    expected: Mapping[str, Shape],
    found: Mapping[str, _Stored],
    family: Family,
) -> None:
    """Every tensor must be there, of the right shape, and none that has no place."""
    read = {name for taken in wanted.values() for name in taken.names}
    read |= {taken.plus_first_of for taken in wanted.values() if taken.plus_first_of}
    missing = [
        name
        for taken in wanted.values()
        for name in taken.names
        if name not in found and not taken.or_zeros
    ]
    if missing:
        raise PretrainedError(f"The files lack {_listed(missing)}.")
    surplus = [name for name in found if name not in read and not name.startswith(family.unused)]
    if surplus:
        raise PretrainedError(
            f"The files hold {_listed(surplus)}, which {family.title} does not have."
        )
    wrong = [
        f"{' + '.join(taken.names)}: {_shape_in_files(taken, found)}, not {expected[name]}"
        for name, taken in wanted.items()
        if taken.names[0] in found and _shape_in_files(taken, found) != expected[name]
    ]
    if wrong:
        raise PretrainedError(f"The shapes do not fit {CONFIG}: {_listed(wrong)}.")


def _shape_in_files(taken: Taken, found: Mapping[str, _Stored]) -> Shape:
    """The shape that the engine's tensor would have."""
    shapes = [found[name].shape for name in taken.names]
    first, *rest = shapes[0]
    if any(list(other[1:]) != rest for other in shapes):
        return shapes[0]
    if taken.flat:
        return tuple(rest)
    whole = (sum(shape[0] for shape in shapes) - taken.skip, *rest)
    del first
    return whole[::-1] if taken.transposed else whole


def _take(taken: Taken, shape: Shape, found: Mapping[str, _Stored]) -> Float[Tensor, "..."]:
    """One tensor of the engine, from the files."""
    if taken.names[0] not in found:
        return torch.zeros(shape)
    parts = [found[name].read() for name in taken.names]
    whole = parts[0] if len(parts) == 1 else torch.cat(parts)
    if taken.flat:
        whole = whole[0]
    if taken.transposed:
        whole = whole.T
    whole = whole[taken.skip :]
    if taken.plus_first_of in found:
        whole = whole + found[taken.plus_first_of].read()[0]
    return whole.contiguous()


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(name[:100] for name in names[:_SHOWN])
    more = len(names) - _SHOWN
    return shown + (f" and {more:,} more" if more > 0 else "")


def _json(folder: Path, name: str) -> dict[str, Any]:
    path = folder / name
    try:
        if path.stat().st_size > _LARGEST_JSON:
            raise PretrainedError(f"{name} is larger than any that describes a model.")
        content = json.loads(path.read_bytes())
    except OSError:
        raise PretrainedError(f"The folder must hold {name}, and it does not.") from None
    except (ValueError, RecursionError):
        raise PretrainedError(f"{name} is not JSON.") from None
    if not isinstance(content, dict):
        raise PretrainedError(f"{name} must hold settings by their names.")
    return content
