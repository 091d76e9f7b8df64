"""The tensors in a model's files, by the names that its family gives them."""

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor

from explorer.names import LARGEST_WEIGHT
from explorer.weights.huggingface.files import PretrainedError, weight_files

# What torch puts into names where a part of a model is compiled, sharded or computed twice.
_WRAPPED: Final = re.compile(r"(?<![^.])(_orig_mod|_(fsdp|checkpoint)_wrapped_module)\.")
_AT_ONCE: Final = 2**20  # numbers that are compared
_LONGEST: Final = 500  # characters of a name
# What classes of `transformers` put before the names of their stacks.
_OWN: Final = ("", "model.", "bert.", "roberta.", "distilbert.", "transformer.")
Shape = tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Stored:
    """One tensor in an opened file."""

    file: Any
    name: str
    shape: Shape
    kind: str

    def read(self) -> Tensor:
        tensor: Tensor = self.file.get_tensor(self.name)
        return tensor.float()

    def rows(self, first: int, last: int) -> Tensor:
        rows: Tensor = self.file.get_slice(self.name)[first:last]
        return rows.float()

    def first_rows(self, most: int) -> Tensor:
        """Of a table, which may have one more dimension: for the sentences of a batch."""
        table: Tensor = self.file.get_slice(self.name)[(slice(most),) * (len(self.shape) - 1)]
        return table.float().reshape(-1, self.shape[-1])[:most]

    def same_as(self, other: "Stored") -> bool:
        """Whether both hold the same numbers; a large matrix is read in parts."""
        if self is other:
            return True
        if self.shape != other.shape or not self.shape:
            return False
        step = max(1, _AT_ONCE // max(1, math.prod(self.shape[1:])))
        return all(
            torch.equal(self.rows(n, n + step), other.rows(n, n + step))
            for n in range(0, self.shape[0], step)
        )


Tensors = dict[str, Stored]


def checked(whole: Tensor, names: str) -> Tensor:
    """The same tensor, if a model can compute with it."""
    if not whole.isfinite().all():
        raise PretrainedError(f"{names} holds numbers that are infinite or none at all (NaN).")
    if whole.numel() and (largest := float(whole.abs().max())) > LARGEST_WEIGHT:
        raise PretrainedError(
            f"{names} must lie between −{LARGEST_WEIGHT:,.0f} and {LARGEST_WEIGHT:,.0f}, and its "
            f"largest number is {largest:.2g}."
        )
    return whole


def opened_tensors(folder: Path, opened: ExitStack) -> Tensors:
    """All tensors of the files. A name that `save_model` left out stands for the one it kept."""
    tensors: Tensors = {}
    same: dict[str, str] = {}
    for path in weight_files(folder):
        try:
            file: Any = opened.enter_context(safe_open(path, framework="pt"))
        except (SafetensorError, OSError):
            raise PretrainedError(
                f"{path.name} is not a safetensors file, or it is damaged."
            ) from None
        same |= file.metadata() or {}
        for name in file.keys():  # noqa: SIM118 (no dict)
            _require_short(name)
            stored = file.get_slice(name)
            shape = tuple(stored.get_shape())
            _add(tensors, plain(name), Stored(file, name, shape, str(stored.get_dtype())))
    for name, kept in same.items():
        _require_short(name)
        if plain(kept) in tensors:
            tensors.setdefault(plain(name), tensors[plain(kept)])
    return tensors


def prefix_of(names: Iterable[str], known: Collection[str]) -> str:
    """What stands before the names of the stacks: "bert.", or "module.transformer.", or nothing.

    A class around the stacks has put it there, or a training framework, or both.
    """
    found: dict[str, set[str]] = {}
    for name in names:
        parts = name.split(".")
        for n in range(len(parts)):
            if (short := ".".join(parts[n:])) in known:
                found.setdefault(".".join([*parts[:n], ""]), set()).add(short)
    most = max(found.values(), key=len, default=set())
    whole = [prefix for prefix, held in found.items() if 2 * len(held & most) > len(most)]
    whole = [prefix for prefix in whole if prefix in _OWN] or whole or [""]
    if len(whole) > 1 and "" not in whole:
        raise PretrainedError(
            f"The files hold two models, under {whole[0]} and {whole[1]}: leave one out."
        )
    return max(whole, key=len)  # bare names, too, have the same places then


def without_prefix(name: str, prefix: str) -> str:
    """A name without as much of the prefix as it has: a head's has the framework's part alone."""
    name, parts = plain(name), prefix.split(".")[:-1]
    for n in range(len(parts), 0, -1):
        start = ".".join([*parts[:n], ""])
        if name.startswith(start):
            return name.removeprefix(start)
    return name


def without_prefixes(tensors: Tensors, prefix: str, known: Collection[str]) -> Tensors:
    """The tensors by their names without the prefix, which tells apart two that are not known."""
    short: Tensors = {}
    names = Counter(without_prefix(name, prefix) for name in tensors)
    for name, stored in tensors.items():
        own = without_prefix(name, prefix)
        _add(short, own if own in known or names[own] == 1 else name, stored)
    return short


def _require_short(name: str) -> None:
    if len(name) > _LONGEST:
        raise PretrainedError(
            f"The name of a tensor must have at most {_LONGEST} characters, and {name[:60]}… has "
            f"{len(name):,}."
        )


def plain(name: str) -> str:
    """A name as `transformers` writes it today, of a model that is not wrapped."""
    # Files of 2018 call the weight and bias of a norm so.
    name = name.replace("LayerNorm.gamma", "LayerNorm.weight")
    return _WRAPPED.sub("", name.replace("LayerNorm.beta", "LayerNorm.bias"))


def _add(tensors: Tensors, name: str, stored: Stored) -> None:
    if name in tensors:
        raise PretrainedError(
            f"Two tensors of the files, {tensors[name].name[:100]} and {stored.name[:100]}, have "
            "the same place in the model: leave one out."
        )
    tensors[name] = stored
