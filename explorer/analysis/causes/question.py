"""A question about one word, and the model's answer when something is changed."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from explorer.config import require_within
from explorer.intervention import NO_INTERVENTION, Intervention
from explorer.names import PAD, AttentionKind
from explorer.rules import of_words
from explorer.text import Batch
from explorer.transformer import EncoderTrace, Transformer, TransformerTrace
from explorer.vocabulary import Vocabulary

AT_ONCE: Final = 16  # rows of a batch; more would take memory and save hardly any time
Word = int | str  # an id, or the word itself
# Of an attention or a stack: its kind, a layer, and a number for every head or every position.
OfLayer = tuple[AttentionKind, int, Float[np.ndarray, " parts"]]
Sides = tuple[Float[Tensor, " src"], Float[Tensor, " tgt"]]  # a side of length 0 is missing


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """One sentence pair as a model read it, without dropout."""

    model: Transformer
    batch: Batch
    row: int
    trace: TransformerTrace  # of this row alone

    @property
    def src(self) -> Int[Tensor, "1 src"]:
        """The ids that the encoder reads."""
        return self.batch.src[self.row, None].to(self.trace.memory.device)

    @property
    def tgt(self) -> Int[Tensor, "1 tgt"]:
        """The ids that the decoder reads."""
        return self.batch.tgt_in[self.row, None].to(self.trace.memory.device)

    @property
    def lengths(self) -> tuple[int, int]:
        """The tokens of source and target; 0 for a side that the model does not read."""
        return self.trace.src_mask.shape[-1], self.trace.tgt_mask.shape[-1]

    def run(self, given: Intervention) -> TransformerTrace:
        """The trace of the sentence with an intervention."""
        src_mask, tgt_mask = self.trace.src_mask, self.trace.tgt_mask
        given = replace(given, src_mask=src_mask, tgt_mask=tgt_mask)
        return run(self.model, self.src, self.tgt, given)

    @property
    def words(self) -> list[int]:
        """The positions that may be in question: the decoder's without PAD, or an encoder's."""
        mask = self.trace.tgt_mask[0, 0].diagonal() if self.has_decoder else self.trace.src_mask
        return [at for at, may in enumerate(mask.flatten().tolist()) if may]

    @property
    def has_decoder(self) -> bool:
        """Whether the model writes; an encoder alone is asked about its own positions."""
        return self.model.config.has_decoder

    @property
    def outcome(self) -> Float[Tensor, "length width"]:
        """The logits at every position; of an encoder that predicts nothing, its output."""
        return (self.trace.logits if self.model.config.n_logits else self.trace.memory)[0]

    @property
    def vocabulary(self) -> Vocabulary:
        """The words that the model writes."""
        return self.batch.tgt_vocab if self.has_decoder else self.batch.src_vocab

    def require_position(self, position: int) -> None:
        """Check that a word is at this position.

        Raises:
            ValueError: if there is no such position, or PAD stands there.
        """
        require_within("position", position, len(self.outcome))
        if position not in self.words:
            raise ValueError(
                f"position must be that of a word, got {position}, where PAD stands; "
                f"words are at {', '.join(map(str, self.words)) or 'no position'}"
            )

    def written(self, position: int) -> int:
        """The id that follows in the target, or else the likeliest one.

        Raises:
            ValueError: if the model predicts no words.
        """
        if not self.model.config.n_logits:
            raise ValueError(
                "this model writes no words: token must be a dimension of its output, "
                f"0 to {self.model.config.d_model - 1}, got None"
            )
        after = self.batch.tgt_out
        labels = self.batch.tgt_labels[self.row]
        if self.has_decoder and after is not None and labels[position + 1] != PAD:
            return int(after[self.row, position])
        return int(of_words(self.outcome[position], self.batch.specials).argmax())

    def id_of(self, word: Word, name: str) -> int:
        """The id of a word, or of a dimension where the model writes no words.

        Raises:
            ValueError: if the model cannot write it; `name` says what it is for.
        """
        width = self.outcome.shape[-1]
        if isinstance(word, str):
            words = self.vocabulary
            ends = dict(zip(words.decode(words.specials.ends), words.specials.ends, strict=True))
            ids = words.encode([word]) if self.model.config.n_logits else []
            if ids == [words.specials.unk] and word in ends:
                return ends[word]  # which a model writes, too
            if not ids or ids[0] < 0 or words.is_special(ids[0]):
                raise ValueError(f"{name} must be one piece of the vocabulary, got {word[:40]!r}")
            return ids[0]
        if not 0 <= word < width:
            what = "an id of the vocabulary" if self.model.config.n_logits else "a dimension"
            raise ValueError(f"{name} must be {what}, 0 to {width - 1}, got {word}")
        return int(word)


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """Why this token, at this position of this sentence; with a rival, why not that one?

    The measure is log p(token), or the logit of the token minus that of its rival. An encoder
    that predicts no words is asked about a dimension of its output: the number itself.
    """

    sentence: Sentence
    position: int  # from 0; a row of the decoder, or of an encoder alone
    token: int
    rival: int | None = None

    @classmethod
    def of(
        cls,
        sentence: Sentence,
        position: int,
        token: Word | None = None,
        rival: Word | None = None,
    ) -> "Question":
        """The question about the token that was written, or about another one.

        Raises:
            ValueError: if there is no such position or token, or token and rival are the same.
        """
        sentence.require_position(position)
        asked = sentence.written(position) if token is None else sentence.id_of(token, "token")
        other = None if rival is None else sentence.id_of(rival, "rival")
        if asked == other:
            raise ValueError(f"rival must be another word than the token, got {other} for both")
        return cls(sentence=sentence, position=position, token=asked, rival=other)

    @property
    def read(self) -> int:
        """How many tokens of the target matter: the decoder sees none of those that follow."""
        return self.position + 1 if self.sentence.has_decoder else 0

    @property
    def lengths(self) -> list[int]:
        """The tokens of the source, and those of the target that matter."""
        return [self.sentence.lengths[0], self.read]

    @property
    def tgt(self) -> Int[Tensor, "1 read"]:
        """The target as far as it matters."""
        return self.sentence.tgt[:, : self.read]

    @property
    def src_mask(self) -> Bool[Tensor, "1 1 1 src"]:
        """Which source tokens may be attended to."""
        return self.sentence.trace.src_mask.clone()  # autograd keeps no tensor of inference mode

    @property
    def tgt_mask(self) -> Bool[Tensor, "1 1 read read"]:
        """Which target tokens may be attended to."""
        return self.sentence.trace.tgt_mask[:, :, : self.read, : self.read].clone()

    def measured(self, outcome: Float[Tensor, "*runs width"]) -> Float[Tensor, "*runs"]:
        """The measure, from the logits of its position (or from the output, if there are none)."""
        if self.rival is not None:
            return outcome[..., self.token] - outcome[..., self.rival]
        if self.sentence.model.config.n_logits:
            outcome = outcome.log_softmax(dim=-1)
        return outcome[..., self.token]

    def answered(self, sentence: Sentence) -> float:
        """The measure at the same position of a sentence, as it was read."""
        return float(self.measured(sentence.outcome[self.position]))

    @property
    def answer(self) -> float:
        """The measure when nothing is changed."""
        return self.answered(self.sentence)

    def ask(
        self, given: Intervention, rows: int, *, encoded: EncoderTrace | None = None
    ) -> Float[Tensor, " rows"]:
        """The measure in as many runs at once, each with its row of the intervention.

        `encoded`, of one row, saves running the encoder where it is given nothing.
        """
        model, src = self.sentence.model, self.sentence.src.expand(rows, -1)
        if given.src_mask is None:
            given = replace(given, src_mask=self.src_mask.expand(rows, -1, -1, -1))
        if not self.sentence.has_decoder:
            trace: TransformerTrace = model(src, given=given)
            outcome = trace.logits if model.config.n_logits else trace.memory
            return self.measured(outcome[:, self.position])
        if given.tgt_mask is None:
            given = replace(given, tgt_mask=self.tgt_mask.expand(rows, -1, -1, -1))
        read = model.encode(src, given=given) if encoded is None else encoded
        memory, mask = read.memory.expand(rows, -1, -1), read.mask.expand(rows, -1, -1, -1)
        tgt = self.tgt.expand(rows, -1)
        at = slice(self.position, self.position + 1)
        decoded = model.decode(tgt, memory, mask, given=given, at=at)
        return self.measured(decoded.logits[:, 0])

    def encoded(self) -> EncoderTrace | None:
        """The encoder's trace of the source, if it has one and a decoder reads it."""
        config = self.sentence.model.config
        if not (config.has_encoder and config.has_decoder):
            return None
        return encoder_part(self.sentence.trace)


def one_by_one(
    question: Question,
    kind: AttentionKind,
    parts: int,
    given: Callable[[Bool[Tensor, "runs parts"]], Intervention],
) -> Float[np.ndarray, " parts"]:
    """The change of the measure for each part by itself: `given` is told the part of each run.

    Where the encoder is given nothing, it does not run.
    """
    each = torch.eye(parts, dtype=torch.bool, device=question.src_mask.device)
    encoded = None if kind == "encoder" else question.encoded()
    with torch.inference_mode():
        answers = [
            question.ask(given(some), len(some), encoded=encoded)
            for some in torch.split(each, AT_ONCE)
        ]
    measures: np.ndarray = torch.cat(answers).cpu().double().numpy()
    return measures - question.answer


def run(
    model: Transformer,
    src: Int[Tensor, "runs src"] | None,
    tgt: Int[Tensor, "runs tgt"] | None,
    given: Intervention = NO_INTERVENTION,
    encoded: EncoderTrace | None = None,
) -> TransformerTrace:
    """A run with an intervention; a side that the model does not read is left out."""
    config = model.config
    with torch.inference_mode():
        trace: TransformerTrace = model(
            src if config.has_encoder else None,
            tgt if config.has_decoder else None,
            encoded=encoded,
            given=given,
        )
    return trace


def encoder_part(trace: TransformerTrace, rows: Int[Tensor, " runs"] | None = None) -> EncoderTrace:
    """The encoder's trace of a source, or of some rows of a batch."""
    every = slice(None) if rows is None else rows
    return EncoderTrace(
        mask=trace.src_mask[every],
        embedding=trace.src_embedding,
        layers=trace.encoder,
        memory=trace.memory[every],
    )
