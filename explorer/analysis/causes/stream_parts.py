"""The residual stream at one position, as a sum of what each part of the model wrote into it.

Every sub-layer adds to the stream, so any vector on it is the sum of the embedding, the position,
and the outputs of all heads and feed-forwards so far (Elhage et al. 2021). A norm divides by a
number that depends on all of them. That number is taken as it was in this run ("frozen"), which
makes the norm linear: parts stay parts, and still sum to the whole.
"""

from dataclasses import dataclass, replace
from typing import Literal

import torch
from jaxtyping import Float
from torch import Tensor, nn

from explorer.analysis.attention import KIND_NAMES
from explorer.analysis.causes.question import Sentence
from explorer.attention import AttentionTrace, MultiHeadAttention
from explorer.intervention import Stack
from explorer.languages import mark, tr
from explorer.layers import FeedForward, FeedForwardTrace, Residual
from explorer.names import AttentionId, AttentionKind

What = Literal["embedding", "position", "biases", "head", "feed-forward", "distance"]


@dataclass(frozen=True, slots=True)
class Part:
    """One part of the model that writes into the stream.

    The biases are all constants together: those of norms, projections and feed-forwards. That of
    distance is no part of the stream, but of the scores of relative positions.
    """

    what: What
    kind: AttentionKind | None = None  # of a head; of a feed-forward, the stack
    layer: int | None = None  # from 0
    head: int | None = None  # from 0

    @property
    def name(self) -> str:
        """The part in words; layers and heads count from 1, as in all captions."""
        if self.kind is None or self.layer is None:
            return tr(_NAMES[self.what])
        at = {"attention": tr(KIND_NAMES[self.kind]), "layer": self.layer + 1}
        if self.head is None:
            return tr("{attention}, layer {layer}, feed-forward", **at)
        return tr("{attention}, layer {layer}, head {head}", **at, head=self.head + 1)

    @property
    def group(self) -> str:
        """The same for all heads of an attention."""
        if self.head is None or self.kind is None or self.layer is None:
            return self.name
        at = {"attention": tr(KIND_NAMES[self.kind]), "layer": self.layer + 1}
        return tr("{attention}, layer {layer}, all heads", **at)


_NAMES = {
    "embedding": mark("embedding"),
    "position": mark("position"),
    # Translators: all biases of a model together, one part of a sum.
    "biases": mark("biases"),
    "distance": mark("bias of the distance"),
}
_BIASES = Part("biases")


@dataclass(frozen=True, slots=True)
class StreamParts:
    """A vector as a sum; the biases come first. In float64: long sums keep their digits."""

    parts: tuple[Part, ...]
    rows: Float[Tensor, "parts width"]

    @property
    def whole(self) -> Float[Tensor, " width"]:
        """The vector itself."""
        return self.rows.sum(dim=0)

    def plus(
        self, parts: tuple[Part, ...], rows: Float[Tensor, "more width"], bias: Tensor | None
    ) -> "StreamParts":
        """The sum with the output of a sub-layer, whose bias joins the other biases."""
        return StreamParts((*self.parts, *parts), torch.cat([self.rows, rows])).shifted(bias)

    def shifted(self, bias: Tensor | None) -> "StreamParts":
        """The sum with one more bias."""
        if bias is None:
            return self
        rows = self.rows.clone()
        rows[0] += exact(bias)
        return replace(self, rows=rows)

    def normed(self, norm: nn.Module) -> "StreamParts":
        """LayerNorm(x) = γ (x − μ) / σ + β with σ as it was; RMSNorm(x) = γ x / rms(x)."""
        if isinstance(norm, nn.Identity):
            return self
        assert isinstance(norm, nn.LayerNorm | nn.RMSNorm)
        rows = self.rows
        if isinstance(norm, nn.LayerNorm):
            rows = rows - rows.mean(dim=1, keepdim=True)
        assert norm.eps is not None
        spread = (rows.sum(dim=0).square().mean() + norm.eps).sqrt()
        scaled = replace(self, rows=rows / spread * exact(norm.weight))
        return scaled.shifted(norm.bias if isinstance(norm, nn.LayerNorm) else None)

    def through(self, linear: nn.Linear) -> "StreamParts":
        """x Wᵀ + b."""
        return replace(self, rows=self.rows @ exact(linear.weight).T).shifted(linear.bias)


def exact(numbers: Float[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
    """The numbers in float64, which some accelerators do not have."""
    return numbers.detach().cpu().double()


def entering(sentence: Sentence, attention: AttentionId, position: int) -> StreamParts:
    """The parts of an attention's query at a position, after its norm.

    So are keys and values, but for those of cross-attention (`leaving` the encoder).
    """
    stack: Stack = "encoder" if attention[0] == "encoder" else "decoder"
    return _stream(sentence, stack, position, attention)


def leaving(sentence: Sentence, stack: Stack, position: int) -> StreamParts:
    """The parts of a stack's output at a position, after its last norm."""
    last: nn.Module = getattr(sentence.model, f"{stack}_norm")
    return _stream(sentence, stack, position, None).normed(last)


def _stream(
    sentence: Sentence, stack: Stack, position: int, until: AttentionId | None
) -> StreamParts:
    """The stream after the last layer, or what enters the attention at `until`."""
    model, trace = sentence.model, sentence.trace
    stream = _embedding(sentence, stack, position)
    modules, layers = getattr(model, stack), getattr(trace, stack)
    for n, (module, layer) in enumerate(zip(modules, layers, strict=True)):
        for name, kind in _SUBLAYERS[stack]:
            if getattr(layer, name) is None:
                continue  # a decoder alone has no cross-attention
            residual: Residual = getattr(module, f"{name}_residual")
            if (kind, n) == until:
                return stream.normed(residual.norm) if residual.norm_first else stream
            traced = getattr(layer, name)
            if kind is None:
                part = Part("feed-forward", stack, n)
                stream = _fed_forward(stream, getattr(module, name), traced, part, position)
            else:
                stream = _attended(stream, getattr(module, name), traced, (kind, n), position)
            if not residual.norm_first:
                stream = stream.normed(residual.norm)
    return stream


_SUBLAYERS: dict[Stack, tuple[tuple[str, AttentionKind | None], ...]] = {
    "encoder": (("attention", "encoder"), ("feed_forward", None)),
    "decoder": (("attention", "decoder"), ("cross", "cross"), ("feed_forward", None)),
}


def _embedding(sentence: Sentence, stack: Stack, position: int) -> StreamParts:
    model, trace = sentence.model, sentence.trace
    source = stack == "encoder"
    embedding = trace.src_embedding if source else trace.tgt_embedding
    rows = torch.stack(
        [exact(embedding.scaled[0, position]), exact(embedding.position_of(0)[position])]
    )
    parts = (Part("embedding"), Part("position"))
    nothing = StreamParts((_BIASES,), torch.zeros_like(rows[:1]))
    module = model.src_embedding if source else model.tgt_embedding
    return nothing.plus(parts, rows, None).normed(module.norm)


def _attended(
    stream: StreamParts,
    module: MultiHeadAttention,
    trace: AttentionTrace,
    attention: AttentionId,
    position: int,
) -> StreamParts:
    """The stream after an attention: MultiHead = Σ_h context_h W_O^h + b_O."""
    w_o = exact(module.w_o.weight).T.reshape(module.n_heads, module.d_k, -1)
    context = exact(trace.context[0, :, position])  # (heads, d_k)
    rows = torch.einsum("hk,hkd->hd", context, w_o)
    parts = tuple(Part("head", *attention, head) for head in range(module.n_heads))
    return stream.plus(parts, rows, module.w_o.bias)


def _fed_forward(
    stream: StreamParts, module: FeedForward, trace: FeedForwardTrace, part: Part, position: int
) -> StreamParts:
    """The stream after a feed-forward, whose b₂ joins the biases."""
    out, bias = exact(trace.out[0, position]), module.w_2.bias
    return stream.plus((part,), (out if bias is None else out - exact(bias))[None], bias)
