"""Families of pretrained models: all that there is to know of one stands in one file.

A tensor of the engine is one tensor of the files, or several stacked.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, Literal

from tokenizers import Tokenizer

from explorer.config import Activation, ModelConfig, Tying, require_one_of
from explorer.weights.huggingface.files import CONFIG, PretrainedError, short

LARGEST_SIZE: Final = 2**24  # of any dimension
HfConfig = Mapping[str, Any]  # the content of config.json


_ACTIVATIONS: Final[dict[str, Activation]] = {
    "relu": "relu",
    "gelu": "gelu",
    "gelu_new": "gelu_tanh",
    "gelu_pytorch_tanh": "gelu_tanh",
    "silu": "silu",
    "swish": "silu",
}


def activation_of(name: str) -> Activation:
    require_one_of("the activation", name, _ACTIVATIONS)
    return _ACTIVATIONS[name]


class Settings:
    """The content of config.json, of which each setting is checked where it is read.

    One that is null counts as left out; it is refused where there is no usual value.
    """

    def __init__(self, given: HfConfig) -> None:
        self.given = {name: value for name, value in given.items() if value is not None}

    def size(self, name: str, usual: int | None = None) -> int:
        kind = f"a whole number from 1 to {LARGEST_SIZE:,}"
        return int(self._read(name, usual, kind, lambda n: _is_whole(n) and n > 0))

    def id(self, name: str, usual: int | None = None) -> int:
        return int(self._read(name, usual, "the id of a token", _is_whole))

    def ids(self, name: str) -> list[int]:
        """One id, or a list of some."""
        found = self._read(
            name,
            None,
            "the id of a token, or a list of some",
            lambda given: given != [] and all(map(_is_whole, _listed(given))),
        )
        return _listed(found)

    def flag(self, name: str, usual: bool) -> bool:
        return bool(self._read(name, usual, "true or false", lambda it: isinstance(it, bool)))

    def epsilon(self, name: str, usual: float) -> float:
        kind = "a number above 0 and below 1"
        return float(
            self._read(name, usual, kind, lambda it: type(it) in (int, float) and 0 < it < 1)
        )

    def name(self, name: str, usual: str | None = None) -> str:
        return str(self._read(name, usual, "a name", lambda it: isinstance(it, str)))

    def names(self, name: str) -> list[str]:
        found: list[str] = self._read(
            name,
            [],
            "a list of names",
            lambda given: isinstance(given, list) and all(isinstance(it, str) for it in given),
        )
        return found

    def same(self, *names: str) -> int:
        """A size that the engine has once, and the file once for each stack."""
        sizes = [self.size(name) for name in names]
        if len({*sizes}) > 1:
            raise ValueError(
                f"{' and '.join(names)} must be equal, got {', '.join(map(str, sizes))}"
            )
        return sizes[0]

    def require(self, name: str, wanted: Any) -> None:
        """Refuse every value but the usual one, which may be left out."""
        if (given := self.given.get(name, wanted)) != wanted:
            raise ValueError(f"{name} must be {wanted}, got {given!r}")

    def _read(self, name: str, usual: Any, kind: str, fits: Callable[[Any], bool]) -> Any:
        if name not in self.given and usual is None:
            raise PretrainedError(f"{CONFIG} must give {name}, and does not.")
        value = self.given.get(name, usual)
        if not fits(value):
            raise PretrainedError(f"{name} in {CONFIG} must be {kind}; it is {short(value)}.")
        return value


def _is_whole(value: Any) -> bool:
    return type(value) is int and 0 <= value <= LARGEST_SIZE


def _listed(given: Any) -> list[Any]:
    return given if isinstance(given, list) else [given]


@dataclass(frozen=True, slots=True)
class TensorSource:
    """The place of an engine's tensor in a model's files."""

    names: tuple[str, ...]  # several are stacked; without the prefix of a class around the stacks
    transposed: bool = False  # GPT-2 keeps its matrices as [in, out]
    skip: int = 0  # rows at the beginning that the model never reads
    plus_first_of: str | None = None  # the first row of this table is added to every row
    flat: bool = False  # [1, n] in the file
    or_zeros: bool = False  # zeros if the files lack it


# By the engine's names: those of the files, separated by spaces if they are several. # stands for
# the number of a layer, and a name without ".weight" or ".bias" for both.
Names = Mapping[str, str | TensorSource]
_LAYER: Final = re.compile(r"\.(\d+)\.")


def no_files(folder: Path, config: HfConfig) -> None:
    """There are no older files that are known here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """The facts that all models of a `model_type` share."""

    title: str
    config: Callable[[Settings], ModelConfig]
    names: Callable[[ModelConfig], Names]
    # Names of the same tensor, by what is tied. Files may hold it under any of them, and without
    # the first, `transformers` ties all to the next that is there: so their order is that of
    # `_tied_weights_keys`.
    tied: Mapping[Tying, tuple[tuple[str, ...], ...]] = field(default_factory=dict)
    unused: str = "(?!)"  # a pattern of names that say nothing about the numbers
    # Tensors that "names" in config.json may rename, and their keys there.
    words: Mapping[str, str] = field(default_factory=dict)
    # A pattern of the tables of positions that the engine computes, and some files hold, too.
    positions: str = "(?!)"
    # Endings of the classes without a decoder, if the family has one otherwise.
    encoder_alone: tuple[str, ...] = ()
    stacks: Literal["both", "encoder", "decoder"] = "both"
    begins: Literal["pad", "bos", "eos"] = "pad"  # a decoder, where no file says with what
    # What stands before a typed target: what the tokenizer puts before a text, its language, or
    # nothing.
    before_target: Literal["frame", "language", "nothing"] = "frame"
    # The tokenizers of sources and targets in the family's older files, where they are all there.
    old_files: Callable[[Path, HfConfig], tuple[Tokenizer, Tokenizer] | None] = no_files


def sources(names: Names, tensors: Iterable[str]) -> dict[str, TensorSource]:
    """The source of each of the engine's tensors, by a family's names."""
    by_tensor = {}
    for ours in tensors:
        layer, key = _LAYER.search(ours), _LAYER.sub(".#.", ours)
        part, _, end = key.rpartition(".")
        source = names[key] if key in names else names[part]
        if isinstance(source, str):
            source = TensorSource(tuple(source.split()))
        theirs = source.names if key in names else [f"{name}.{end}" for name in source.names]
        if layer is not None:
            theirs = [name.replace("#", layer[1]) for name in theirs]
        transposed = source.transposed and end == "weight"
        by_tensor[ours] = replace(source, names=tuple(theirs), transposed=transposed)
    return by_tensor
