"""Names used throughout the package."""

from dataclasses import dataclass
from typing import Final, Literal, get_args

AttentionKind = Literal["encoder", "decoder", "cross"]
ATTENTION_KINDS: Final[tuple[AttentionKind, ...]] = get_args(AttentionKind)
Side = Literal["src", "tgt"]  # source or target tokens
PaddingSide = Literal["right", "left"]
Level = Literal["words", "characters", "ids"]  # what a token is, for typed text
Reading = Literal["words", "characters", "subwords", "ids"]  # how sentences are read

PAD: Final = "PAD"
BOS: Final = "BOS"
EOS: Final = "EOS"
UNK: Final = "UNK"
LARGEST_WEIGHT: Final = 1e4  # of a model from a file; trained models stay below a few hundred
SPECIALS: Final = (PAD, BOS, EOS, UNK)


@dataclass(frozen=True, slots=True, kw_only=True)
class SpecialIds:
    """The ids of the special tokens; every source of models has its own.

    One id may serve several purposes: Marian's decoder reads PAD first. A model without UNK has an
    id of −1 for it.
    """

    pad: int = 0
    bos: int = 1  # the decoder reads it first
    eos: int = 2  # and writes it last
    unk: int = 3
    unwritten: tuple[int, ...] | None = None  # what no answer contains; None: PAD and BOS
    first: int | None = None  # what every answer begins with, such as the language of mBART
    own_names: tuple[tuple[int, str], ...] = ()  # (id, name) of a pretrained model's special tokens

    def names(self) -> dict[int, str]:
        """Each special id and its token."""
        usual = dict(zip((self.pad, self.bos, self.eos, self.unk), SPECIALS, strict=True))
        return {i: name for i, name in usual.items() if i >= 0} | dict(self.own_names)


GOES_ON: Final = "·"  # before a piece that continues a word

USUAL_IDS: Final = SpecialIds()  # of untrained models and of models trained here
