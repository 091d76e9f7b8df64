"""One call from text to trace, for pages and notebooks alike."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from explorer.config import ModelConfig
from explorer.text import Batch
from explorer.transformer import EncoderTrace, Transformer, TransformerTrace


@dataclass(frozen=True, slots=True, kw_only=True)
class Exploration:
    """Sentences, the model that read them, and everything it computed on the way."""

    batch: Batch
    model: Transformer
    trace: TransformerTrace


def explore(
    sources: Sequence[str],
    targets: Sequence[str],
    *,
    d_model: int = 64,
    n_heads: int = 4,
    n_layers: int = 2,
    seed: int = 0,
    device: str = "cpu",
) -> Exploration:
    """Tokenise the pairs, build a model with seeded weights, and run it.

    >>> seen = explore(["the animal was tired"], ["das Tier war müde"])
    >>> seen.trace.attention("cross", 0).weights.shape  # (batch, heads, target, source)
    torch.Size([1, 4, 5, 4])
    """
    batch = Batch.from_text(sources, targets)
    config = ModelConfig(
        d_model=d_model,
        n_heads=n_heads,
        n_encoder_layers=n_layers,
        n_decoder_layers=n_layers,
        d_ff=4 * d_model,
        src_vocab_size=batch.src_vocab.size,
        tgt_vocab_size=batch.tgt_vocab.size,
    )
    model = Transformer(config, seed=seed, device=device)
    return Exploration(batch=batch, model=model, trace=run(model, batch))


def run(
    model: Transformer,
    batch: Batch,
    *,
    row: int | None = None,
    dropout_seed: int | None = None,
    positions: bool = True,
    encoded: EncoderTrace | None = None,
) -> TransformerTrace:
    """Run the model on a batch, or on one sentence pair of it, padded as in the batch.

    Sentences of a batch do not influence each other, so one row's trace is that row of the
    batch's trace. `dropout_seed` switches dropout on. `encoded` spares the encoder's work, see
    `encode`.
    """
    device = next(model.parameters()).device
    rows = slice(None) if row is None else slice(row, row + 1)
    dropout = None
    if dropout_seed is not None:
        dropout = torch.Generator(device).manual_seed(dropout_seed)
    with torch.inference_mode():
        trace: TransformerTrace = model(
            batch.src[rows].to(device),
            batch.tgt_in[rows].to(device),
            dropout,
            positions=positions,
            encoded=encoded,
        )
    return trace


def encode(model: Transformer, batch: Batch, *, row: int) -> EncoderTrace:
    """The encoder's part of `run`, without dropout: for as long as only the target changes."""
    device = next(model.parameters()).device
    with torch.inference_mode():
        return model.encode(batch.src[row : row + 1].to(device))
