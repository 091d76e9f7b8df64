"""Names used throughout the package."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Literal, get_args

AttentionKind = Literal["encoder", "decoder", "cross"]
AttentionId = tuple[AttentionKind, int]  # an attention: its kind, and its layer from 0
ATTENTION_KINDS: Final[tuple[AttentionKind, ...]] = get_args(AttentionKind)
Side = Literal["src", "tgt"]  # source or target tokens
PaddingSide = Literal["right", "left"]
Level = Literal["words", "characters", "ids"]  # what a token is, for typed text
Reading = Literal["words", "characters", "subwords", "ids"]  # how sentences are read

PAD: Final = "PAD"
BOS: Final = "BOS"
EOS: Final = "EOS"
UNK: Final = "UNK"
LIMIT: Final = 32  # words after which decoding stops by default
LARGEST_WEIGHT: Final = 1e4  # of a model from a file; trained models stay below a few hundred
SPECIALS: Final = (PAD, BOS, EOS, UNK)


@dataclass(frozen=True, slots=True, kw_only=True)
class Manner:
    """How the files of a model want it to write."""

    rules: tuple[Callable[..., Any], ...] = ()  # those of `explorer.rules`, in their order
    max_length: int | None = None  # ids that the decoder holds when its answer is cut off
    max_new: int | None = None  # ids that it has written then; counts in place of `max_length`
    followed: tuple[str, ...] = ()  # the settings that the rules come from
    not_followed: tuple[str, ...] = ()  # the settings that only count elsewhere

    def limit(self, limit: int, given: int) -> int:
        """The words after which an answer is cut off: `limit` or fewer, after `given` ids."""
        if self.max_new is not None:
            return min(limit, self.max_new)
        return limit if self.max_length is None else min(limit, max(1, self.max_length - given))


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
    ends: tuple[int, ...] = ()  # all that end an answer, −1 if none does; left out: EOS
    unwritten: tuple[int, ...] | None = None  # what no answer contains; None: PAD and BOS
    first: int | None = None  # what every answer begins with, such as the language of mBART
    manner: Manner = Manner()
    own_names: tuple[tuple[int, str], ...] = ()  # (id, name) of a pretrained model's special tokens

    def __post_init__(self) -> None:
        object.__setattr__(self, "ends", self.ends or (self.eos,))

    def names(self) -> dict[int, str]:
        """Each special id and its token."""
        usual = dict(zip((self.pad, self.bos, self.eos, self.unk), SPECIALS, strict=True))
        return {i: name for i, name in usual.items() if i >= 0} | dict(self.own_names)


GOES_ON: Final = "·"  # before a piece that continues a word

USUAL_IDS: Final = SpecialIds()  # of untrained models and of models trained here
