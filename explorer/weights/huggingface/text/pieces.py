"""The pieces that a pretrained model reads: text → ids → text, by its tokenizer.json."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tokenizers import Tokenizer

PAD_NAMES: Final = ("<pad>", "[PAD]")
BOS_NAMES: Final = ("<s>", "[CLS]", "<|endoftext|>")
EOS_NAMES: Final = ("</s>", "[SEP]", "<|endoftext|>")
UNK_NAMES: Final = ("<unk>", "[UNK]")
_RARE: Final = "\U0010fffd"  # a tokenizer without UNK may fail at a character that it never saw
# Each piece's id, and the number of its word; None for a frame such as BOS.
Encoded = list[tuple[int, int | None]]


@dataclass(frozen=True, eq=False)
class Pieces:
    """The pieces that one stack of a model reads."""

    trained: Tokenizer
    names: Mapping[int, str]  # each id and its piece, as the model writes it
    specials: frozenset[int]
    byte_level: bool  # whether every character of a piece stands for one byte

    @classmethod
    def of(cls, trained: Tokenizer) -> "Pieces":
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
        """The ids of a text; `framed` with the special tokens around it."""
        found = self.trained.encode(text, add_special_tokens=framed)
        return list(zip(found.ids, found.word_ids, strict=True))

    def unknown(self, text: str, unk: int) -> str:
        """The first part of a text that has no piece, as typed; nothing if there is none."""
        found = self.trained.encode(text, add_special_tokens=False)
        parts = zip(found.ids, found.offsets, strict=True)
        return next((text[start:end] for number, (start, end) in parts if number == unk), "")

    def decode(self, ids: Iterable[int]) -> str:
        """The text that these ids stand for."""
        return str(self.trained.decode(list(ids), skip_special_tokens=False))


def read_pieces(path: Path) -> Pieces:
    """The pieces of a tokenizer.json.

    Raises:
        ValueError: if it is damaged.
    """
    trained = read_trained(path)
    try:
        trained.encode(_RARE)
        return Pieces.of(trained)
    except BaseException as error:
        if not is_failure(error):
            raise
        raise ValueError(cannot_be_read(path.name, error)) from error


def read_trained(path: Path) -> Tokenizer:
    """The tokenizer of a file.

    Raises:
        ValueError: if it is none.
    """
    try:
        return Tokenizer.from_file(str(path))
    except BaseException as error:  # the package raises nothing more precise, and panics
        if not is_failure(error):
            raise
        raise ValueError(cannot_be_read(path.name, str(error)[:300])) from None


def cannot_be_read(name: str, error: object) -> str:
    """The message about a file that cannot be read."""
    return f"{name} cannot be read: {error}"


def is_failure(error: BaseException) -> bool:
    """Whether an error comes from the package: a panic of its code in Rust is no `Exception`."""
    return isinstance(error, Exception) or type(error).__name__ == "PanicException"
