"""Attention weights computed by torch.nn from the same parameters, sub-layer by sub-layer."""

import math

import numpy as np
import torch
from torch import Tensor, nn

from explorer.config import ModelConfig
from explorer.interop import to_torch
from explorer.names import AttentionKind
from explorer.text import Batch
from explorer.transformer import Transformer
from explorer.vocabulary import VOCAB_SIZE


def positions(length: int, d_model: int) -> Tensor:
    """Sines and cosines, written down a second time (paper section 3.5)."""
    table = [
        [
            (math.cos if dim % 2 else math.sin)(pos / 10000 ** ((dim - dim % 2) / d_model))
            for dim in range(d_model)
        ]
        for pos in range(length)
    ]
    return torch.tensor(table)


def weights_by_torch(
    batch: Batch,
    row: int,
    kind: AttentionKind,
    layer: int,
    *,
    d_model: int = 64,
    n_heads: int = 4,
    n_encoder_layers: int = 2,
    n_decoder_layers: int = 2,
    d_ff: int | None = None,
    norm_first: bool = False,
    seed: int = 0,
    model: Transformer | None = None,
) -> np.ndarray:
    """Weights (heads, query, key) of one sentence pair, padded as in its batch.

    Of a `model` that is there already, or of the untrained one that is described.
    """
    config = ModelConfig(
        d_model=d_model,
        n_heads=n_heads,
        n_encoder_layers=n_encoder_layers,
        n_decoder_layers=n_decoder_layers,
        d_ff=d_ff or 4 * d_model,
        norm_first=norm_first,
        src_vocab_size=VOCAB_SIZE,
        tgt_vocab_size=VOCAB_SIZE,
        src_pad_id=batch.pad_id,
        tgt_pad_id=batch.pad_id,
    )
    model = model or Transformer(config, seed=seed)
    d_model, norm_first = model.config.d_model, model.config.norm_first
    twin = to_torch(model).eval()
    src, tgt = batch.src[row : row + 1], batch.tgt_in[row : row + 1]
    src_pad, tgt_pad = src == batch.pad_id, tgt == batch.pad_id  # torch: True = ignore
    future = torch.ones(tgt.shape[1], tgt.shape[1]).triu(1).bool()

    def attended(attention: nn.MultiheadAttention, query: Tensor, key: Tensor, **masks) -> Tensor:
        _, weights = attention(query, key, key, average_attn_weights=False, **masks)
        return weights

    with torch.inference_mode():
        embeddings = [
            embedding.token.weight[ids] * math.sqrt(d_model) + positions(ids.shape[1], d_model)
            for embedding, ids in ((model.src_embedding, src), (model.tgt_embedding, tgt))
        ]
        x, y = embeddings
        for number, block in enumerate(twin.encoder.layers):
            if kind == "encoder" and number == layer:
                query = block.norm1(x) if norm_first else x
                return attended(block.self_attn, query, query, key_padding_mask=src_pad)[0].numpy()
            x = block(x, src_key_padding_mask=src_pad)
        memory = twin.encoder.norm(x) if twin.encoder.norm else x
        masks = {"key_padding_mask": tgt_pad, "attn_mask": future}
        for number, block in enumerate(twin.decoder.layers):
            if number == layer:
                query = block.norm1(y) if norm_first else y
                if kind == "decoder":
                    return attended(block.self_attn, query, query, **masks)[0].numpy()
                added = y + block.self_attn(query, query, query, **masks)[0]
                query = block.norm2(added) if norm_first else block.norm1(added)
                found = attended(block.multihead_attn, query, memory, key_padding_mask=src_pad)
                return found[0].numpy()
            y = block(
                y,
                memory,
                tgt_mask=future,
                tgt_key_padding_mask=tgt_pad,
                memory_key_padding_mask=src_pad,
            )
    raise AssertionError(f"no layer {layer} of {kind} attention")
