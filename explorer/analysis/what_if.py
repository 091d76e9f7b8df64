"""What if? The same model with one of its attentions changed."""

import copy
from dataclasses import dataclass, replace

from jaxtyping import Bool, Float
from torch import Generator, Tensor, nn

from explorer.attention import AttentionTrace, MultiHeadAttention, ScaledDotProduct
from explorer.config import require_within
from explorer.intervention import GivenAttention
from explorer.names import AttentionKind
from explorer.transformer import Transformer


@dataclass(frozen=True, slots=True, kw_only=True)
class AttentionChange:
    """How one attention differs from softmax(QKᵀ / √d_k + mask) V."""

    scaled: bool = True  # False: q·k is not divided by √d_k
    masked: bool = True  # False: every query may attend to every key
    without_head: int | None = None  # this head's context becomes 0; counted from 0

    def scale(self, usual: float | None) -> float | None:
        """The factor for q·k, given the usual one; None stands for 1/√d_k."""
        return usual if self.scaled else 1.0


class SharedAttention(MultiHeadAttention):
    """An attention on the weights of another; a subclass computes one step differently."""

    def __init__(self, original: MultiHeadAttention) -> None:
        nn.Module.__init__(self)
        vars(self).update(vars(original))


class ChangedAttention(SharedAttention):
    """An attention that shares the weights of another, but computes with a change."""

    def __init__(self, original: MultiHeadAttention, change: AttentionChange) -> None:
        super().__init__(original)
        if change.without_head is not None:
            require_within("without_head", change.without_head, original.n_heads)
        self.change = change
        self.usual_scale = original.scale
        self.scale = change.scale(original.scale)

    def forward(
        self,
        query: Float[Tensor, "batch query d_model"],
        memory: Float[Tensor, "batch key d_model"],
        mask: Bool[Tensor, "#batch #heads #query key"] | None = None,
        generator: Generator | None = None,
        bias: Float[Tensor, "heads query key"] | None = None,
        given: GivenAttention | None = None,
    ) -> AttentionTrace:
        """Attend from `query` to `memory`, without the mask if the change removes it."""
        kept = mask if self.change.masked else None
        return super().forward(query, memory, kept, generator, bias, given)

    def attend(
        self,
        q: Float[Tensor, "batch heads query d_k"],
        k: Float[Tensor, "batch heads key d_k"],
        v: Float[Tensor, "batch heads key d_k"],
        mask: Bool[Tensor, "#batch #heads #query key"] | None,
        bias: Float[Tensor, "heads query key"] | None,
        generator: Generator | None,
    ) -> ScaledDotProduct:
        """Attention within each head, without the head that is switched off."""
        attended = super().attend(q, k, v, mask, bias, generator)
        if self.change.without_head is None:
            return attended
        kept = q.new_ones(self.n_heads, 1, 1)
        kept[self.change.without_head] = 0.0
        return replace(attended, context=attended.context * kept)


def changed(
    model: Transformer, kind: AttentionKind, layer: int, change: AttentionChange
) -> Transformer:
    """A copy of the model that shares all its weights, but computes one attention differently.

    Raises:
        ValueError: if the model has no such kind, layer or head.
    """
    twin = copy.deepcopy(model, memo={id(weight): weight for weight in model.parameters()})
    twin.put_attention(kind, layer, ChangedAttention(model.attention(kind, layer), change))
    return twin
