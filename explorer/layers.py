"""Embeddings, Add & Norm, feed-forward, and the encoder and decoder layers made of them."""

import math
from dataclasses import dataclass
from functools import lru_cache

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Generator, Tensor, nn

from explorer.attention import AttentionTrace, MultiHeadAttention, drop
from explorer.config import ModelConfig
from explorer.linear import Linear
from explorer.positional import sinusoidal


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddingTrace:
    """From ids to the first layer's input: look up, scale, add the position."""

    embedded: Float[Tensor, "batch length d_model"]
    scaled: Float[Tensor, "batch length d_model"]  # embedded × √d_model
    position: Float[Tensor, "length d_model"]  # zeros if positions are switched off
    out: Float[Tensor, "batch length d_model"]  # scaled + position, then dropout


@dataclass(frozen=True, slots=True, kw_only=True)
class ResidualTrace:
    """One "Add & Norm" around a sub-layer."""

    sublayer_in: Float[Tensor, "batch length d_model"]  # x; LayerNorm(x) in a pre-norm model
    added: Float[Tensor, "batch length d_model"]  # x + dropout(sublayer(sublayer_in))
    out: Float[Tensor, "batch length d_model"]  # LayerNorm(added); `added` itself with pre-norm


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedForwardTrace:
    """FFN(x) = max(0, xW₁ + b₁)W₂ + b₂."""

    hidden: Float[Tensor, "batch length d_ff"]  # after ReLU
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
    cross: AttentionTrace  # queries from the decoder, keys and values from memory
    cross_residual: ResidualTrace
    feed_forward: FeedForwardTrace
    feed_forward_residual: ResidualTrace

    @property
    def out(self) -> Float[Tensor, "batch length d_model"]:
        """The layer's output and the next layer's input."""
        return self.feed_forward_residual.out


@lru_cache(maxsize=16)
def _positions(length: int, d_model: int) -> Tensor:
    """Cached: the same few lengths recur with every key press, and sines are slow."""
    with torch.inference_mode(False):  # a later call may want gradients
        return sinusoidal(length, d_model)


class Embedding(nn.Module):
    """Token embedding × √d_model + positional encoding (paper sections 3.4 and 3.5)."""

    def __init__(self, vocab_size: int, d_model: int, dropout: float) -> None:
        super().__init__()
        self.d_model = d_model
        self.dropout = dropout
        # `_weight` keeps torch from drawing weights here: `Transformer` draws all of them.
        self.token = nn.Embedding(vocab_size, d_model, _weight=torch.empty(vocab_size, d_model))

    def forward(
        self,
        ids: Int[Tensor, "batch length"],
        generator: Generator | None = None,
        *,
        positions: bool = True,
    ) -> EmbeddingTrace:
        """Embed the ids; `positions=False` omits the positional encoding."""
        embedded = self.token(ids)
        scaled = embedded * math.sqrt(self.d_model)
        position = _positions(ids.shape[1], self.d_model).to(scaled, copy=True)
        if not positions:
            position = torch.zeros_like(position)
        return EmbeddingTrace(
            embedded=embedded,
            scaled=scaled,
            position=position,
            out=drop(scaled + position, self.dropout, generator),
        )


class FeedForward(nn.Module):
    """FFN(x) = max(0, xW₁ + b₁)W₂ + b₂, the same at every position (paper equation 2)."""

    def __init__(self, d_model: int, d_ff: int, dropout: float) -> None:
        super().__init__()
        self.dropout = dropout
        self.w_1 = Linear(d_model, d_ff)
        self.w_2 = Linear(d_ff, d_model)

    def forward(
        self, x: Float[Tensor, "batch length d_model"], generator: Generator | None = None
    ) -> FeedForwardTrace:
        """Widen to d_ff, set negative values to 0, narrow back to d_model."""
        hidden = F.relu(self.w_1(x), inplace=True)
        return FeedForwardTrace(hidden=hidden, out=self.w_2(drop(hidden, self.dropout, generator)))


class Residual(nn.Module):
    """LayerNorm(x + Dropout(Sublayer(x))), or x + Dropout(Sublayer(LayerNorm(x))) with pre-norm.

    Dropout is where the paper puts it (section 5.4): on the sub-layer's output, before the sum.
    """

    def __init__(self, d_model: int, dropout: float, norm_first: bool) -> None:
        super().__init__()
        self.dropout = dropout
        self.norm_first = norm_first
        self.norm = nn.LayerNorm(d_model)

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


class EncoderLayer(nn.Module):
    """Self-attention, Add & Norm, feed-forward, Add & Norm (paper section 3.1)."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        d_model, dropout = config.d_model, config.dropout
        self.attention = MultiHeadAttention(d_model, config.n_heads, dropout)
        self.attention_residual = Residual(d_model, dropout, config.norm_first)
        self.feed_forward = FeedForward(d_model, config.d_ff, dropout)
        self.feed_forward_residual = Residual(d_model, dropout, config.norm_first)

    def forward(
        self,
        x: Float[Tensor, "batch length d_model"],
        mask: Bool[Tensor, "#batch 1 #length length"] | None,
        generator: Generator | None = None,
    ) -> EncoderLayerTrace:
        """Let every token look at all tokens except PAD, then process each token alone."""
        q_in = self.attention_residual.enter(x)
        attention = self.attention(q_in, q_in, mask, generator)
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
    """Masked self-attention, cross-attention and feed-forward, each with its Add & Norm."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        d_model, dropout = config.d_model, config.dropout
        self.attention = MultiHeadAttention(d_model, config.n_heads, dropout)
        self.attention_residual = Residual(d_model, dropout, config.norm_first)
        self.cross = MultiHeadAttention(d_model, config.n_heads, dropout)
        self.cross_residual = Residual(d_model, dropout, config.norm_first)
        self.feed_forward = FeedForward(d_model, config.d_ff, dropout)
        self.feed_forward_residual = Residual(d_model, dropout, config.norm_first)

    def forward(
        self,
        x: Float[Tensor, "batch query d_model"],
        memory: Float[Tensor, "batch key d_model"],
        tgt_mask: Bool[Tensor, "#batch 1 #query query"] | None,
        src_mask: Bool[Tensor, "#batch 1 #query key"] | None,
        generator: Generator | None = None,
    ) -> DecoderLayerTrace:
        """Look back at the target so far, then at the source, then process each token alone."""
        q_in = self.attention_residual.enter(x)
        attention = self.attention(q_in, q_in, tgt_mask, generator)
        attended = self.attention_residual.leave(x, q_in, attention.out, generator)

        cross_in = self.cross_residual.enter(attended.out)
        cross = self.cross(cross_in, memory, src_mask, generator)
        crossed = self.cross_residual.leave(attended.out, cross_in, cross.out, generator)

        ffn_in = self.feed_forward_residual.enter(crossed.out)
        ffn = self.feed_forward(ffn_in, generator)
        return DecoderLayerTrace(
            attention=attention,
            attention_residual=attended,
            cross=cross,
            cross_residual=crossed,
            feed_forward=ffn,
            feed_forward_residual=self.feed_forward_residual.leave(
                crossed.out, ffn_in, ffn.out, generator
            ),
        )
