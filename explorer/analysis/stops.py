"""A sentence's path through the model, stop by stop, from the embedding to the probabilities."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor, nn

from explorer.config import ADDED_POSITIONS, Activation, ModelConfig
from explorer.languages import mark, tr
from explorer.layers import (
    DecoderLayerTrace,
    Embedding,
    EmbeddingTrace,
    EncoderLayerTrace,
    FeedForward,
    Residual,
    ResidualTrace,
)
from explorer.names import Side
from explorer.transformer import Transformer, TransformerTrace

SELF_ATTENTION: Final = r"\text{MultiHead}(x, x, x)"
CROSS_ATTENTION: Final = r"\text{MultiHead}(x, m, m), \quad m = \text{memory}"
LAYER_NORM: Final = (
    r"\text{LayerNorm}(x) = \frac{x - \mu}{\sqrt{\sigma^2 + \varepsilon}} \cdot \gamma + \beta"
)
RMS_NORM: Final = (
    r"\text{RMSNorm}(x) = \frac{x}{\sqrt{\frac{1}{d}\sum x_i^2 + \varepsilon}} \cdot \gamma"
)
_ACTIVATIONS: Final[dict[Activation, str]] = {
    "relu": r"\max(0,\ %s)",
    "gelu": r"\text{GELU}(%s)",
    "gelu_tanh": r"\text{GELU}(%s)",
    "silu": r"\text{SiLU}(%s)",
}


@dataclass(frozen=True, slots=True)
class Formulas:
    """A model's formulas, in LaTeX."""

    config: ModelConfig

    @property
    def norm(self) -> str:
        """The name of its norm."""
        return r"\text{LayerNorm}" if self.config.norm == "layer" else r"\text{RMSNorm}"

    @property
    def add(self) -> str:
        """The residual connection around every sub-layer."""
        if self.config.norm_first:
            return rf"\text{{out}} = x + \text{{Sublayer}}({self.norm}(x))"
        return rf"\text{{out}} = {self.norm}(x + \text{{Sublayer}}(x))"

    @property
    def entry(self) -> str:
        """The input of a sub-layer in a pre-norm model."""
        return rf",\quad x \leftarrow {self.norm}(x)" if self.config.norm_first else ""

    @property
    def hidden(self) -> str:
        """The hidden layer of the feed-forward."""
        config, b = self.config, "_%d" if self.config.bias else ""
        act = _ACTIVATIONS[config.activation]

        def affine(n: int) -> str:
            return f"xW_{n} + b{b % n}" if b else f"xW_{n}"

        if config.gated:
            return act % affine(0) + r" \odot " + (f"({affine(1)})" if b else affine(1))
        return act % affine(1)

    @property
    def feed_forward(self) -> str:
        """The feed-forward."""
        first = rf"({self.hidden})" if self.config.gated else self.hidden
        return rf"\text{{FFN}}(x) = {first}\,W_2" + (" + b_2" if self.config.bias else "")

    @property
    def embedding(self) -> str:
        """The embedding, before anything is added."""
        scaled = r" \cdot \sqrt{d_\text{model}}" if self.config.scale_embedding else ""
        return rf"x = E[\text{{id}}]{scaled}"

    @property
    def position(self) -> str:
        """The embedding with its position."""
        table = r"P[\text{pos}]" if self.config.positions == "learned" else r"\text{PE}(\text{pos})"
        return f"{self.embedding} + {table}"

    @property
    def head(self) -> str:
        """BERT's layer before the logits."""
        return rf"\text{{out}} = {self.norm}({_ACTIVATIONS[self.config.activation] % 'xW + b'})"

    @property
    def logits(self) -> str:
        """The logits."""
        x = r"\frac{x}{\sqrt{d_\text{model}}}" if self.config.scale_logits else "x"
        return rf"\text{{logits}} = {x}W" + (" + b" if self.config.logits_bias else "")


@dataclass(frozen=True, slots=True, kw_only=True)
class NormStep:
    """One norm of a token's numbers: LayerNorm or RMSNorm."""

    x: Float[Tensor, "length d_model"]
    out: Float[Tensor, "length d_model"]
    norm: nn.Module


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedForwardStep:
    """The inside of one feed-forward."""

    x: Float[Tensor, "length d_model"]
    hidden: Float[Tensor, "length d_ff"]  # after the activation
    formula: str  # of the hidden layer
    module: FeedForward

    def alone(self, position: int) -> Float[Tensor, " d_model"]:
        """The output for one token alone, without dropout."""
        with torch.inference_mode():
            out: Tensor = self.module(self.x[None, position : position + 1]).out[0, 0]
        return out


# Translators: the parts of the model that a word passes.
_PARTS: Final = {
    "source": mark("source"),
    "encoder": mark("encoder {number}"),
    "memory": mark("memory"),
    "target": mark("target"),
    "decoder": mark("decoder {number}"),
    "output": mark("output"),
}


def _translated(part: str) -> str:
    """A part of the path, such as "encoder 1", in the reader's language."""
    name, _, number = part.partition(" ")
    return tr(_PARTS[name], number=number) if number else tr(_PARTS[name])


@dataclass(frozen=True, slots=True)
class Stop:
    """One tensor on the path, for the first sentence of a trace.

    Part, name and sub-layer are in English, for the code; the properties are for the reader.
    """

    part: str  # "source", "encoder 1", …, "memory", "target", "decoder 1", …, "output"
    name: str  # "embedding", "× √d_model", "add & norm", …
    side: Side  # the side of the tokens on the rows
    formula: str  # in LaTeX
    values: Float[Tensor, "length width"]
    before: Float[Tensor, "length width"] | None  # its input, if it has the same width
    on_stream: bool = False  # whether it is on the residual stream
    sublayer: str = ""  # the sub-layer just added to the stream
    norm: NormStep | None = None  # the layer norm at its end; with pre-norm the one at its start
    feed_forward: FeedForwardStep | None = None

    @property
    def part_shown(self) -> str:
        """The part in the reader's language."""
        return _translated(self.part)

    @property
    def name_shown(self) -> str:
        """The name in the reader's language."""
        return tr(self.name)

    @property
    def sublayer_shown(self) -> str:
        """The sub-layer in the reader's language."""
        return tr(self.sublayer) if self.sublayer else ""

    @property
    def title(self) -> str:
        """“encoder 1: add & norm”."""
        return tr("{part}: {name}", part=self.part_shown, name=self.name_shown)

    @property
    def stage(self) -> str:
        """“encoder 1: after self-attention”, as the residual stream names it."""
        if not self.sublayer:
            return self.title
        return tr("{part}: after {sublayer}", part=self.part_shown, sublayer=self.sublayer_shown)


def stops(model: Transformer, trace: TransformerTrace) -> list[Stop]:
    """All stops of the trace's first sentence, in the model's order."""
    config, formulas = model.config, Formulas(model.config)
    all_stops: list[Stop] = []
    if config.has_encoder:
        all_stops += _embedding(model.src_embedding, formulas, trace.src_embedding, "src", "source")
        for number, layer in enumerate(trace.encoder):
            part, x = f"encoder {number + 1}", all_stops[-1].values
            all_stops += _layer(model.encoder[number], formulas, layer, "src", part, x)
        last, norm = all_stops[-1].values, model.encoder_norm
        all_stops.append(_end("memory", mark("memory"), "src", trace.memory, last, norm, formulas))
    if config.has_decoder:
        all_stops += _embedding(model.tgt_embedding, formulas, trace.tgt_embedding, "tgt", "target")
        for number, crossed in enumerate(trace.decoder):
            part, x = f"decoder {number + 1}", all_stops[-1].values
            all_stops += _layer(model.decoder[number], formulas, crossed, "tgt", part, x)
        if config.ends_with_norm:
            last, norm = all_stops[-1].values, model.decoder_norm
            all_stops.append(
                _end("output", mark("norm"), "tgt", trace.decoder_out, last, norm, formulas)
            )
    if trace.head is not None:
        x, head = trace.memory[0], trace.head[0]
        # Translators: BERT's layer before the logits, no head of attention.
        all_stops.append(Stop("output", mark("output head"), "src", formulas.head, head, x))
    if config.n_logits:
        side: Side = "tgt" if config.has_decoder else "src"
        softmax = r"p = \text{softmax}(\text{logits})"
        logits = trace.logits[0]
        all_stops += [
            Stop("output", mark("logits"), side, formulas.logits, logits, None),
            Stop("output", mark("probabilities"), side, softmax, logits.softmax(dim=-1), None),
        ]
    return all_stops


def residual_stream(all_stops: list[Stop], side: Side) -> list[Stop]:
    """The stops on the residual stream of one side."""
    return [stop for stop in all_stops if stop.side == side and stop.on_stream]


def likeness(passed: list[Stop]) -> Float[np.ndarray, "stops length"]:
    """The cosine of every token at every stop of a residual stream with that at the first one."""
    tensors = torch.stack([stop.values.cpu() for stop in passed])  # (stops, length, d_model)
    lengths = torch.linalg.vector_norm(tensors, dim=-1).clip(1e-12)
    cosines: np.ndarray = ((tensors * tensors[:1]).sum(dim=-1) / (lengths * lengths[:1])).numpy()
    return cosines


def _embedding(
    module: Embedding, formulas: Formulas, trace: EmbeddingTrace, side: Side, part: str
) -> list[Stop]:
    config = formulas.config
    embedded, scaled, added = trace.embedded[0], trace.scaled[0], trace.added[0]
    found = [Stop(part, mark("embedding"), side, r"x = E[\text{id}]", embedded, None)]
    if config.scale_embedding:
        found.append(Stop(part, mark("× √d_model"), side, formulas.embedding, scaled, embedded))
    if config.positions in ADDED_POSITIONS:
        # Dropout, where it is on, acts here or after the norm.
        out = added if config.norm_embedding else trace.out[0]
        found.append(Stop(part, mark("+ position"), side, formulas.position, out, scaled))
    if config.norm_embedding:
        step = NormStep(x=added, out=trace.out[0], norm=module.norm)
        formula = rf"x \leftarrow {formulas.norm}(x)"
        found.append(Stop(part, mark("norm"), side, formula, trace.out[0], added, norm=step))
    found[-1] = replace(found[-1], values=trace.out[0], on_stream=True)
    return found


def _layer(
    module: Any,  # EncoderLayer or DecoderLayer: nn.ModuleList forgets which
    formulas: Formulas,
    trace: EncoderLayerTrace | DecoderLayerTrace,
    side: Side,
    part: str,
    x: Tensor,
) -> Iterator[Stop]:
    """A layer's sub-layers, each followed by its Add & Norm, with its norm before or after."""
    inside = FeedForwardStep(
        x=trace.feed_forward_residual.sublayer_in[0],
        hidden=trace.feed_forward.hidden[0],
        formula=formulas.hidden,
        module=module.feed_forward,
    )
    own = mark("self-attention") if side == "src" else mark("masked self-attention")
    for field, name, formula, within in (
        ("attention", own, SELF_ATTENTION, None),
        ("cross", mark("cross-attention"), CROSS_ATTENTION, None),
        ("feed_forward", mark("feed-forward"), formulas.feed_forward, inside),
    ):
        made = getattr(trace, field, None)
        if made is None:
            continue  # encoders and decoders alone have no cross-attention
        at: Residual = getattr(module, f"{field}_residual")
        residual: ResidualTrace = getattr(trace, f"{field}_residual")
        first, out = at.norm_first, residual.out[0]
        entry = NormStep(x=x, out=residual.sublayer_in[0], norm=at.norm) if first else None
        leave = None if first else NormStep(x=residual.added[0], out=out, norm=at.norm)
        full_formula = formula + formulas.entry
        yield Stop(part, name, side, full_formula, made.out[0], x, norm=entry, feed_forward=within)
        added = mark("add") if first else mark("add & norm")
        yield Stop(
            part, added, side, formulas.add, out, x, on_stream=True, sublayer=name, norm=leave
        )
        x = out


def _end(
    part: str, name: str, side: Side, out: Tensor, x: Tensor, norm: nn.Module, formulas: Formulas
) -> Stop:
    """The output of a stack, which may have one more norm."""
    last = not isinstance(norm, nn.Identity)
    formula = rf"\text{{out}} = {formulas.norm}(x)" if last else r"\text{out} = x"
    step = NormStep(x=x, out=out[0], norm=norm) if last else None
    return Stop(part, name, side, formula, out[0], x, on_stream=last, norm=step)
