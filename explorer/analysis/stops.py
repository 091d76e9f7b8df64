"""A sentence's path through the model, stop by stop, from the embedding to the probabilities."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor, nn

from explorer.layers import (
    DecoderLayerTrace,
    EmbeddingTrace,
    EncoderLayerTrace,
    FeedForward,
    Residual,
    ResidualTrace,
)
from explorer.names import Side
from explorer.transformer import Transformer, TransformerTrace

ADD_NORM: Final = r"\text{out} = \text{LayerNorm}(x + \text{Sublayer}(x))"
ADD: Final = r"\text{out} = x + \text{Sublayer}(\text{LayerNorm}(x))"
ENTRY: Final = r",\quad x \leftarrow \text{LayerNorm}(x)"  # of a pre-norm sub-layer
FEED_FORWARD: Final = r"\text{FFN}(x) = \max(0,\ xW_1 + b_1)\,W_2 + b_2"
SELF_ATTENTION: Final = r"\text{MultiHead}(x, x, x)"
CROSS_ATTENTION: Final = r"\text{MultiHead}(x, m, m), \quad m = \text{memory}"
LAYER_NORM: Final = (
    r"\text{LayerNorm}(x) = \frac{x - \mu}{\sqrt{\sigma^2 + \varepsilon}} \cdot \gamma + \beta"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class NormStep:
    """One layer norm."""

    x: Float[Tensor, "length d_model"]
    out: Float[Tensor, "length d_model"]
    norm: nn.LayerNorm


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedForwardStep:
    """The inside of one feed-forward."""

    x: Float[Tensor, "length d_model"]
    hidden: Float[Tensor, "length d_ff"]  # after ReLU
    module: FeedForward

    def alone(self, position: int) -> Float[Tensor, " d_model"]:
        """The output for one token without the others (and without dropout)."""
        with torch.inference_mode():
            out: Tensor = self.module(self.x[None, position : position + 1]).out[0, 0]
        return out


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop:
    """One tensor on the path, for the first sentence of a trace."""

    part: str  # "source", "encoder 1", …, "memory", "target", "decoder 1", …, "output"
    name: str  # "embedding", "× √d_model", "add & norm", …
    side: Side  # the side of the tokens on the rows
    formula: str  # in LaTeX
    values: Float[Tensor, "length width"]
    before: Float[Tensor, "length width"] | None  # its input, if of the same width
    on_stream: bool = False  # whether the residual stream passes here
    sublayer: str = ""  # the sub-layer just added to the stream
    norm: NormStep | None = None  # the layer norm at its end; with pre-norm the one at its start
    feed_forward: FeedForwardStep | None = None


def stops(model: Transformer, trace: TransformerTrace) -> list[Stop]:
    """All stops of the trace's first sentence, in the model's order."""
    way = list(_embedding(trace.src_embedding, "src", "source"))
    for number, layer in enumerate(trace.encoder):
        way += _layer(model.encoder[number], layer, "src", f"encoder {number + 1}", way[-1].values)
    way.append(_end("memory", "memory", "src", trace.memory, way[-1].values, model.encoder_norm))
    way += _embedding(trace.tgt_embedding, "tgt", "target")
    for number, crossed in enumerate(trace.decoder):
        way += _layer(
            model.decoder[number], crossed, "tgt", f"decoder {number + 1}", way[-1].values
        )
    if model.config.norm_first:
        way.append(
            _end("output", "norm", "tgt", trace.decoder_out, way[-1].values, model.decoder_norm)
        )
    logits = trace.logits[0]
    way.append(
        Stop(
            part="output",
            name="logits",
            side="tgt",
            formula=r"\text{logits} = xW + b",
            values=logits,
            before=None,
        )
    )
    way.append(
        Stop(
            part="output",
            name="probabilities",
            side="tgt",
            formula=r"p = \text{softmax}(\text{logits})",
            values=logits.softmax(dim=-1),
            before=None,
        )
    )
    return way


def residual_stream(way: list[Stop], side: Side) -> list[Stop]:
    """The stops on the residual stream of one side."""
    return [stop for stop in way if stop.side == side and stop.on_stream]


def stream_measure(
    passed: list[Stop], measure: Literal["similarity", "change", "norm"]
) -> Float[np.ndarray, "stops length"]:
    """One number for every token at every stop of a residual stream.

    similarity: cosine with the token at the first stop. change: length of the difference to the
    stop before. norm: length.
    """
    tensors = torch.stack([stop.values.cpu() for stop in passed])  # (stops, length, d_model)
    if measure == "change":
        tensors = torch.diff(tensors, dim=0, prepend=tensors[:1])
    lengths = torch.linalg.vector_norm(tensors, dim=-1)
    if measure == "similarity":
        lengths = lengths.clip(1e-12)
        lengths = (tensors * tensors[:1]).sum(dim=-1) / (lengths * lengths[:1])
    measured: np.ndarray = lengths.numpy()
    return measured


def _embedding(trace: EmbeddingTrace, side: Side, part: str) -> Iterator[Stop]:
    embedded, scaled, out = trace.embedded[0], trace.scaled[0], trace.out[0]
    yield Stop(
        part=part,
        name="embedding",
        side=side,
        formula=r"x = E[\text{id}]",
        values=embedded,
        before=None,
    )
    yield Stop(
        part=part,
        name="× √d_model",
        side=side,
        formula=r"x = E[\text{id}] \cdot \sqrt{d_\text{model}}",
        values=scaled,
        before=embedded,
    )
    yield Stop(
        part=part,
        name="+ position",
        side=side,
        formula=r"x = E[\text{id}] \cdot \sqrt{d_\text{model}} + \text{PE}(\text{pos})",
        values=out,
        before=scaled,
        on_stream=True,
    )


def _layer(
    module: Any,  # EncoderLayer or DecoderLayer: nn.ModuleList forgets which
    trace: EncoderLayerTrace | DecoderLayerTrace,
    side: Side,
    part: str,
    x: Tensor,
) -> Iterator[Stop]:
    """A layer's sub-layers, each followed by its Add & Norm."""

    def pair(
        name: str,
        formula: str,
        x: Tensor,
        out: Tensor,
        at: Residual,
        residual: ResidualTrace,
        feed_forward: FeedForwardStep | None = None,
    ) -> Iterator[Stop]:
        """A sub-layer and its Add & Norm; the norm comes before or after it."""
        first = at.norm_first
        entry = NormStep(x=x, out=residual.sublayer_in[0], norm=at.norm)
        leave = NormStep(x=residual.added[0], out=residual.out[0], norm=at.norm)
        yield Stop(
            part=part,
            name=name,
            side=side,
            formula=formula + ENTRY if first else formula,
            values=out[0],
            before=x,
            norm=entry if first else None,
            feed_forward=feed_forward,
        )
        yield Stop(
            part=part,
            name="add" if first else "add & norm",
            side=side,
            formula=ADD if first else ADD_NORM,
            values=residual.out[0],
            before=x,
            on_stream=True,
            sublayer=name,
            norm=None if first else leave,
        )

    own = "self-attention" if side == "src" else "masked self-attention"
    yield from pair(
        own, SELF_ATTENTION, x, trace.attention.out,
        module.attention_residual, trace.attention_residual,
    )  # fmt: skip
    x = trace.attention_residual.out[0]
    if isinstance(trace, DecoderLayerTrace):
        yield from pair(
            "cross-attention", CROSS_ATTENTION, x, trace.cross.out,
            module.cross_residual, trace.cross_residual,
        )  # fmt: skip
        x = trace.cross_residual.out[0]
    inside = FeedForwardStep(
        x=trace.feed_forward_residual.sublayer_in[0],
        hidden=trace.feed_forward.hidden[0],
        module=module.feed_forward,
    )
    yield from pair(
        "feed-forward", FEED_FORWARD, x, trace.feed_forward.out,
        module.feed_forward_residual, trace.feed_forward_residual, inside,
    )  # fmt: skip


def _end(part: str, name: str, side: Side, out: Tensor, x: Tensor, norm: nn.Module) -> Stop:
    """The output of a stack, which has one more norm in a pre-norm model."""
    last = norm if isinstance(norm, nn.LayerNorm) else None
    return Stop(
        part=part,
        name=name,
        side=side,
        formula=r"\text{out} = x" if last is None else r"\text{out} = \text{LayerNorm}(x)",
        values=out[0],
        before=x,
        on_stream=last is not None,
        norm=None if last is None else NormStep(x=x, out=out[0], norm=last),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenStatistics:
    """One number per token."""

    mean: Float[Tensor, " length"]
    deviation: Float[Tensor, " length"]  # over all dimensions, not as of a sample
    norm: Float[Tensor, " length"]
    change: Float[Tensor, " length"] | None  # norm of the difference from its input


def statistics(stop: Stop) -> TokenStatistics:
    """Mean, standard deviation and norm of every token, and how far it moved."""
    values = stop.values
    return TokenStatistics(
        mean=values.mean(dim=-1),
        deviation=values.std(dim=-1, correction=0),
        norm=torch.linalg.vector_norm(values, dim=-1),
        change=None
        if stop.before is None
        else torch.linalg.vector_norm(values - stop.before, dim=-1),
    )
