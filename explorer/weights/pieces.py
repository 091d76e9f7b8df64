"""Subwords as tokens: pieces of words, labelled so that one can see where a word goes on."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from tokenizers import Tokenizer

from explorer.names import GOES_ON, SPECIALS, PaddingSide
from explorer.text import Answer, Batch
from explorer.vocabulary import Vocabulary
from explorer.weights.subwords import SPACE

BYTE: Final = "<0x"  # begins a piece that is one byte of a rare character
SPACE_SHOWN: Final = "␣"  # before a mark that follows a space


def label(piece: str) -> str:
    """The label of a piece: “the” for “▁the”, “·ing” for “ing”, “,” as it is.

    No two pieces of a vocabulary get the same label.
    """
    if piece.startswith(BYTE):
        return piece
    after_space = piece.startswith(SPACE)
    rest = piece.removeprefix(SPACE)
    if not rest[:1].isalnum():
        return SPACE_SHOWN + rest if after_space else rest
    return rest if after_space else GOES_ON + rest


@dataclass(frozen=True, eq=False)
class SubwordTokenizer:
    """Text → pieces, by a trained byte-pair encoding. Source and target share one vocabulary."""

    trained: Tokenizer

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The pieces, by their labels, at their ids."""
        size = self.trained.get_vocab_size()
        pieces = [str(self.trained.id_to_token(number)) for number in range(len(SPECIALS), size)]
        return Vocabulary(tuple(map(label, pieces)), size)

    def split(self, text: str) -> tuple[str, ...]:
        """The pieces of a sentence."""
        return tuple(self.vocabulary.decode(self.trained.encode(text).ids))

    def join(self, tokens: Sequence[str]) -> str:
        """The text that these pieces stand for."""
        return str(self.trained.decode(self.vocabulary.encode(tokens)))

    def batch(
        self,
        sources: Sequence[str],
        targets: Sequence[str | Answer],
        *,
        side: PaddingSide = "right",
        length: int | None = None,
    ) -> Batch:
        """The pairs as pieces, padded."""
        return Batch.from_words(
            [self.split(text) for text in sources],
            [target if isinstance(target, Answer) else self.split(target) for target in targets],
            self.vocabulary,
            self.vocabulary,
            side=side,
            length=length,
        )

    def grouped(self, text: str) -> list[tuple[str, ...]]:
        """The pieces of each word; a mark, and the “'t” of “didn't”, is a word of its own."""
        encoded = self.trained.encode(text)
        words: dict[int | None, list[str]] = {}
        for word, piece in zip(encoded.word_ids, self.vocabulary.decode(encoded.ids), strict=True):
            words.setdefault(word, []).append(piece)
        return [tuple(pieces) for pieces in words.values()]
