"""A question in words for the reader: the word, its measure and levels, the heads."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from explorer.analysis.attention import SHORT_NAMES
from explorer.analysis.causes.question import Question
from explorer.config import ModelConfig
from explorer.languages import numbered, numeral, tr
from explorer.names import AttentionKind

# A number for every head, or every position, of every layer.
Effects = Mapping[AttentionKind, Float[np.ndarray, "layers parts"]]
Head = tuple[AttentionKind, int, int]  # an attention, a layer and a head, from 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question with the words that a reader sees."""

    question: Question
    # In question, with its position if it stands there and occurs twice; the number of a dimension
    # if the model predicts no words.
    word: str
    rival: str  # empty without one
    source: tuple[str, ...]  # read by the encoder
    prefix: tuple[str, ...]  # read by the decoder, up to the word

    @classmethod
    def of(cls, question: Question) -> "Asked":
        """A question, with the labels of its batch."""
        sentence = question.sentence
        batch, row, config = sentence.batch, sentence.row, sentence.model.config
        ids = [question.token] if question.rival is None else [question.token, question.rival]
        names = [str(i) for i in ids]
        if config.n_logits:
            vocabulary = sentence.vocabulary
            names = batch.tgt_names(ids) if sentence.has_decoder else vocabulary.decode(ids)
            side = (batch.tgt_labels if sentence.has_decoder else batch.src_labels)[row]
            at = question.position + sentence.has_decoder
            if names[0] in side[at : at + 1] and side.count(names[0]) > 1:
                names[0] = numbered(at, names[0])
        return cls(
            question=question,
            word=names[0],
            rival=names[1] if len(names) > 1 else "",
            source=batch.src_labels[row] if config.has_encoder else (),
            prefix=batch.tgt_in_labels[row][: question.read],
        )

    @property
    def is_share(self) -> bool:
        """Whether the measure is a probability."""
        return self.question.rival is None and bool(self.question.sentence.model.config.n_logits)

    @property
    def measure(self) -> str:
        """The measure in words, for the beginning of a sentence."""
        if self.rival:
            return tr(
                "Logit of “{word}” minus logit of “{rival}”", word=self.word, rival=self.rival
            )
        if self.is_share and self.question.sentence.has_decoder:
            return tr("Probability of “{word}”", word=self.word)
        at = self.word_at(self.question.position)
        if self.is_share:
            return tr("Probability of “{word}” at “{place}”", word=self.word, place=at)
        return tr("Dimension {dimension} at “{word}”", dimension=self.word, word=at)

    @property
    def unit(self) -> str:
        """The unit of a change, for the beginning of a line."""
        if self.rival:
            return tr("Logit difference")
        return tr("Log-probability (nats)") if self.is_share else tr("Value")

    def level(self, measured: float) -> str:
        """The measure as a short number."""
        if not self.is_share:
            return numeral(measured, "z.2f")
        share = float(np.exp(min(measured, 0.0)))
        if share < 0.005:
            return f"< {numeral(0.01, '.2f')}"
        return numeral(share, ".2f")

    def is_noticeable(self, measured: float) -> bool:
        """Whether this measure differs noticeably from the answer's."""
        before = self.question.answer
        if self.is_share:
            return abs(float(np.exp(measured) - np.exp(before))) >= 0.05
        return abs(measured - before) >= 0.25

    def about(self) -> dict[str, object]:
        """The arguments of the same question in a notebook."""
        question, sentence = self.question, self.question.sentence
        arguments: dict[str, object] = {"position": question.position}
        n_logits = sentence.model.config.n_logits
        if not n_logits or question.token != sentence.written(question.position):
            arguments["token"] = question.token
        if question.rival is not None:
            arguments["rival"] = question.rival
        return arguments

    def word_at(self, at: int) -> str:
        """A word of source and prefix, by its index in both together.

        As in the pictures, its position stands before it if its side has the word twice.
        """
        n = len(self.source)
        side, position = (self.source, at) if at < n else (self.prefix, at - n)
        word = side[position]
        return numbered(position, word) if side.count(word) > 1 else word


def head_in_words(kind: AttentionKind, layer: int, head: int) -> str:
    """A head in the middle of a sentence; the arguments count from 0."""
    return tr(
        "layer {layer}, head {head} ({attention})",
        layer=layer + 1,
        head=head + 1,
        attention=tr(SHORT_NAMES[kind]),
    )


def heads_by_name(config: ModelConfig) -> dict[str, Head]:
    """Every head by its name in addresses, "encoder-1-3", which counts from 1."""
    return {
        f"{kind}-{layer + 1}-{head + 1}": (kind, layer, head)
        for kind, layer in config.attentions
        for head in range(config.n_heads)
    }


def by_head(grids: Effects) -> dict[Head, float]:
    """The number of every head."""
    return {
        (kind, layer, head): float(grid[layer, head])
        for kind, grid in grids.items()
        for layer, head in np.ndindex(grid.shape)
    }


def largest(values: Sequence[float] | np.ndarray) -> int:
    """The index of the number with the largest absolute value; NaN is none."""
    return int(np.nan_to_num(np.abs(np.asarray(values)), nan=-1.0).argmax())
