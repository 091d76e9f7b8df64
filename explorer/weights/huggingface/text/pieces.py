"""The pieces that a pretrained model reads: text → ids → text."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Protocol, runtime_checkable

from tokenizers import Tokenizer

PAD_NAMES: Final = ("<pad>", "[PAD]")
BOS_NAMES: Final = ("<s>", "[CLS]", "<|endoftext|>")
EOS_NAMES: Final = ("</s>", "[SEP]", "<|endoftext|>")
UNK_NAMES: Final = ("<unk>", "[UNK]")
SPACE: Final = "▁"  # how SentencePiece shows the space before a word
# Each piece's id, and the number of its word; None for a frame such as BOS.
Encoded = list[tuple[int, int | None]]


@runtime_checkable
class Pieces(Protocol):
    """The pieces that one stack of a model reads."""

    @property
    def names(self) -> Mapping[int, str]:
        """Each id and its piece, as the model writes it."""
        ...

    @property
    def specials(self) -> frozenset[int]:
        """The ids of the special tokens."""
        ...

    @property
    def byte_level(self) -> bool:
        """Whether every character of a piece stands for one byte."""
        ...

    def encode(self, text: str, *, framed: bool) -> Encoded:
        """The ids of a text; `framed` with the special tokens around it."""
        ...

    def unknown(self, text: str, unk: int) -> str:
        """The first part of a text that has no piece, as typed; nothing if there is none."""
        ...

    def decode(self, ids: Iterable[int]) -> str:
        """The text that these ids stand for."""
        ...


@dataclass(frozen=True, eq=False)
class TrainedPieces:
    """Pieces by a tokenizer of the package tokenizers."""

    trained: Tokenizer
    names: Mapping[int, str]
    specials: frozenset[int]
    byte_level: bool

    @classmethod
    def of(cls, trained: Tokenizer) -> "TrainedPieces":
        """Reads whole sentences: without what the file says about cutting and padding."""
        trained.no_truncation()
        trained.no_padding()
        added = trained.get_added_tokens_decoder()
        return cls(
            trained,
            {number: piece for piece, number in trained.get_vocab().items()},
            frozenset(number for number, token in added.items() if token.special),
            "ByteLevel" in repr(trained.decoder),
        )

    def encode(self, text: str, *, framed: bool) -> Encoded:
        """See `Pieces`."""
        found = self.trained.encode(text, add_special_tokens=framed)
        return list(zip(found.ids, found.word_ids, strict=True))

    def unknown(self, text: str, unk: int) -> str:
        """See `Pieces`."""
        found = self.trained.encode(text, add_special_tokens=False)
        parts = zip(found.ids, found.offsets, strict=True)
        return next((text[start:end] for number, (start, end) in parts if number == unk), "")

    def decode(self, ids: Iterable[int]) -> str:
        """See `Pieces`."""
        return str(self.trained.decode(list(ids), skip_special_tokens=False))


@dataclass(frozen=True, eq=False)
class SentencePieces:
    """Pieces by a SentencePiece model, numbered by the model's own vocabulary.

    Marian's tokenizer first normalises the punctuation as Moses does, where the package sacremoses
    is installed. This one does not: “ ” and " stay different marks.
    """

    model: Any  # a SentencePieceProcessor: the package has no types
    ids: Mapping[str, int]
    names: Mapping[int, str]
    specials: frozenset[int]
    whole: re.Pattern[str]  # special pieces, such as </s>, wherever they are typed; one group
    byte_level: bool = False

    def encode(self, text: str, *, framed: bool) -> Encoded:
        """See `Pieces`."""
        unk, word = self.ids[UNK_NAMES[0]], -1
        found: Encoded = []
        for at, part in enumerate(self.whole.split(text)):
            pieces = [part] if at % 2 else self.model.encode(part, out_type=str)
            for piece in pieces:
                word += piece.startswith(SPACE)
                found.append((self.ids.get(piece, unk), word))
        return [*found, (self.ids[EOS_NAMES[0]], None)] if framed else found

    def unknown(self, text: str, unk: int) -> str:
        """See `Pieces`."""
        parts = self.whole.split(text)[::2]
        pieces = (piece for part in parts for piece in self.model.encode(part, out_type=str))
        return next((p.strip(SPACE) for p in pieces if self.ids.get(p, unk) == unk), "")

    def decode(self, ids: Iterable[int]) -> str:
        """See `Pieces`."""
        pieces = [self.names[number] for number in ids if number in self.names]
        return str(self.model.decode_pieces(pieces)).replace(SPACE, " ").strip()


@dataclass(frozen=True, eq=False)
class CharacterPieces:
    """Characters, numbered by their place in a string; the first four places are special tokens."""

    characters: str
    byte_level: bool = False

    @property
    def names(self) -> dict[int, str]:
        """See `Pieces`."""
        return dict(enumerate(self.characters)) | dict(enumerate(("<pad>", "<s>", "</s>", "<unk>")))

    @property
    def specials(self) -> frozenset[int]:
        """See `Pieces`."""
        return frozenset(range(4))

    def encode(self, text: str, *, framed: bool) -> Encoded:
        """See `Pieces`."""
        found: Encoded = []
        word = 0
        for letter in text:
            word += letter.isspace()
            found.append((max(3, self.characters.find(letter)), word))
        return [(1, None), *found, (2, None)] if framed else found

    def unknown(self, text: str, unk: int) -> str:
        """See `Pieces`."""
        return next((letter for letter in text if self.characters.find(letter) <= unk), "")

    def decode(self, ids: Iterable[int]) -> str:
        """See `Pieces`."""
        return "".join(self.characters[i] for i in ids if 3 < i < len(self.characters))
