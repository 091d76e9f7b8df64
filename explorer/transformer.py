"""The encoder–decoder Transformer, and a trace of everything it computes."""

import math
import zlib
from collections.abc import Mapping
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Generator, Tensor, nn

from explorer.attention import AttentionTrace, MultiHeadAttention
from explorer.config import ModelConfig
from explorer.layers import (
    DecoderLayer,
    DecoderLayerTrace,
    Embedding,
    EmbeddingTrace,
    EncoderLayer,
    EncoderLayerTrace,
)
from explorer.linear import Linear
from explorer.masks import padding_mask, target_mask
from explorer.names import ATTENTION_KINDS, AttentionKind


@dataclass(frozen=True, slots=True, kw_only=True)
class EncoderTrace:
    """Everything the encoder computed."""

    mask: Bool[Tensor, "batch 1 1 src"]
    embedding: EmbeddingTrace
    layers: tuple[EncoderLayerTrace, ...]
    memory: Float[Tensor, "batch src d_model"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DecoderTrace:
    """Everything the decoder computed."""

    mask: Bool[Tensor, "batch 1 tgt tgt"]
    embedding: EmbeddingTrace
    layers: tuple[DecoderLayerTrace, ...]
    out: Float[Tensor, "batch tgt d_model"]
    logits: Float[Tensor, "batch tgt tgt_vocab"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TransformerTrace:
    """Every intermediate result of one forward pass; the figures draw nothing else."""

    src_mask: Bool[Tensor, "batch 1 1 src"]
    tgt_mask: Bool[Tensor, "batch 1 tgt tgt"]
    src_embedding: EmbeddingTrace
    tgt_embedding: EmbeddingTrace
    encoder: tuple[EncoderLayerTrace, ...]
    memory: Float[Tensor, "batch src d_model"]
    decoder: tuple[DecoderLayerTrace, ...]
    decoder_out: Float[Tensor, "batch tgt d_model"]
    logits: Float[Tensor, "batch tgt tgt_vocab"]

    def attention(self, kind: AttentionKind, layer: int) -> AttentionTrace:
        """The attention of one layer, counted from 0.

        Raises:
            ValueError: for a kind or a layer that the model does not have.
        """
        _require_layer(kind, layer, len(self.encoder), len(self.decoder))
        if kind == "cross":
            return self.decoder[layer].cross
        return (self.encoder if kind == "encoder" else self.decoder)[layer].attention

    def attention_inputs(
        self, kind: AttentionKind, layer: int
    ) -> tuple[Float[Tensor, "batch query d_model"], Float[Tensor, "batch key d_model"]]:
        """The input of that attention's queries, and the input of its keys and values.

        Raises:
            ValueError: for a kind or a layer that the model does not have.
        """
        _require_layer(kind, layer, len(self.encoder), len(self.decoder))
        if kind == "cross":
            return self.decoder[layer].cross_residual.sublayer_in, self.memory
        stack = self.encoder if kind == "encoder" else self.decoder
        x = stack[layer].attention_residual.sublayer_in
        return x, x


class Transformer(nn.Module):
    """The model of "Attention Is All You Need", figure 1.

    `model(src, tgt)` takes ids and returns a `TransformerTrace`. It keeps nothing between calls,
    so one model can serve many threads.

    Weights are drawn uniformly (Xavier; embeddings with variance 1/d_model). Each parameter has its
    own random stream, seeded by `seed` and the parameter's name, so the same settings give the same
    numbers everywhere, and adding a layer does not change the layers below. With `weights`, the
    `state_dict` of such a model, those tensors are used and nothing is drawn. A tied model's one
    matrix is `src_embedding.token.weight`.

    Raises:
        RuntimeError, KeyError: if `weights` do not fit the model.
    """

    def __init__(
        self,
        config: ModelConfig,
        *,
        seed: int = 0,
        device: torch.device | str = "cpu",
        weights: Mapping[str, Tensor] | None = None,
    ) -> None:
        super().__init__()
        self.config = config
        with torch.device("meta"):  # shapes only; the weights are drawn below
            self.src_embedding = Embedding(config.src_vocab_size, config.d_model, config.dropout)
            self.tgt_embedding = Embedding(config.tgt_vocab_size, config.d_model, config.dropout)
            self.encoder = nn.ModuleList(
                EncoderLayer(config) for _ in range(config.n_encoder_layers)
            )
            self.decoder = nn.ModuleList(
                DecoderLayer(config) for _ in range(config.n_decoder_layers)
            )
            # Post-norm layers end with a norm; a pre-norm stack needs one at its end.
            self.encoder_norm = _final_norm(config)
            self.decoder_norm = _final_norm(config)
            self.to_logits = Linear(config.d_model, config.tgt_vocab_size)
        if weights is None:
            draw_weights(self, seed)
        else:
            self.load_state_dict(_untied(weights) if config.tied else weights, assign=True)
        if config.tied:
            one = self.src_embedding.token.weight
            self.tgt_embedding.token.weight = self.to_logits.weight = one
        self.to(device)

    def forward(
        self,
        src: Int[Tensor, "batch src"],
        tgt: Int[Tensor, "batch tgt"],
        generator: Generator | None = None,
        *,
        positions: bool = True,
        encoded: EncoderTrace | None = None,
    ) -> TransformerTrace:
        """Run the model on source ids and the decoder's input ids (`tgt_in`).

        A `generator` switches dropout on and decides what it drops; `positions=False` leaves out
        the positional encodings. The encoder never sees the target, so pass `encoded`, the result
        of `encode` for the same `src`, if only the target has changed.

        Raises:
            ValueError: if the ids do not fit the model or each other.
        """
        if src.shape[:1] != tgt.shape[:1]:
            raise ValueError(
                "src and tgt must hold the same number of sentences, "
                f"got src {tuple(src.shape)} and tgt {tuple(tgt.shape)}"
            )
        if encoded is None:
            encoded = self.encode(src, generator, positions=positions)
        decoded = self.decode(tgt, encoded.memory, encoded.mask, generator, positions=positions)
        return TransformerTrace(
            src_mask=encoded.mask,
            tgt_mask=decoded.mask,
            src_embedding=encoded.embedding,
            tgt_embedding=decoded.embedding,
            encoder=encoded.layers,
            memory=encoded.memory,
            decoder=decoded.layers,
            decoder_out=decoded.out,
            logits=decoded.logits,
        )

    def attention(self, kind: AttentionKind, layer: int) -> MultiHeadAttention:
        """The module behind `TransformerTrace.attention(kind, layer)`.

        Raises:
            ValueError: for a kind or a layer that the model does not have.
        """
        _require_layer(kind, layer, len(self.encoder), len(self.decoder))
        stack = self.encoder if kind == "encoder" else self.decoder
        found: MultiHeadAttention = getattr(
            stack[layer], "cross" if kind == "cross" else "attention"
        )
        return found

    def encode(
        self,
        src: Int[Tensor, "batch src"],
        generator: Generator | None = None,
        *,
        positions: bool = True,
    ) -> EncoderTrace:
        """Source ids → memory."""
        self._require_ids("src", src, self.config.src_vocab_size)
        mask = padding_mask(src, self.config.src_pad_id)
        embedding = self.src_embedding(src, generator, positions=positions)
        x = embedding.out
        layers: list[EncoderLayerTrace] = []
        for layer in self.encoder:
            layers.append(layer(x, mask, generator))
            x = layers[-1].out
        memory = self.encoder_norm(x)
        return EncoderTrace(mask=mask, embedding=embedding, layers=tuple(layers), memory=memory)

    def decode(
        self,
        tgt: Int[Tensor, "batch tgt"],
        memory: Float[Tensor, "batch src d_model"],
        src_mask: Bool[Tensor, "batch 1 1 src"],
        generator: Generator | None = None,
        *,
        positions: bool = True,
    ) -> DecoderTrace:
        """Target ids and memory → logits of the next token at every position."""
        self._require_ids("tgt", tgt, self.config.tgt_vocab_size)
        mask = target_mask(tgt, self.config.tgt_pad_id)
        embedding = self.tgt_embedding(tgt, generator, positions=positions)
        x = embedding.out
        layers: list[DecoderLayerTrace] = []
        for layer in self.decoder:
            layers.append(layer(x, memory, mask, src_mask, generator))
            x = layers[-1].out
        out = self.decoder_norm(x)
        return DecoderTrace(
            mask=mask,
            embedding=embedding,
            layers=tuple(layers),
            out=out,
            logits=self.to_logits(out),
        )

    def _require_ids(self, name: str, ids: Tensor, vocab_size: int) -> None:
        if ids.ndim != 2 or ids.shape[1] == 0:
            raise ValueError(
                f"{name} must have shape (batch, length) with length ≥ 1, got {tuple(ids.shape)}"
            )
        if ids.shape[1] > self.config.max_len:
            raise ValueError(
                f"{name} must have at most max_len={self.config.max_len} tokens a sentence, "
                f"got {ids.shape[1]}; shorten it or raise max_len"
            )
        # On a GPU this check would make every forward pass wait; the GPU reports bad ids itself.
        if ids.device.type == "cpu" and ((ids < 0) | (ids >= vocab_size)).any():
            raise ValueError(
                f"{name} ids must lie in 0 … {vocab_size - 1} ({name}_vocab_size={vocab_size}), "
                f"got {int(ids.min())} … {int(ids.max())}"
            )


def _require_layer(kind: str, layer: int, n_encoder: int, n_decoder: int) -> None:
    if kind not in ATTENTION_KINDS:
        raise ValueError(f"kind must be one of {ATTENTION_KINDS}, got {kind!r}")
    layers = n_encoder if kind == "encoder" else n_decoder
    if not 0 <= layer < layers:
        raise ValueError(f"layer must lie in 0 … {layers - 1} for {kind} attention, got {layer}")


def _untied(weights: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The weights of a tied model, with its one matrix under all three of its names."""
    one = weights["src_embedding.token.weight"]
    return {**weights, "tgt_embedding.token.weight": one, "to_logits.weight": one}


def draw_weights(model: nn.Module, seed: int) -> None:
    """Give every parameter its numbers, each from its own random stream (see `Transformer`)."""
    for path, module in model.named_modules():
        if isinstance(module, nn.LayerNorm):
            module.weight = nn.Parameter(torch.ones(module.normalized_shape))
            module.bias = nn.Parameter(torch.zeros(module.normalized_shape))
        elif isinstance(module, nn.Embedding):
            bound = math.sqrt(3.0 / module.embedding_dim)
            module.weight = _uniform(module.weight.shape, bound, seed, path)
        elif isinstance(module, nn.Linear):
            # The stacked W_Q, W_K, W_V are three matrices of fan-out d_model each.
            stacked = 3 if path.endswith("w_qkv") else 1
            bound = math.sqrt(6.0 / (module.in_features + module.out_features / stacked))
            module.weight = _uniform(module.weight.shape, bound, seed, path)
            module.bias = nn.Parameter(torch.zeros(module.out_features))


def _uniform(shape: torch.Size, bound: float, seed: int, path: str) -> nn.Parameter:
    stream = Generator().manual_seed(zlib.crc32(f"{seed}/{path}".encode()))
    return nn.Parameter(torch.empty(shape).uniform_(-bound, bound, generator=stream))


def _final_norm(config: ModelConfig) -> nn.Module:
    return nn.LayerNorm(config.d_model) if config.norm_first else nn.Identity()
