"""Embeddings, Add & Norm and masks that compute with a mistake, on the weights of right ones."""

from typing import Final

import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Generator, Tensor, nn

from explorer.attention import drop
from explorer.config import require_one_of
from explorer.layers import Embedding, Residual, ResidualTrace
from explorer.masks import causal_mask, padding_mask
from explorer.positional import in_halves, sinusoidal
from explorer.transformer import Transformer

# What the exponent is multiplied by. In the published mistake, the variable of the loop already
# steps by 2, and the exponent doubles it again.
FORMULAS: Final = {"paper": 1, "doubled": 2}


def base_of(base: float, formula: str) -> float:
    """The base that gives the waves of a formula by the paper's: b^(2x) = (b²)^x.

    Raises:
        ValueError: for an unknown formula.
    """
    require_one_of("formula", formula, FORMULAS)
    return float(base ** FORMULAS[formula])


class OtherWaves(Embedding):
    """An embedding that adds waves of another base than the paper's."""

    def __init__(self, original: Embedding, *, base: float) -> None:
        nn.Module.__init__(self)
        vars(self).update(vars(original))
        self.base = base

    def waves(self, length: int, d_model: int) -> Float[Tensor, "length d_model"]:
        """sin and cos of pos / base^(2i / d_model)."""
        encoding = sinusoidal(length, d_model, self.base)
        return in_halves(encoding) if self.positions == "halves" else encoding


class DropoutAfterNorm(Residual):
    """Dropout(LayerNorm(x + Sublayer(x))), or Dropout(x + Sublayer(LayerNorm(x))) with pre-norm.

    It drops numbers of the residual stream itself, not only of what a sub-layer adds to it.
    """

    def __init__(self, original: Residual) -> None:
        nn.Module.__init__(self)
        vars(self).update(vars(original))

    def leave(
        self, x: Tensor, sublayer_in: Tensor, sublayer_out: Tensor, generator: Generator | None
    ) -> ResidualTrace:
        """Add, normalise, and drop last."""
        added = x + sublayer_out
        out = added if self.norm_first else self.norm(added)
        return ResidualTrace(
            sublayer_in=sublayer_in, added=added, out=drop(out, self.dropout, generator)
        )


class NoCausalMask(Transformer):
    """A decoder that sees the future: its mask hides PAD alone."""

    def tgt_mask(
        self, tgt: Int[Tensor, "batch tgt"], words: Bool[Tensor, "batch tgt"] | None = None
    ) -> Bool[Tensor, "batch 1 tgt tgt"]:
        """Which target tokens each target token may attend to."""
        pad_id, length = self.config.tgt_pad_id, tgt.shape[1]
        hidden = padding_mask(tgt, pad_id, words=self._words(tgt, pad_id, words))
        return hidden.expand(-1, 1, length, length)


def query_padding_mask(
    tgt: Int[Tensor, "batch query"],
    pad_id: int,
    *,
    words: Bool[Tensor, "batch query"] | None = None,
) -> Bool[Tensor, "batch 1 query query"]:
    """A mask that hides PAD *queries* instead of PAD *keys*.

    `(tgt != pad)` with shape (batch, 1, T, 1) blanks whole rows, and real tokens still attend to
    PAD wherever the causal mask allows it. Harmless only if all padding is at the end.
    """
    return padding_mask(tgt, pad_id, words=words).mT & causal_mask(tgt.shape[1], tgt.device)


class PadQueriesHidden(Transformer):
    """A decoder whose mask hides the rows of PAD, and leaves its columns open."""

    def tgt_mask(
        self, tgt: Int[Tensor, "batch tgt"], words: Bool[Tensor, "batch tgt"] | None = None
    ) -> Bool[Tensor, "batch 1 tgt tgt"]:
        """Which target tokens each target token may attend to."""
        pad_id = self.config.tgt_pad_id
        return query_padding_mask(tgt, pad_id, words=self._words(tgt, pad_id, words))


class ColumnsAsSentences(Transformer):
    """The masks of a batch whose columns are taken for its sentences.

    The shapes fit only if a batch has as many sentences as each has tokens. Any other batch is
    taken in such squares here; the last is filled up with PAD.
    """

    def _words(
        self,
        ids: Int[Tensor, "batch length"],
        pad_id: int,
        words: Bool[Tensor, "batch length"] | None,
    ) -> Bool[Tensor, "batch length"]:
        """Which tokens are not padding: a row has those of a column."""
        return words_by_column(super()._words(ids, pad_id, words))


def words_by_column(words: Bool[Tensor, "batch length"]) -> Bool[Tensor, "batch length"]:
    """The squares of a batch, each transposed; what is not there is PAD."""
    batch, length = words.shape
    filled = F.pad(words, (0, 0, 0, -batch % length))  # (squares · length, length)
    transposed = filled.view(-1, length, length).mT.reshape(-1, length)
    return transposed[:batch]


def shared(model: Transformer, kind: type[Transformer]) -> Transformer:
    """A second model of this kind on the same weights, in the same memory."""
    return kind(model.config, device=model.device, weights=model.own_weights())
