"""The tensors in a model's files, by the names that its family gives them."""

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor

from explorer.languages import tr
from explorer.weights.huggingface.files import PretrainedError, weight_files

# What torch puts into names where a part of a model is compiled, sharded or computed twice.
_WRAPPED: Final = re.compile(r"(?<![^.])(_orig_mod|_(fsdp|checkpoint)_wrapped_module)\.")
_AT_ONCE: Final = 2**20  # numbers that are compared
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


def opened_tensors(folder: Path, opened: ExitStack) -> dict[str, Stored]:
    """All tensors of the files. A name that `save_model` left out stands for the one it kept."""
    tensors: dict[str, Stored] = {}
    same: dict[str, str] = {}
    for path in weight_files(folder):
        try:
            file: Any = opened.enter_context(safe_open(path, framework="pt"))
        except (SafetensorError, OSError):
            raise PretrainedError(
                tr("{file} is not a safetensors file, or it is damaged.", file=path.name)
            ) from None
        same |= file.metadata() or {}
        for name in file.keys():  # noqa: SIM118 (no dict)
            stored = file.get_slice(name)
            shape = tuple(stored.get_shape())
            _add(tensors, _plain(name), Stored(file, name, shape, str(stored.get_dtype())))
    for name, kept in same.items():
        if _plain(kept) in tensors:
            tensors.setdefault(_plain(name), tensors[_plain(kept)])
    return tensors


def prefix_of(names: Iterable[str], known: Collection[str]) -> str:
    """What stands before the names of the stacks: "bert.", or "module.transformer.", or nothing.

    A class around the stacks has put it there, or a training framework, or both.
    """
    found: Counter[str] = Counter()
    for name in names:
        parts = name.split(".")
        for n in range(len(parts)):
            if ".".join(parts[n:]) in known:
                found[".".join([*parts[:n], ""])] += 1
    return found.most_common(1)[0][0] if found else ""


def without_prefix(name: str, prefix: str) -> str:
    """A name without as much of the prefix as it has: a head's has the framework's part alone."""
    name, parts = _plain(name), prefix.split(".")[:-1]
    for n in range(len(parts), 0, -1):
        start = ".".join([*parts[:n], ""])
        if name.startswith(start):
            return name.removeprefix(start)
    return name


def without_prefixes(tensors: Mapping[str, Stored], prefix: str) -> dict[str, Stored]:
    """The tensors by their names without the prefix."""
    short: dict[str, Stored] = {}
    for name, stored in tensors.items():
        _add(short, without_prefix(name, prefix), stored)
    return short


def _plain(name: str) -> str:
    # Files of 2018 call the weight and bias of a norm so.
    name = name.replace("LayerNorm.gamma", "LayerNorm.weight")
    return _WRAPPED.sub("", name.replace("LayerNorm.beta", "LayerNorm.bias"))


def _add(tensors: dict[str, Stored], name: str, stored: Stored) -> None:
    if name in tensors:
        raise PretrainedError(
            tr(
                "Two tensors of the files, {one} and {other}, have the same place in the model: "
                "leave one out.",
                one=tensors[name].name[:100],
                other=stored.name[:100],
            )
        )
    tensors[name] = stored
