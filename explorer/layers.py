"""Embeddings, Add & Norm, feed-forward, and the encoder and decoder layers made of them."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Final

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Generator, Tensor, nn

from explorer.attention import AttentionTrace, MultiHeadAttention, drop
from explorer.config import Activation, ModelConfig, Positions
from explorer.intervention import NOTHING, GivenLayer
from explorer.linear import Linear
from explorer.positional import in_halves, sinusoidal


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddingTrace:
    """From ids to the first layer's input: look up, scale, add the position."""

    embedded: Float[Tensor, "batch length d_model"]
    scaled: Float[Tensor, "batch length d_model"]  # embedded × √d_model
    # Zeros if none are added; a row for each sentence only where PAD is not counted (RoBERTa).
    position: Float[Tensor, "*batch length d_model"]
    added: Float[Tensor, "batch length d_model"]  # scaled + position
    out: Float[Tensor, "batch length d_model"]  # after a norm, where there is one, and dropout

    def position_of(self, row: int) -> Float[Tensor, "length d_model"]:
        """The positions of one sentence of the batch."""
        return self.position if self.position.ndim == 2 else self.position[row]


@dataclass(frozen=True, slots=True, kw_only=True)
class ResidualTrace:
    """One "Add & Norm" around a sub-layer."""

    sublayer_in: Float[Tensor, "batch length d_model"]  # x; LayerNorm(x) in a pre-norm model
    added: Float[Tensor, "batch length d_model"]  # x + dropout(sublayer(sublayer_in))
    out: Float[Tensor, "batch length d_model"]  # LayerNorm(added); `added` itself with pre-norm


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedForwardTrace:
    """FFN(x) = max(0, xW₁ + b₁)W₂ + b₂."""

    gate: Float[Tensor, "batch length d_ff"] | None  # act(xW₀ + b₀), where there is one
    hidden: Float[Tensor, "batch length d_ff"]  # after ReLU; with a gate, gate ⊙ (xW₁ + b₁)
    out: Float[Tensor, "batch length d_model"]


@dataclass(frozen=True, slots=True, kw_only=True)
class EncoderLayerTrace:
    """One encoder layer, in order."""

    attention: AttentionTrace
    attention_residual: ResidualTrace
    feed_forward: FeedForwardTrace
    feed_forward_residual: ResidualTrace

    @property
    def out(self) -> Float[Tensor, "batch length d_model"]:
        """The layer's output and the next layer's input."""
        return self.feed_forward_residual.out


@dataclass(frozen=True, slots=True, kw_only=True)
class DecoderLayerTrace:
    """One decoder layer, in order."""

    attention: AttentionTrace  # masked self-attention
    attention_residual: ResidualTrace
    cross: AttentionTrace | None  # queries from the decoder, keys and values from memory
    cross_residual: ResidualTrace | None  # None, as `cross`, in a decoder without encoder
    feed_forward: FeedForwardTrace
    feed_forward_residual: ResidualTrace

    @property
    def out(self) -> Float[Tensor, "batch length d_model"]:
        """The layer's output and the next layer's input."""
        return self.feed_forward_residual.out


ACTIVATIONS: Final[dict[Activation, Callable[[Tensor], Tensor]]] = {
    "relu": partial(F.relu, inplace=True),
    "gelu": F.gelu,  # x · Φ(x) (Hendrycks and Gimpel 2016)
    "gelu_tanh": partial(F.gelu, approximate="tanh"),
    "silu": F.silu,  # x · sigmoid(x)
}


def norm_of(config: ModelConfig) -> nn.Module:
    """LayerNorm, or RMSNorm, which neither subtracts the mean nor adds a bias."""
    kind = nn.LayerNorm if config.norm == "layer" else nn.RMSNorm
    return kind(config.d_model, eps=config.norm_eps)


def _waves(length: int, d_model: int, positions: Positions) -> Tensor:
    return _wave_table(-(-length // 64) * 64, d_model, positions)[:length]


@lru_cache(maxsize=16)
def _wave_table(length: int, d_model: int, positions: Positions) -> Tensor:
    """Cached for many lengths at once: an answer grows word by word, and sines are slow."""
    with torch.inference_mode(False):  # a later call may want gradients
        if positions not in ("sinusoidal", "halves"):
            return torch.zeros(length, d_model)
        encoding = sinusoidal(length, d_model)
        return in_halves(encoding) if positions == "halves" else encoding


class Embedding(nn.Module):
    """Token embedding × √d_model + positional encoding (paper sections 3.4 and 3.5)."""

    def __init__(self, vocab_size: int, config: ModelConfig) -> None:
        super().__init__()
        d_model = config.d_model
        self.scale = math.sqrt(d_model) if config.scale_embedding else 1.0
        self.dropout = config.dropout
        self.positions: Positions = config.positions
        # `_weight` keeps torch from drawing weights here: `Transformer` draws all of them.
        self.token = nn.Embedding(vocab_size, d_model, _weight=torch.empty(vocab_size, d_model))
        if config.positions == "learned":
            rows = config.n_positions
            self.position = nn.Embedding(rows, d_model, _weight=torch.empty(rows, d_model))
        counts_pad = config.positions != "learned" or not config.positions_skip_pad
        self.skipped = None if counts_pad else config.src_pad_id  # only encoders alone skip it
        self.norm = norm_of(config) if config.norm_embedding else nn.Identity()

    def forward(
        self,
        ids: Int[Tensor, "batch length"],
        generator: Generator | None = None,
        given: Float[Tensor, "batch length d_model"] | None = None,
    ) -> EmbeddingTrace:
        """Embed the ids; `given` stands in the place of the rows of the table."""
        embedded = self.token(ids) if given is None else given
        scaled = embedded * self.scale
        length, d_model = embedded.shape[1:]
        if self.skipped is not None:
            counted = ids != self.skipped
            position = self.position(counted.cumsum(dim=1) * counted)  # (batch, length, d_model)
        elif self.positions == "learned":
            position = self.position.weight[:length]
        else:
            position = self.waves(length, d_model).to(scaled, copy=True)
        added = scaled + position
        return EmbeddingTrace(
            embedded=embedded,
            scaled=scaled,
            position=position,
            added=added,
            out=drop(self.norm(added), self.dropout, generator),
        )

    def waves(self, length: int, d_model: int) -> Float[Tensor, "length d_model"]:
        """The positional encoding of the paper; 0 if positions are no waves."""
        return _waves(length, d_model, self.positions)


class FeedForward(nn.Module):
    """FFN(x) = max(0, xW₁ + b₁)W₂ + b₂, the same at every position (paper equation 2)."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.dropout = config.dropout
        self.activate = ACTIVATIONS[config.activation]
        self.cuts_off = config.activation == "relu"  # to exactly 0
        self.w_0 = Linear(config.d_model, config.d_ff, config.bias) if config.gated else None
        self.w_1 = Linear(config.d_model, config.d_ff, config.bias)
        self.w_2 = Linear(config.d_ff, config.d_model, config.bias)

    def forward(
        self, x: Float[Tensor, "batch length d_model"], generator: Generator | None = None
    ) -> FeedForwardTrace:
        """Widen to d_ff, set negative values to 0, narrow back to d_model."""
        if self.w_0 is None:
            gate, hidden = None, self.activate(self.w_1(x))
        else:
            gate = self.activate(self.w_0(x))
            hidden = gate * self.w_1(x)
        out = self.w_2(drop(hidden, self.dropout, generator))
        return FeedForwardTrace(gate=gate, hidden=hidden, out=out)


class Residual(nn.Module):
    """LayerNorm(x + Dropout(Sublayer(x))), or x + Dropout(Sublayer(LayerNorm(x))) with pre-norm.

    Dropout is where the paper puts it (section 5.4): on the sub-layer's output, before the sum.
    """

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.dropout = config.dropout
        self.norm_first = config.norm_first
        self.norm = norm_of(config)

    def enter(self, x: Tensor) -> Tensor:
        """The sub-layer's input."""
        return self.norm(x) if self.norm_first else x

    def leave(
        self, x: Tensor, sublayer_in: Tensor, sublayer_out: Tensor, generator: Generator | None
    ) -> ResidualTrace:
        """Add the sub-layer's output to x, and normalise unless that was done on entry."""
        added = x + drop(sublayer_out, self.dropout, generator)
        out = added if self.norm_first else self.norm(added)
        return ResidualTrace(sublayer_in=sublayer_in, added=added, out=out)


def attention_of(config: ModelConfig, *, to_itself: bool = True) -> MultiHeadAttention:
    """The attention of a config; only a sentence's attention to itself has rotary positions."""
    made = MultiHeadAttention(
        config.d_model, config.n_heads, config.dropout, d_k=config.d_k, bias=config.bias
    )
    made.scale = None if config.scale_scores else 1.0
    made.rotary = to_itself and config.positions == "rotary"
    return made


class EncoderLayer(nn.Module):
    """Self-attention, Add & Norm, feed-forward, Add & Norm (paper section 3.1)."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.attention = attention_of(config)
        self.attention_residual = Residual(config)
        self.feed_forward = FeedForward(config)
        self.feed_forward_residual = Residual(config)

    def forward(
        self,
        x: Float[Tensor, "batch length d_model"],
        mask: Bool[Tensor, "#batch 1 #length length"] | None,
        generator: Generator | None = None,
        bias: Float[Tensor, "heads length length"] | None = None,
        given: GivenLayer = NOTHING,
    ) -> EncoderLayerTrace:
        """Let every token look at all tokens except PAD, then process each token alone."""
        q_in = self.attention_residual.enter(x)
        attention = self.attention(q_in, q_in, mask, generator, bias, given.get("encoder"))
        attended = self.attention_residual.leave(x, q_in, attention.out, generator)

        ffn_in = self.feed_forward_residual.enter(attended.out)
        ffn = self.feed_forward(ffn_in, generator)
        return EncoderLayerTrace(
            attention=attention,
            attention_residual=attended,
            feed_forward=ffn,
            feed_forward_residual=self.feed_forward_residual.leave(
                attended.out, ffn_in, ffn.out, generator
            ),
        )


class DecoderLayer(nn.Module):
    """Masked self-attention, cross-attention and feed-forward, each with its Add & Norm.

    The decoder of a model without encoder has no cross-attention.
    """

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.attention = attention_of(config)
        self.attention_residual = Residual(config)
        self.cross = attention_of(config, to_itself=False) if config.has_encoder else None
        self.cross_residual = Residual(config) if config.has_encoder else None
        self.feed_forward = FeedForward(config)
        self.feed_forward_residual = Residual(config)

    def forward(
        self,
        x: Float[Tensor, "batch query d_model"],
        memory: Float[Tensor, "batch key d_model"],
        tgt_mask: Bool[Tensor, "#batch 1 #query seen"] | None,
        src_mask: Bool[Tensor, "#batch 1 #query src"] | None,
        generator: Generator | None = None,
        bias: Float[Tensor, "heads query seen"] | None = None,
        given: GivenLayer = NOTHING,
    ) -> DecoderLayerTrace:
        """Look back at the target so far, then at the source, then process each token alone.

        The tokens seen are those of `x`, after those of which `given` has the keys and values.
        """
        q_in = self.attention_residual.enter(x)
        attention = self.attention(q_in, q_in, tgt_mask, generator, bias, given.get("decoder"))
        attended = self.attention_residual.leave(x, q_in, attention.out, generator)
        x = attended.out

        cross, crossed = None, None
        if self.cross is not None and self.cross_residual is not None:
            cross_in = self.cross_residual.enter(x)
            cross = self.cross(cross_in, memory, src_mask, generator, None, given.get("cross"))
            crossed = self.cross_residual.leave(x, cross_in, cross.out, generator)
            x = crossed.out

        ffn_in = self.feed_forward_residual.enter(x)
        ffn = self.feed_forward(ffn_in, generator)
        return DecoderLayerTrace(
            attention=attention,
            attention_residual=attended,
            cross=cross,
            cross_residual=crossed,
            feed_forward=ffn,
            feed_forward_residual=self.feed_forward_residual.leave(x, ffn_in, ffn.out, generator),
        )
