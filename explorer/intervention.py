"""Interventions: a forward pass that is given some of its numbers, in place of its own.

What a part does shows when it is taken away, or taken from another run, and everything after it is
computed anew (Vig et al. 2020). An intervention names the places and says what stands there; a
forward pass takes it as an argument, and its trace is that of the run that results.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final, Literal

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from explorer.names import AttentionId, AttentionKind

Stack = Literal["encoder", "decoder"]


@dataclass(frozen=True, slots=True)
class Given:
    """Numbers in place of those computed: `values` where `where` is True."""

    where: Bool[Tensor, "*#shape"]
    values: Float[Tensor, "*#shape"]

    def into(self, computed: Float[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
        """The computed numbers with the given ones among them."""
        return torch.where(self.where, self.values, computed)


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenAttention:
    """The numbers given to one attention; all tensors are (batch, heads, length, d_k)."""

    v: Given | None = None  # the values, of the keys
    context: Given | None = None  # the heads' outputs before W_O, of the queries
    past: tuple[Tensor, Tensor] | None = None  # keys and values that come before those computed

    @property
    def n_past(self) -> int:
        """The number of tokens before those that are read now."""
        return 0 if self.past is None else self.past[0].shape[2]

    def after_past(self, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        """All keys and values, given those that were computed."""
        if self.past is None:
            return k, v
        return torch.cat([self.past[0], k], dim=2), torch.cat([self.past[1], v], dim=2)

    def into_v(
        self, computed: Float[Tensor, "batch heads key d_k"]
    ) -> Float[Tensor, "batch heads key d_k"]:
        """The values, given what was computed."""
        return computed if self.v is None else self.v.into(computed)

    def into_context(
        self, computed: Float[Tensor, "batch heads query d_k"]
    ) -> Float[Tensor, "batch heads query d_k"]:
        """The heads' outputs, given what was computed."""
        return computed if self.context is None else self.context.into(computed)


GivenLayer = Mapping[AttentionKind, GivenAttention]  # of the attentions of one layer
NOTHING: Final[GivenLayer] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class Intervention:
    """Everything that a forward pass is given; without it, it computes all by itself.

    `stream` has what enters a layer of a stack: 0 is the embedding, and the number of its layers
    stands for what the last one leaves. The trace of the layer below keeps what it computed.

    `n_past` tokens of the target are not read again: all attentions of the decoder are given their
    keys and values (a "KV cache"), and the trace is that of the other tokens. This is for `decode`
    alone; see `explorer.transformer.keys_and_values`.
    """

    src_embedded: Float[Tensor, "batch src d_model"] | None = None  # before × √d_model
    tgt_embedded: Float[Tensor, "batch tgt d_model"] | None = None
    src_mask: Bool[Tensor, "batch 1 1 src"] | None = None  # True = may attend
    tgt_mask: Bool[Tensor, "batch 1 tgt tgt"] | None = None
    attentions: Mapping[AttentionId, GivenAttention] = field(default_factory=dict)
    stream: Mapping[tuple[Stack, int], Given] = field(default_factory=dict)
    n_past: int = 0

    def of_layer(self, layer: int) -> GivenLayer:
        """The numbers given to the attentions of a layer, in the encoder and in the decoder."""
        return {kind: given for (kind, at), given in self.attentions.items() if at == layer}

    def entering(
        self, stack: Stack, layer: int, x: Float[Tensor, "batch length d_model"]
    ) -> Float[Tensor, "batch length d_model"]:
        """The input of a layer, with the given numbers among the computed ones."""
        given = self.stream.get((stack, layer))
        return x if given is None else given.into(x)


def given_to_heads(
    attention: AttentionId,
    where: Bool[Tensor, "runs heads"],
    values: Float[Tensor, "1 #heads #query #d_k"] | None = None,
) -> Intervention:
    """The outputs of some heads (before W_O) at every position, in each run others; usually 0."""
    if values is None:
        values = torch.zeros(1, 1, 1, 1, device=where.device)
    given = Given(where[:, :, None, None], values)
    return Intervention(attentions={attention: GivenAttention(context=given)})


NO_INTERVENTION: Final = Intervention()
