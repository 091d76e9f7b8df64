"""Whether a sentence is of the kind that a translator has learnt from."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property, lru_cache
from typing import Any, Final, Self

from tokenizers import Tokenizer

from explorer.languages import tr
from explorer.weights.doubts.known_words import words_of

_WORDS: Final = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_USUAL: Final = 0.998  # share of the sentences of its own kind within each bound


@dataclass(frozen=True)
class Familiarity:
    """How often each piece was read in training, and how unusual a sentence may be.

    A word is as surprising as its pieces are rare. In another language, words are either made of
    many short pieces, or of pieces that the model has only written, never read.
    """

    counts: tuple[int, ...]  # of every piece, in the sources
    longest: int  # pieces: nearly all sources were shorter
    bits_a_piece: float
    bits_a_letter: float

    @classmethod
    def measured(
        cls, tokenizer: Tokenizer, sources: Sequence[str], held_out: Iterable[str]
    ) -> Self:
        """Count the pieces of the sources; the bounds come from sentences that were held out."""
        counts = [0] * tokenizer.get_vocab_size()
        lengths = []
        for encoded in tokenizer.encode_batch_fast(list(sources)):
            lengths.append(len(encoded.ids))
            for piece in encoded.ids:
                counts[piece] += 1
        unbounded = cls(tuple(counts), _quantile(lengths, 0.999), math.inf, math.inf)
        measured = [unbounded.surprise(tokenizer, sentence) for sentence in held_out]
        return cls(
            unbounded.counts,
            unbounded.longest,
            round(_quantile([piece for piece, _ in measured], _USUAL), 2),
            round(_quantile([letter for _, letter in measured], _USUAL), 2),
        )

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> Self:
        """The inverse of `written`."""
        return cls(**{**data, "counts": tuple(data["counts"])})

    def written(self) -> dict[str, Any]:
        """As JSON."""
        return asdict(self)

    def surprise(self, tokenizer: Tokenizer, sentence: str) -> tuple[float, float]:
        """Bits a piece and bits a letter, over the words that look like no names."""
        words = [
            word for at, word in enumerate(_WORDS.findall(sentence)) if at == 0 or word[0].islower()
        ]
        if not words:
            return 0.0, 0.0
        pieces = [piece for word in words for piece in _ids(tokenizer, word)]
        bits = sum(self._bits[piece] for piece in pieces)
        return bits / max(1, len(pieces)), bits / sum(len(word) + 1 for word in words)

    def outside(
        self, tokenizer: Tokenizer, sentence: str, translation: str = "", *, sure: bool = False
    ) -> str:
        """Why the sentence is outside of what was learnt, or nothing: foreign, or too long."""
        length = len(_ids(tokenizer, sentence))
        why = self.foreign(tokenizer, sentence, translation, sure=sure)
        if not why and length > self.longest:
            return tr(
                "nearly all that it learnt from had up to {n} pieces, and this has {length}",
                n=self.longest,
                length=length,
            )
        return why

    def foreign(
        self, tokenizer: Tokenizer, sentence: str, translation: str = "", *, sure: bool = False
    ) -> str:
        """Why the sentence is unlike the English that was learnt, or nothing.

        A sentence of rare pieces is not outside if the translator was `sure` of its answer. If it
        is too long as well, it is most likely in another language: letters that were never read
        are several pieces each.

        The pieces of a single word say too little: “Hello” is as surprising as “Hola”. So it is
        outside if it was only copied, if there is no translation yet, or if it is not in English
        letters.
        """
        length = len(_ids(tokenizer, sentence))
        words, translated = words_of(sentence), words_of(translation)
        copied = len(words) == 1 and words[0] in translated
        known = sure or (len(words) == 1 and bool(translated) and words[0].isascii())
        a_piece, a_letter = self.surprise(tokenizer, sentence)
        if a_piece > self.bits_a_piece or a_letter > self.bits_a_letter:
            if copied:
                return tr("the word was only copied, as words are that it does not know")
            if length > self.longest or not known:
                return tr("this does not look like the everyday English that it learnt from")
        return ""

    @cached_property
    def _bits(self) -> list[float]:
        total = sum(self.counts) + len(self.counts) / 2
        return [-math.log2((count + 0.5) / total) for count in self.counts]


@lru_cache(maxsize=512)  # a run asks several times, and a class about the same sentence
def _ids(tokenizer: Tokenizer, text: str) -> list[int]:
    return list(tokenizer.encode(text).ids)


def _quantile(numbers: Sequence[Any], share: float) -> Any:
    return sorted(numbers)[min(len(numbers) - 1, int(share * len(numbers)))]
