"""The mapping between tokens and ids."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from explorer.names import SPECIALS, USUAL_IDS, SpecialIds

VOCAB_SIZE: Final = 1000
_LABEL: Final = re.compile(r"#(0|[1-9][0-9]{0,8})")  # of an id without a word


@dataclass(frozen=True)
class Vocabulary:
    """The special tokens at the ids of `specials`, and the words at the other ids, in order.

    Words get ids in order of first appearance; once all `size` ids are used, further words become
    UNK.

    Raises:
        ValueError: if `size` leaves no room for the special tokens.
    """

    tokens: tuple[str, ...]
    size: int
    specials: SpecialIds = USUAL_IDS

    def __post_init__(self) -> None:
        if self.size <= max(self.specials.names()):
            raise ValueError(
                f"size must leave room for the {len(SPECIALS)} special tokens, got size={self.size}"
            )

    @classmethod
    def build(cls, sentences: Iterable[Sequence[str]], size: int = VOCAB_SIZE) -> "Vocabulary":
        """A vocabulary of the words in the tokenised sentences."""
        words = dict.fromkeys(token for sentence in sentences for token in sentence)
        return cls(tuple(words)[: max(0, size - len(SPECIALS))], size)

    @classmethod
    def of(cls, words: Sequence[str]) -> "Vocabulary":
        """A vocabulary with room for these words, and for no others."""
        return cls(tuple(words), len(SPECIALS) + len(words))

    def encode(self, sentence: Iterable[str]) -> list[int]:
        """Tokens → ids; a token outside the vocabulary becomes UNK.

        The label that `decode` gives an id without a word becomes that id again.
        """
        return [self._number_of(token) for token in sentence]

    def _number_of(self, token: str) -> int:
        tokens, ids = self._tables
        if token in ids:
            return ids[token]
        number = int(token[1:]) if _LABEL.fullmatch(token) else self.size
        return number if number < self.size and number not in tokens else self.specials.unk

    def decode(self, ids: Iterable[int]) -> list[str]:
        """Ids → tokens; an id without a word becomes its number."""
        tokens, _ = self._tables
        return [tokens.get(i, f"#{i}") for i in ids]

    def is_special(self, token_id: int) -> bool:
        """Whether the id is PAD, BOS, EOS or UNK."""
        return token_id in self.specials.names()

    def has_word(self, token_id: int) -> bool:
        """Whether the id has a word: it is neither special nor without a name of its own."""
        return token_id in self._tables[0] and not self.is_special(token_id)

    @cached_property
    def _tables(self) -> tuple[dict[int, str], dict[str, int]]:
        """Ids → tokens, and words → ids. A word spelt like a special token is still a word."""
        specials = self.specials.names()
        free = (number for number in range(self.size) if number not in specials)
        words = dict(zip(free, self.tokens, strict=False))
        return specials | words, {token: number for number, token in words.items()}
