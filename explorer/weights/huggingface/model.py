"""A pretrained model in a folder, in the layout of Hugging Face: config.json and safetensors.

Everything in such a folder may come from anybody: it is checked before it is opened or allocated,
and nothing in it is ever executed.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import torch
from jaxtyping import Float
from safetensors import SafetensorError, safe_open
from torch import Tensor

from explorer.config import ModelConfig
from explorer.languages import tr, tr_n
from explorer.names import LARGEST_WEIGHT
from explorer.transformer import Transformer
from explorer.weights.huggingface.description import Description, describe
from explorer.weights.huggingface.families.family import Family, TensorSource
from explorer.weights.huggingface.files import CONFIG, PretrainedError, weight_files

_SHOWN: Final = 5  # names in a message
_NUMBERS: Final = ("F32", "F16", "BF16", "F64")
_COMPARED: Final = 64  # rows of a table that is computed, too
_ROUNDING: Final = 0.02  # of such a table: a 16-bit sine is off by 0.004
Shape = tuple[int, ...]
Report = Callable[[float], object]  # gets the share that is done, up to 1


def check(folder: Path) -> Description:
    """The content of config.json, once the files hold such a model; no weight is read.

    Raises:
        PretrainedError: if its files are no model that the engine can compute.
    """
    with ExitStack() as opened:
        return _open(folder, opened).described


def read_model(folder: Path, report: Report | None = None) -> tuple[Transformer, Description]:
    """The model in a folder, in single precision; `report` hears how much of it has been read.

    Raises:
        PretrainedError: if its files are no model that the engine can compute.
    """
    with ExitStack() as opened:
        model = _open(folder, opened)
        weights, read, whole = {}, 0, sum(map(math.prod, model.shapes.values()))
        for name in model.wanted:
            weights[name] = model.take(name)
            read += math.prod(model.shapes[name])
            if report is not None:
                report(read / whole)
        engine = Transformer(model.described.config, weights=weights)
        _require_positions(model, engine)
    return engine.requires_grad_(False), model.described


@dataclass(frozen=True, slots=True)
class _Stored:
    """One tensor in an opened file."""

    file: Any
    name: str
    shape: Shape
    kind: str

    def read(self) -> Tensor:
        tensor: Tensor = self.file.get_tensor(self.name)
        return tensor.float()

    def first_rows(self, most: int) -> Tensor:
        """Of a table, which may have one more dimension: for the sentences of a batch."""
        table: Tensor = self.file.get_slice(self.name)[(slice(most),) * (len(self.shape) - 1)]
        return table.float().reshape(-1, self.shape[-1])[:most]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Opened:
    """A model whose files fit its config."""

    described: Description
    wanted: Mapping[str, TensorSource]
    shapes: Mapping[str, Shape]  # of the engine's tensors
    tensors: Mapping[str, _Stored]

    def take(self, name: str) -> Float[Tensor, "..."]:
        """One tensor of the engine, from the files."""
        taken = self.wanted[name]
        if taken.names[0] not in self.tensors:
            return torch.zeros(self.shapes[name])
        parts = [self.tensors[name].read() for name in taken.names]
        whole = parts[0] if len(parts) == 1 else torch.cat(parts)
        if taken.flat:
            whole = whole[0]
        if taken.transposed:
            whole = whole.T
        whole = whole[taken.skip :]
        if taken.plus_first_of is not None:
            whole = whole + self.tensors[taken.plus_first_of].read()[0]
        if not whole.isfinite().all():
            raise PretrainedError(
                tr(
                    "{names} holds numbers that are infinite or none at all (NaN).",
                    names=" + ".join(taken.names),
                )
            )
        if whole.numel() and (largest := float(whole.abs().max())) > LARGEST_WEIGHT:
            raise PretrainedError(
                tr(
                    "{names} must lie between −{most:,.0f} and {most:,.0f}, and its largest number "
                    "is {largest:.2g}.",
                    names=" + ".join(taken.names),
                    most=LARGEST_WEIGHT,
                    largest=largest,
                )
            )
        return whole.contiguous()


def _open(folder: Path, opened: ExitStack) -> _Opened:
    """The opened files of a folder, once every tensor has its place."""
    described = describe(folder)
    tensors = _tensors(folder, opened, described.family)
    if described.family.own_logits in tensors:
        described = replace(described, config=replace(described.config, tying="embeddings"))
    shapes = _shapes(described.config)
    wanted = described.tensors(shapes)
    _require_names(wanted, tensors, described.family)
    _require_shapes(wanted, shapes, tensors)
    return _Opened(described=described, wanted=wanted, shapes=shapes, tensors=tensors)


def _tensors(folder: Path, opened: ExitStack, family: Family) -> dict[str, _Stored]:
    """All tensors of the files, by their names without the family's prefix."""
    tensors: dict[str, _Stored] = {}
    for path in weight_files(folder):
        try:
            file: Any = opened.enter_context(safe_open(path, framework="pt"))
        except (SafetensorError, OSError):
            raise PretrainedError(
                tr("{file} is not a safetensors file, or it is damaged.", file=path.name)
            ) from None
        for name in file.keys():  # noqa: SIM118 (no dict)
            stored = file.get_slice(name)
            short = name.removeprefix(family.prefix)
            # Files of 2018 call the weight and bias of a norm so.
            short = short.replace("LayerNorm.gamma", "LayerNorm.weight")
            short = short.replace("LayerNorm.beta", "LayerNorm.bias")
            if short in tensors:
                raise PretrainedError(tr("The files hold {name} twice.", name=short[:100]))
            shape = tuple(stored.get_shape())
            tensors[short] = _Stored(file, name, shape, str(stored.get_dtype()))
    return tensors


def _shapes(config: ModelConfig) -> dict[str, Shape]:
    """The shape of every tensor of a model, without allocating any."""
    with torch.device("meta"):
        model = Transformer(config, device="meta")
    return {name: tuple(parameter.shape) for name, parameter in model.named_parameters()}


def _require_names(
    wanted: Mapping[str, TensorSource], tensors: Mapping[str, _Stored], family: Family
) -> None:
    """Every tensor must be there, of numbers, and none that has no place."""
    needed = [name for taken in wanted.values() if not taken.or_zeros for name in _read_by(taken)]
    if missing := [name for name in needed if name not in tensors]:
        raise PretrainedError(tr("The files lack {names}.", names=_listed(missing)))
    read = {name for taken in wanted.values() for name in _read_by(taken)}
    surplus = [
        name
        for name, stored in tensors.items()
        if name not in read and stored.kind in _NUMBERS and not name.startswith(family.unused)
    ]
    if surplus:
        raise PretrainedError(
            tr(
                "The files hold {names}, which {model} does not have.",
                names=_listed(surplus),
                model=family.title,
            )
        )
    others = [
        tr("{name} as {kind}", name=name, kind=stored.kind)
        for name, stored in tensors.items()
        if name in read and stored.kind not in _NUMBERS
    ]
    if others:
        raise PretrainedError(
            tr(
                "Numbers must be {kinds}, and the files hold {names}.",
                kinds=", ".join(_NUMBERS),
                names=_listed(others),
            )
        )


def _require_shapes(
    wanted: Mapping[str, TensorSource], shapes: Mapping[str, Shape], tensors: Mapping[str, _Stored]
) -> None:
    """Every tensor of the files must have the shape that config.json says."""
    wrong = []
    for ours, taken in wanted.items():
        expected = {name: _shape_in_files(taken, shapes[ours]) for name in taken.names}
        if (added := taken.plus_first_of) is not None:
            rows = max((1, *tensors[added].shape[:1]))  # as many as it likes
            expected[added] = (rows, *shapes[ours][1:])
        wrong += [
            tr(
                "{name} is {given} and must be {wanted}",
                name=name,
                given=str(tensors[name].shape),
                wanted=str(shape),
            )
            for name, shape in expected.items()
            if name in tensors and tensors[name].shape != shape
        ]
    if wrong:
        raise PretrainedError(
            tr("The shapes do not fit {file}: {names}.", file=CONFIG, names=_listed(wrong))
        )


def _require_positions(model: _Opened, engine: Transformer) -> None:
    """Positions that the files hold must be those that the engine computes."""
    config = model.described.config
    stored = model.tensors.get(model.described.family.positions or "")
    if stored is None:
        return
    shape, same = stored.shape, False
    if len(shape) in (2, 3) and shape[-1] == config.d_model and 0 not in shape:
        table = stored.first_rows(min(_COMPARED, config.max_len))
        computed = engine.src_embedding(torch.zeros(1, len(table), dtype=torch.long)).position
        same = bool(((table - computed).abs() < _ROUNDING).all())
    if not same:
        raise PretrainedError(
            tr(
                "{name} must hold the positions that {file} names, and its numbers are not those "
                "of {positions}.",
                name=stored.name[:160],
                file=CONFIG,
                positions=repr(config.positions),
            )
        )


def _read_by(taken: TensorSource) -> tuple[str, ...]:
    """The names of all tensors of the files that are read for one of the engine's."""
    return taken.names if taken.plus_first_of is None else (*taken.names, taken.plus_first_of)


def _shape_in_files(taken: TensorSource, shape: Shape) -> Shape:
    """The shape of each tensor of the files that together make one of the engine's."""
    if taken.transposed:
        shape = shape[::-1]
    rows, *rest = shape
    if taken.flat:
        return (1, *shape)
    return (rows // len(taken.names) + taken.skip, *rest)


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(name[:160] for name in names[:_SHOWN])
    if (more := len(names) - _SHOWN) <= 0:
        return shown
    return tr_n("{names} and {n:,} more", "{names} and {n:,} more", more, names=shown)
