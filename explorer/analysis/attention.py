"""One attention of one run, with everything needed to draw and describe it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from typing import Final

import numpy as np
from jaxtyping import Bool, Float

from explorer.attention import may_attend
from explorer.languages import mark
from explorer.names import BOS, EOS, PAD, AttentionKind, SpecialIds
from explorer.text import Batch
from explorer.transformer import TransformerTrace

ATTENTION_NAMES: Final[Mapping[str, str]] = {
    "encoder": mark("encoder attention"),
    "decoder": mark("decoder attention"),
    "cross": mark("cross attention"),
}
ATTENDS: Final[Mapping[str, str]] = {
    "encoder": mark(
        "Every source word looks at every source word: queries, keys and values all come from the "
        "source."
    ),
    "decoder": mark(
        "Every target word looks at itself and at the words before it, never at the future."
    ),
    "cross": mark(
        "Target words look at the source: queries from the decoder, keys and values from the "
        "encoder's memory."
    ),
}
SHORT_NAMES: Final[Mapping[str, str]] = {
    "encoder": mark("encoder"),
    "decoder": mark("decoder"),
    # Translators: cross-attention, in a menu beside “encoder” and “decoder”.
    "cross": mark("cross"),
}
# At the beginning of a line.
KIND_NAMES: Final[Mapping[str, str]] = {
    "encoder": mark("Encoder"),
    "decoder": mark("Decoder"),
    # Translators: cross-attention, beside “Encoder” and “Decoder”, as in “Cross, layer 1, head 2”.
    "cross": mark("Cross"),
}

# For a model whose decoder begins with another token than its sources do.
_OTHER_FRAMES: Final = frozenset({"<s>", "</s>", "[CLS]", "[SEP]"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Attention:
    """All heads of one attention layer for one sentence pair.

    Rows are queries, columns are keys. In the encoder, a row reads a source word and rewrites its
    vector; in the decoder, a row reads a target word and helps to write the next one.
    """

    kind: AttentionKind
    layer: int  # from 0
    weights: Float[np.ndarray, "heads query key"]
    scores: Float[np.ndarray, "heads query key"]
    may_attend: Bool[np.ndarray, "query key"]
    query_labels: tuple[str, ...]
    key_labels: tuple[str, ...]
    query_positions: tuple[int, ...]  # in the padded sentence, from 0
    key_positions: tuple[int, ...]
    writes: tuple[str, ...]  # the target word each query helps to write, or nothing
    frame: frozenset[str] = frozenset({BOS, EOS})  # and the labels that models use for them

    @classmethod
    def of(
        cls, trace: TransformerTrace, batch: Batch, row: int, kind: AttentionKind, layer: int
    ) -> "Attention":
        """The attention of a trace whose first sentence pair is `row` of the batch.

        Raises:
            ValueError: for a kind or a layer that the model does not have.
        """
        found = trace.attention(kind, layer)
        src, tgt = batch.src_labels[row], batch.tgt_in_labels[row]
        queries = src if kind == "encoder" else tgt
        keys = tgt if kind == "decoder" else src
        answers = kind != "encoder" and batch.tgt_out is not None
        after = batch.tgt_out_labels[row] if answers else (PAD,) * len(queries)
        return cls(
            kind=kind,
            layer=layer,
            weights=found.weights[0].cpu().numpy(),
            scores=found.scores[0].cpu().numpy(),
            may_attend=may_attend(found).cpu().numpy(),
            query_labels=queries,
            key_labels=keys,
            query_positions=tuple(range(len(queries))),
            key_positions=tuple(range(len(keys))),
            writes=tuple("" if word == PAD else word for word in after),
            frame=_frame(batch.specials),
        )

    @property
    def n_heads(self) -> int:
        """The number of heads."""
        return len(self.weights)

    @property
    def query_is_word(self) -> list[bool]:
        """Which queries are not PAD."""
        return [label != PAD for label in self.query_labels]

    @property
    def key_is_word(self) -> list[bool]:
        """Which keys are not PAD."""
        return [label != PAD for label in self.key_labels]

    def without_pad(self) -> "Attention":
        """Only the rows and columns of words; if one side is all PAD, the attention itself."""
        queries, keys = self.query_is_word, self.key_is_word
        return self._keep(queries, keys) if any(queries) and any(keys) else self

    def up_to(self, queries: int, keys: int) -> "Attention":
        """Only the first rows and columns."""
        rows, columns = range(len(self.query_labels)), range(len(self.key_labels))
        return self._keep([row < queries for row in rows], [column < keys for column in columns])

    def cell(self, query_position: int, key_position: int) -> tuple[int, int] | None:
        """The row and column of two positions in the sentences; None if one is not shown."""
        if query_position not in self.query_positions or key_position not in self.key_positions:
            return None
        return self.query_positions.index(query_position), self.key_positions.index(key_position)

    def _keep(self, queries: Sequence[bool], keys: Sequence[bool]) -> "Attention":
        rows, columns = np.flatnonzero(queries), np.flatnonzero(keys)
        return replace(
            self,
            weights=self.weights[:, rows][:, :, columns],
            scores=self.scores[:, rows][:, :, columns],
            may_attend=self.may_attend[rows][:, columns],
            query_labels=tuple(compress(self.query_labels, queries)),
            key_labels=tuple(compress(self.key_labels, keys)),
            query_positions=tuple(compress(self.query_positions, queries)),
            key_positions=tuple(compress(self.key_positions, keys)),
            writes=tuple(compress(self.writes, queries)),
        )


def word_positions(labels: Sequence[str]) -> list[int]:
    """The positions that are not PAD."""
    return [at for at, label in enumerate(labels) if label != PAD]


def content_words(labels: Sequence[str]) -> list[int]:
    """The positions of the words that mean most: the long ones, or all there are; at least one.

    PAD, BOS and EOS are none, nor are punctuation marks and pieces that continue a word.
    """
    letters = [
        len(label) if label.isalpha() and label not in (PAD, BOS, EOS) else 0 for label in labels
    ]
    for least in (4, 2, 1):
        if found := [at for at, count in enumerate(letters) if count >= least]:
            return found
    return word_positions(labels) or [0]


def _frame(specials: SpecialIds) -> frozenset[str]:
    names = specials.names()
    own = {name for _, name in specials.own_names}
    return frozenset({names[specials.bos], names[specials.eos]} | (own & _OTHER_FRAMES))
