"""One pass of a model over what was read, without gradients, and with its numbers checked."""

from typing import Final, TypeVar

import torch
from torch import Tensor

from explorer.text import Batch, Sentences
from explorer.transformer import EncoderTrace, Transformer, TransformerTrace

LARGEST_NUMBER: Final = 1e15  # in a trace
T = TypeVar("T")


def forward(
    model: Transformer,
    batch: Batch,
    *,
    row: int | None = None,
    dropout_seed: int | None = None,
    encoded: EncoderTrace | None = None,
) -> TransformerTrace:
    """Run the model on a batch, or on one sentence pair of it, padded as in the batch.

    The sentences of a batch do not influence each other, so the trace of one row equals that row of
    the batch's trace. `dropout_seed` switches dropout on. `encoded`, from `encode`, saves running
    the encoder.
    """
    device = model.device
    rows = slice(None) if row is None else slice(row, row + 1)
    src, tgt = batch.sources[rows].to(device), batch.targets_in[rows].to(device)
    dropout = None
    if dropout_seed is not None:
        dropout = torch.Generator(device).manual_seed(dropout_seed)
    config = model.config
    with torch.inference_mode():
        trace: TransformerTrace = model(
            src.ids if config.has_encoder else None,
            tgt.ids if config.has_decoder else None,
            dropout,
            src_words=src.words if config.has_encoder else None,
            tgt_words=tgt.words if config.has_decoder else None,
            encoded=encoded,
        )
    outs = [layer.out for layer in trace.encoder] + [layer.out for layer in trace.decoder]
    return _checked(trace, trace.memory, trace.decoder_out, trace.logits, *outs)


def encode(model: Transformer, source: Sentences) -> EncoderTrace:
    """The encoder's part of `forward`, without dropout, for when only the target changes."""
    read = source.to(model.device)
    with torch.inference_mode():
        trace = model.encode(read.ids, words=read.words)
    return _checked(trace, trace.memory, *(layer.out for layer in trace.layers))


def _checked(trace: T, *parts: Tensor) -> T:
    """The trace, if its numbers can be drawn: the squares of larger ones overflow in a norm.

    Raises:
        FloatingPointError: if a number is too large, or none at all.
    """
    for part in parts:
        largest = float(part.abs().max()) if part.numel() else 0.0
        if not largest < LARGEST_NUMBER:  # nor is NaN
            raise FloatingPointError(f"numbers must stay below {LARGEST_NUMBER:g}, got {largest:g}")
    return trace
