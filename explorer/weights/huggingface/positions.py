"""Tables of positions in a model's files."""

import math
import re
from collections.abc import Collection
from dataclasses import replace
from typing import Final

from torch import Tensor

from explorer.config import ModelConfig, Positions
from explorer.positional import in_halves, sinusoidal
from explorer.weights.huggingface.description import Description
from explorer.weights.huggingface.files import PretrainedError
from explorer.weights.huggingface.fit import require_no_wrong
from explorer.weights.huggingface.tensors import Stored, Tensors, checked

_ROUNDING: Final = 0.001  # of 5,000 waves in single precision
_SIDES: Final = {  # by the words in their tables' names, where there is one for each side
    "src_embedding.position.weight": {"enc", "encoder", "src", "source"},
    "tgt_embedding.position.weight": {"dec", "decoder", "tgt", "trg", "target"},
}


def tables(
    described: Description, tensors: Tensors, known: Collection[str]
) -> tuple[dict[str, Tensor], ModelConfig]:
    """Take the tables of positions from the tensors; their sides, and the config that fits them.

    A model computes with the table in its files, even where config.json promises the waves. So does
    the engine, unless both are the same up to rounding in single precision.
    """
    config, pattern = described.config, re.compile(described.family.positions)
    names = [name for name in tensors if name not in known and pattern.fullmatch(name)]
    if config.positions not in ("sinusoidal", "halves") or not names:
        return {}, config
    found = {name: tensors.pop(name) for name in names}
    rows = min(config.max_len, *(_rows(one, config.d_model) for one in found.values()))
    read = {name: stored.first_rows(rows) for name, stored in found.items()}
    sinusoids = sinusoidal(rows, config.d_model)
    waves: dict[Positions, Tensor] = {"sinusoidal": sinusoids, "halves": in_halves(sinusoids)}
    for kind in sorted(waves, key=lambda kind: kind != config.positions):
        if all(((table - waves[kind]).abs() < _ROUNDING).all() for table in read.values()):
            return {}, replace(config, positions=kind)
    sides = {
        ours: [name for name in names if not words.isdisjoint(re.split(r"[._]", name))]
        for ours, words in _SIDES.items()
    }
    if described.family.words and len(names) == 1:  # it serves both, whatever its name is
        sides = dict.fromkeys(_SIDES, names)
    if max(map(len, sides.values())) > 1 or set(names).difference(*sides.values()):
        raise PretrainedError(
            "A model adds one table of positions to each side, and the files hold "
            f"{', '.join(name[:100] for name in names)}: leave the others out."
        )
    given = {
        ours: checked(read[its[0]], found[its[0]].name) if its else waves[config.positions]
        for ours, its in sides.items()
    }
    return given, replace(config, positions="learned", max_len=rows)


def _rows(stored: Stored, d_model: int) -> int:
    """The rows of a table of positions, which may have one more dimension of 1."""
    *rows, width = stored.shape or (0,)
    n = math.prod(rows)
    if not 1 <= len(rows) <= 2 or max(rows) != n or not n or width != d_model:
        require_no_wrong({stored.name: f"(…, {d_model})"}, {stored.name: stored})
    return n
