"""Families of pretrained models: their configs and tensors, translated for the engine.

A tensor of the engine is one tensor of the files, or several stacked.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from explorer.config import Activation, ModelConfig, Tying

HfConfig = Mapping[str, Any]  # the content of config.json


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


@dataclass(frozen=True, slots=True)
class Family:
    """The facts that all models of a `model_type` share."""

    title: str
    config: Callable[[HfConfig], ModelConfig]
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


class UnknownVariantError(ValueError):
    """A setting of config.json that the engine does not know."""


_ACTIVATIONS: Final[dict[str, Activation]] = {
    "relu": "relu",
    "gelu": "gelu",
    "gelu_new": "gelu_tanh",
    "gelu_pytorch_tanh": "gelu_tanh",
    "silu": "silu",
    "swish": "silu",
}


def activation_of(name: str) -> Activation:
    if name not in _ACTIVATIONS:
        raise UnknownVariantError(
            f"the activation must be one of {', '.join(_ACTIVATIONS)}, got {name!r}"
        )
    return _ACTIVATIONS[name]


def require(hf_config: HfConfig, name: str, wanted: Any) -> None:
    """Refuse every value but the usual one, which may be left out."""
    if (given := hf_config.get(name, wanted)) != wanted:
        raise UnknownVariantError(f"{name} must be {wanted}, got {given!r}")


def same(hf_config: HfConfig, *names: str) -> int:
    """A size that the engine has once, and the file once for each stack."""
    sizes = {int(hf_config[name]) for name in names}
    if len(sizes) > 1:
        raise UnknownVariantError(
            f"{' and '.join(names)} must be equal, got "
            f"{', '.join(str(hf_config[name]) for name in names)}"
        )
    return sizes.pop()


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
