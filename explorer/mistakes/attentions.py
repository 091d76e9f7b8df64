"""Attentions that compute with a mistake, on the weights of right ones."""

from dataclasses import replace

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float
from torch import Generator, Tensor

from explorer.analysis.what_if import SharedAttention
from explorer.attention import (
    AttentionTrace,
    MultiHeadAttention,
    ScaledDotProduct,
    drop,
    scaled_dot_product,
)
from explorer.intervention import GivenAttention


class SoftmaxOverQueries(SharedAttention):
    """softmax(dim=-2): the weights of a key sum to 1, not those of a query."""

    def attend(
        self,
        q: Float[Tensor, "batch heads query d_k"],
        k: Float[Tensor, "batch heads key d_k"],
        v: Float[Tensor, "batch heads key d_k"],
        mask: Bool[Tensor, "#batch #heads #query key"] | None,
        bias: Float[Tensor, "heads query key"] | None,
        generator: Generator | None,
    ) -> ScaledDotProduct:
        """Attention within each head, normalised down the columns."""
        right = scaled_dot_product(q, k, v, mask, scale=self.scale, bias=bias)
        allowed = torch.ones_like(right.scores, dtype=torch.bool) if mask is None else mask
        allowed = allowed.expand_as(right.scores)
        weights = torch.where(allowed, right.scores, -torch.inf).softmax(dim=-2)
        weights = torch.where(allowed.any(dim=-2, keepdim=True), weights, 0.0)
        kept = drop(weights, self.dropout, generator)
        return replace(
            right,
            weights=weights,
            dropped=None if kept is weights else kept,
            context=kept @ v,
        )


class HeadsNotTransposed(SharedAttention):
    """(batch, heads, query, d_k) reshaped to (batch, query, heads · d_k) without a transpose.

    The numbers of each head fill the first rows: a word gets the context of other words.
    """

    def merge(
        self, context: Float[Tensor, "batch heads query d_k"]
    ) -> Float[Tensor, "batch query width"]:
        """The numbers in the order in which they lie in memory."""
        batch, heads, length, d_k = context.shape
        return context.reshape(batch, length, heads * d_k)


class QueriesFromEncoder(SharedAttention):
    """Cross-attention with queries and keys from the encoder, and values from the decoder.

    The shapes fit only if source and target are equally long. Elsewhere the queries are cut to the
    length of the target and the values to that of the source, or filled up with zeros.
    """

    def project(
        self,
        query: Float[Tensor, "batch query d_model"],
        memory: Float[Tensor, "batch key d_model"],
    ) -> tuple[
        Float[Tensor, "batch heads query d_k"],
        Float[Tensor, "batch heads key d_k"],
        Float[Tensor, "batch heads key d_k"],
    ]:
        """q = memory W_Q, k = memory W_K, v = query W_V."""
        q, k, _ = super().project(memory, memory)
        _, _, v = super().project(query, query)
        return fit(q, query.shape[1]), k, fit(v, memory.shape[1])


class BatchAsSequence(SharedAttention):
    """(batch, sequence) read as (sequence, batch): words attend across the sentences of a batch.

    This is what `torch.nn.MultiheadAttention` does with its default `batch_first=False`. A word
    looks at the words at its own position in all sentences of the batch. A `causal` mask hides the
    later sentences; words that are PAD stay hidden. In cross-attention the source
    is cut or filled up with PAD to the length of the target.

    The trace shows the part within each sentence: a query may attend to its own position only
    there, and the rest of its weight goes to the other sentences.
    """

    def __init__(self, original: MultiHeadAttention, *, causal: bool) -> None:
        super().__init__(original)
        self.causal = causal

    def forward(
        self,
        query: Float[Tensor, "batch query d_model"],
        memory: Float[Tensor, "batch key d_model"],
        mask: Bool[Tensor, "#batch #heads #query key"] | None = None,
        generator: Generator | None = None,
        bias: Float[Tensor, "heads query key"] | None = None,
        given: GivenAttention | None = None,
    ) -> AttentionTrace:
        """Attend from every sentence to every sentence, at each position."""
        q, k, v = self.project(query, memory)
        if given is not None:
            v = given.into_v(v)
        length, n_keys = q.shape[2], k.shape[2]
        allowed = self._across(query, memory, mask)  # (query, 1, batch, batch)
        ran = scaled_dot_product(
            _transposed(q),  # (query, heads, batch, d_k)
            _transposed(fit(k, length)),
            _transposed(fit(v, length)),
            allowed,
            scale=self.scale,
            dropout=self.dropout,
            generator=generator,
        )
        context = _transposed(ran.context)  # (batch, heads, query, d_k)
        if given is not None:
            context = given.into_context(context)
        n_shared = min(length, n_keys)
        at = torch.arange(n_shared, device=q.device)
        own = ran.weights.diagonal(dim1=-2, dim2=-1).permute(2, 1, 0)  # (batch, heads, query)
        weights = q.new_zeros(*q.shape[:3], n_keys)
        weights[..., at, at] = own[..., :n_shared]
        within = torch.zeros(len(q), 1, length, n_keys, dtype=torch.bool, device=q.device)
        within[..., at, at] = allowed.diagonal(dim1=-2, dim2=-1).permute(2, 1, 0)[..., :n_shared]
        return AttentionTrace(
            q=q,
            k=k,
            v=v,
            mask=within,
            bias=None,
            scores=scaled_dot_product(q, k, v, scale=self.scale).scores,
            weights=weights,
            dropped=None,
            context=context,
            out=self.w_o(self.merge(context)),
        )

    def _across(
        self, query: Tensor, memory: Tensor, mask: Tensor | None
    ) -> Bool[Tensor, "query 1 batch batch"]:
        """Whether a sentence's word at a position may attend to that of another."""
        batch, length = query.shape[:2]
        n_keys = memory.shape[1]
        words = torch.ones(batch, n_keys, dtype=torch.bool, device=query.device)
        if mask is not None:
            cells = mask.expand(batch, 1, length, n_keys)[:, 0]  # (batch, query, key)
            words = cells.diagonal(dim1=-2, dim2=-1) if self.causal else cells[:, 0]
        words = F.pad(words, (0, max(0, length - n_keys)))[:, :length]
        allowed = words.T[:, None, None, :].expand(length, 1, batch, batch)
        return allowed.tril() if self.causal else allowed


def fit(
    x: Float[Tensor, "batch heads given d_k"], length: int
) -> Float[Tensor, "batch heads length d_k"]:
    """The first `length` tokens, with zeros where there are not as many."""
    return F.pad(x, (0, 0, 0, max(0, length - x.shape[2])))[:, :, :length]


def _transposed(x: Tensor) -> Tensor:
    """(batch, heads, length, d_k) ↔ (length, heads, batch, d_k)."""
    return x.transpose(0, 2)
