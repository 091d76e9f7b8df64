"""The untrained model that a page's controls describe, built and run without the page."""

from typing import Any, Final

import numpy as np

from explorer.analysis.stops import Stop, stops
from explorer.config import ModelConfig
from explorer.forward import forward
from explorer.names import AttentionKind
from explorer.text import Batch
from explorer.transformer import Transformer
from explorer.vocabulary import VOCAB_SIZE

PAIRS: Final = [
    ("the dog has seen the cat", "der Hund hat die Katze gesehen"),
    ("it was tired", "es war müde"),
]
MODELS: Final[dict[str, dict[str, Any]]] = {
    "usual": {},
    "odd": {"d_model": 61, "heads": 1, "seed": 7},
    "pre-norm": {"d_model": 24, "heads": 3, "enc": 1, "dec": 3, "d_ff": 10, "norm": "pre"},
}
BATCH: Final = Batch.from_text([source for source, _ in PAIRS], [target for _, target in PAIRS])


def model_of(settings: dict[str, Any]) -> Transformer:
    """The model, from the names that the controls have in an address."""
    d_model = settings.get("d_model", 64)
    config = ModelConfig(
        d_model=d_model,
        n_heads=settings.get("heads", 4),
        n_encoder_layers=settings.get("enc", 2),
        n_decoder_layers=settings.get("dec", 2),
        d_ff=settings.get("d_ff", 4 * d_model),
        norm_first=settings.get("norm") == "pre",
        src_vocab_size=VOCAB_SIZE,
        tgt_vocab_size=VOCAB_SIZE,
    )
    return Transformer(config, seed=settings.get("seed", 0))


def weights_of(
    settings: dict[str, Any], row: int, kind: AttentionKind, layer: int, batch: Batch = BATCH
) -> np.ndarray:
    """The weights (heads, query, key) of one pair, padded as in its batch; layers from 0."""
    trace = forward(model_of(settings), batch, row=row)
    weights: np.ndarray = trace.attention(kind, layer).weights[0].numpy()
    return weights


def stops_of(settings: dict[str, Any], row: int) -> list[Stop]:
    """The stops of one of `PAIRS`, padded as in its batch."""
    model = model_of(settings)
    return stops(model, forward(model, BATCH, row=row))
