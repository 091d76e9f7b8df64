"""The way through the stack computed by torch.nn, and the pairs and models it is computed for."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from explorer.config import ModelConfig
from explorer.interop import to_torch
from explorer.text import Batch
from explorer.transformer import Transformer
from explorer.vocabulary import VOCAB_SIZE
from tests.app.by_torch import positions

PAIRS = [
    ("the dog has seen the cat", "der Hund hat die Katze gesehen"),
    ("it was tired", "es war müde"),
]
BATCH = Batch.from_text([source for source, _ in PAIRS], [target for _, target in PAIRS])
MODELS: dict[str, dict[str, Any]] = {
    "post-norm": {},
    "pre-norm": {"norm": "pre", "enc": 1, "dec": 2, "d_model": 24, "heads": 3, "seed": 5},
    "deeper": {"enc": 3, "dec": 1, "d_model": 10, "heads": 1, "d_ff": 7},
}


@dataclass(frozen=True)
class Wanted:
    """One stop as torch.nn computes it."""

    title: str
    values: np.ndarray
    before: np.ndarray | None  # what it is compared with


def model_of(settings: dict[str, Any]) -> Transformer:
    """The model that these controls describe."""
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


class ByTorch:
    """The way through the model, computed sub-layer by sub-layer with torch.nn's modules."""

    def __init__(self, settings: dict[str, Any], row: int) -> None:
        self.model = model_of(settings)
        self.twin = to_torch(self.model).eval()
        self.pre = settings.get("norm") == "pre"
        self.way: list[Wanted] = []
        self.normed: dict[int, tuple[np.ndarray, np.ndarray]] = {}  # of a stop: before and after
        self.hidden: dict[int, np.ndarray] = {}  # of a stop: the feed-forward's inside
        src, tgt = BATCH.src[row : row + 1], BATCH.tgt_in[row : row + 1]
        src_pad, tgt_pad = src == BATCH.pad_id, tgt == BATCH.pad_id  # torch: True = ignore
        future = torch.ones(tgt.shape[1], tgt.shape[1]).triu(1).bool()
        with torch.inference_mode():
            x = self.embed("source", self.model.src_embedding.token.weight, src)
            for number, layer in enumerate(self.twin.encoder.layers, start=1):
                part = f"encoder {number}"
                x = self.attend(part, "self-attention", layer.self_attn, layer.norm1, x, None,
                                key_padding_mask=src_pad)  # fmt: skip
                x = self.feed(part, layer, layer.norm2, x)
            memory = self.end("memory: memory", x, self.twin.encoder.norm)
            y = self.embed("target", self.model.tgt_embedding.token.weight, tgt)
            for number, layer in enumerate(self.twin.decoder.layers, start=1):
                part = f"decoder {number}"
                y = self.attend(part, "masked self-attention", layer.self_attn, layer.norm1, y,
                                None, key_padding_mask=tgt_pad, attn_mask=future)  # fmt: skip
                y = self.attend(part, "cross-attention", layer.multihead_attn, layer.norm2, y,
                                memory, key_padding_mask=src_pad)  # fmt: skip
                y = self.feed(part, layer, layer.norm3, y)
            if self.pre:
                y = self.end("output: norm", y, self.twin.decoder.norm)
            logits = nn.functional.linear(y, self.model.to_logits.weight, self.model.to_logits.bias)
            self.add("output: logits", logits, None)
            self.add("output: probabilities", nn.functional.softmax(logits, dim=-1), None)

    def add(self, title: str, values: Tensor, before: Tensor | None) -> None:
        self.way.append(
            Wanted(title, values[0].numpy(), None if before is None else before[0].numpy())
        )

    def embed(self, part: str, table: Tensor, ids: Tensor) -> Tensor:
        d_model = table.shape[1]
        embedded = nn.functional.embedding(ids, table)
        scaled = embedded * math.sqrt(d_model)
        out = scaled + positions(ids.shape[1], d_model)
        self.add(f"{part}: embedding", embedded, None)
        self.add(f"{part}: × √d_model", scaled, embedded)
        self.add(f"{part}: + position", out, scaled)
        return out

    def attend(
        self,
        part: str,
        name: str,
        attention: nn.MultiheadAttention,
        norm: nn.LayerNorm,
        x: Tensor,
        memory: Tensor | None,
        **masks: Tensor,
    ) -> Tensor:
        query = norm(x) if self.pre else x
        key = query if memory is None else memory
        return self.around(part, name, attention(query, key, key, **masks)[0], norm, x)

    def feed(self, part: str, layer: Any, norm: nn.LayerNorm, x: Tensor) -> Tensor:
        hidden = nn.functional.relu(layer.linear1(norm(x) if self.pre else x))
        self.hidden[len(self.way)] = hidden[0].numpy()
        return self.around(part, "feed-forward", layer.linear2(hidden), norm, x)

    def around(self, part: str, name: str, out: Tensor, norm: nn.LayerNorm, x: Tensor) -> Tensor:
        """The sub-layer's output, then what Add & Norm makes of it."""
        if self.pre:
            self.normed[len(self.way)] = x[0].numpy(), norm(x)[0].numpy()
        self.add(f"{part}: {name}", out, x)
        added = x + out
        if not self.pre:
            self.normed[len(self.way)] = added[0].numpy(), norm(added)[0].numpy()
        left = added if self.pre else norm(added)
        self.add(f"{part}: {'add' if self.pre else 'add & norm'}", left, x)
        return left

    def end(self, title: str, x: Tensor, norm: nn.LayerNorm | None) -> Tensor:
        out = x if norm is None else norm(x)
        if norm is not None:
            self.normed[len(self.way)] = x[0].numpy(), out[0].numpy()
        self.add(title, out, x)
        return out
