"""A pretrained model in a folder, in the layout of Hugging Face: config.json and safetensors.

Everything in such a folder may come from anybody: it is checked before it is opened or allocated,
and nothing in it is ever executed.
"""

import math
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from explorer.config import ModelConfig, Tying
from explorer.transformer import Transformer
from explorer.weights.huggingface.description import Description, describe
from explorer.weights.huggingface.families.family import TensorSource
from explorer.weights.huggingface.fit import read_by, require_names, require_shapes
from explorer.weights.huggingface.positions import tables
from explorer.weights.huggingface.tensors import (
    Shape,
    Tensors,
    checked,
    opened_tensors,
    prefix_of,
    without_prefix,
    without_prefixes,
)

_SRC, _TGT, _LOGITS = "src_embedding.token.weight", "tgt_embedding.token.weight", "to_logits.weight"
Report = Callable[[float], object]  # gets the share that is done, up to 1


def check(folder: Path) -> Description:
    """The content of config.json, once the files hold such a model.

    No weight is read, except where it may be the same as another one, or as computed positions.

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
        for name in model.shapes:
            weights[name] = model.take(name)
            read += math.prod(model.shapes[name])
            if report is not None:
                report(read / whole)
        engine = Transformer(model.described.config, weights=weights)
    return engine.requires_grad_(False), model.described


@dataclass(frozen=True, slots=True, kw_only=True)
class _Opened:
    """A model whose files fit its config."""

    described: Description
    wanted: Mapping[str, TensorSource]
    shapes: Mapping[str, Shape]  # of the engine's tensors
    tensors: Tensors
    tables: Mapping[str, Tensor]  # of positions that the engine does not compute as the files do

    def take(self, name: str) -> Float[Tensor, "..."]:
        """One tensor of the engine, from the files."""
        if name in self.tables:
            return self.tables[name]
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
        names = " + ".join(self.tensors[name].name for name in taken.names)
        return checked(whole, names).contiguous()


def _open(folder: Path, opened: ExitStack) -> _Opened:
    """The opened files of a folder, once every tensor has its place."""
    described = describe(folder)
    found, shapes = opened_tensors(folder, opened), _shapes(described.config)
    usual = described.tensors(shapes)
    known = {name for taken in usual.values() for name in read_by(taken)}
    prefix = prefix_of(found, known)
    described = _without_prefix(described, prefix)
    usual = described.tensors(shapes)
    known = {name for taken in usual.values() for name in read_by(taken)}
    known.update(*described.ties)
    tensors = without_prefixes(found, prefix, known)
    _add_tied(described, tensors)
    config = _as_in_files(described, tensors)
    given, config = tables(replace(described, config=config), tensors, known)
    if config != described.config:  # nothing is built twice without need
        described, shapes = replace(described, config=config), _shapes(config)
    wanted = described.tensors(name for name in shapes if name not in given)
    left_out = require_names(described, wanted, tensors, prefix)
    require_shapes(wanted, shapes, tensors)
    return _Opened(
        described=replace(described, left_out=left_out),
        wanted=wanted,
        shapes=shapes,
        tensors=tensors,
        tables=given,
    )


def _without_prefix(described: Description, prefix: str) -> Description:
    """The same; the prefix may stand before names of a reader's own in config.json, too."""
    names = described.hf_config.get("names") if described.family.words else None
    if not names:
        return described
    names = {word: without_prefix(name, prefix) for word, name in names.items()}
    return replace(described, hf_config={**described.hf_config, "names": names})


def _shapes(config: ModelConfig) -> dict[str, Shape]:
    """The shape of every tensor of a model, without allocating any."""
    with torch.device("meta"):
        model = Transformer(config, device="meta")
    return {name: tuple(parameter.shape) for name, parameter in model.named_parameters()}


def _add_tied(described: Description, tensors: Tensors) -> None:
    """Give a tied tensor all of its names."""
    for names in described.ties:
        held = [tensors[name] for name in names if name in tensors]
        for name in names if held else ():
            tensors.setdefault(name, held[0])


def _as_in_files(described: Description, tensors: Tensors) -> ModelConfig:
    """The config, without the stack and the head that the files lack, and tied as they are."""
    config, classes = described.config, described.hf_config.get("architectures") or ()
    alone: dict[str, Any] = {"output": "nothing", "tying": "nothing"}
    endings = described.family.encoder_alone
    if endings and all(name.endswith(endings) for name in classes):
        start = described.start_of("decoder")
        if not any(name.startswith(start) for name in tensors):
            return replace(config, n_decoder_layers=0, **alone)
    if config.output == "masked" and not classes:  # a class that is named has its head
        dense = described.tensors(("masked_head.dense.weight",))["masked_head.dense.weight"]
        if dense.names[0] not in tensors:
            return replace(config, **alone)
    if config.tying == "nothing":
        return config
    return replace(config, tying=_tying(described, tensors))


def _tying(described: Description, tensors: Tensors) -> Tying:
    """Which of the matrices that config.json ties are the same one in the files.

    Where two of them differ, `transformers` takes each for what it is, too.
    """
    config = described.config
    has = {_SRC: config.has_encoder, _TGT: config.has_decoder, _LOGITS: config.n_logits}
    named = described.tensors(name for name in has if has[name])
    matrices = [tensors.get(source.names[0]) for source in named.values()]
    held = [matrix for matrix in matrices if matrix is not None]
    if len(held) < len(matrices):
        return config.tying
    same = [one.same_as(other) for one, other in pairwise(held)]
    if config.tying == "logits":
        return "logits" if same[-1] else "nothing"
    both: dict[tuple[bool, ...], Tying] = {
        (True, True): "all", (True, False): "embeddings", (False, True): "logits",
    }  # fmt: skip
    return both.get(tuple(same), "nothing")
