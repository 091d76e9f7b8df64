"""A whole trace as one file of arrays."""

import io
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
from torch import Tensor

from explorer.text import Batch
from explorer.transformer import TransformerTrace


def trace_arrays(trace: TransformerTrace) -> dict[str, np.ndarray]:
    """Every tensor of a trace by the names of its fields: "encoder.0.attention.weights", …"""
    return dict(_named(trace, ""))


def trace_npz(trace: TransformerTrace, batch: Batch, row: int | None = None) -> bytes:
    """The trace as NPZ, with the ids and tokens that the model read.

    `row` is the pair of the batch that the trace is of; None if it is of the whole batch. The file
    opens with `numpy.load`, and holds no pickled objects.
    """
    rows = slice(None) if row is None else slice(row, row + 1)
    file = io.BytesIO()
    np.savez(
        file,
        allow_pickle=False,
        **trace_arrays(trace),
        src=batch.src[rows].numpy(),
        tgt_in=batch.tgt_in[rows].numpy(),
        src_labels=np.array(batch.src_labels[rows]),
        tgt_in_labels=np.array(batch.tgt_in_labels[rows]),
    )
    return file.getvalue()


def _named(value: Any, name: str) -> Iterator[tuple[str, np.ndarray]]:
    if isinstance(value, Tensor):
        yield name, value.detach().cpu().numpy()
    elif isinstance(value, tuple):
        for number, part in enumerate(value):
            yield from _named(part, f"{name}.{number}")
    elif is_dataclass(value):
        for field in fields(value):
            before = f"{name}." if name else ""
            yield from _named(getattr(value, field.name), f"{before}{field.name}")
