"""From typed sentences to a padded batch of ids, with the labels to draw it by."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Final, Literal, TypeVar

import torch
from jaxtyping import Int
from torch import Tensor

from explorer.tokens import Level as Level
from explorer.tokens import tokenize as tokenize

PAD: Final = "PAD"
BOS: Final = "BOS"
EOS: Final = "EOS"
UNK: Final = "UNK"
SPECIALS: Final = (PAD, BOS, EOS, UNK)
PAD_ID, BOS_ID, EOS_ID, UNK_ID = range(4)

MAX_TOKENS: Final = 128
MAX_PAIRS: Final = 16
VOCAB_SIZE: Final = 1000

Side = Literal["right", "left"]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Which id stands for which token: PAD 0, BOS 1, EOS 2, UNK 3, then the words.

    Words get ids in the order in which they first appear; once `size` ids are given away, further
    words become UNK.
    """

    tokens: tuple[str, ...]
    size: int

    @classmethod
    def build(cls, sentences: Iterable[Sequence[str]], size: int = VOCAB_SIZE) -> "Vocabulary":
        """Collect the words of the tokenised sentences."""
        _require_room(size)
        words = dict.fromkeys(token for sentence in sentences for token in sentence)
        return cls(tuple(words)[: size - len(SPECIALS)], size)

    def encode(self, sentence: Iterable[str]) -> list[int]:
        """Tokens → ids; a token outside the vocabulary becomes UNK.

        What `decode` makes of an id that stands for no word yet becomes that id again.
        """
        ids = _numbered(self.tokens, self.size)
        return [ids.get(token, UNK_ID) for token in sentence]

    def decode(self, ids: Iterable[int]) -> list[str]:
        """Ids → tokens; an id that stands for no word yet is shown as its number."""
        known = (*SPECIALS, *self.tokens)
        return [known[i] if 0 <= i < len(known) else f"#{i}" for i in ids]


@lru_cache(maxsize=64)
def _numbered(tokens: tuple[str, ...], size: int) -> dict[str, int]:
    first_free = len(SPECIALS) + len(tokens)
    numbers = {f"#{number}": number for number in range(first_free, size)}
    return numbers | {token: n for n, token in enumerate(tokens, start=len(SPECIALS))}


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """Padded ids of several sentence pairs, and the words to label them with.

    The decoder reads `tgt_in` and is asked, at every position, for the token of `tgt_out` there:
    the same sentence one step later (teacher forcing). A batch made from ids has no `tgt_out`:
    the decoder reads the ids as they were given.
    """

    src: Int[Tensor, "batch src"]
    tgt: Int[Tensor, "batch full_tgt"]
    tgt_in: Int[Tensor, "batch tgt"]
    tgt_out: Int[Tensor, "batch tgt"] | None
    src_labels: tuple[tuple[str, ...], ...]
    tgt_labels: tuple[tuple[str, ...], ...]  # of `tgt`
    src_vocab: Vocabulary
    tgt_vocab: Vocabulary
    pad_id: int
    notes: tuple[str, ...] = ()

    @property
    def tgt_in_labels(self) -> tuple[tuple[str, ...], ...]:
        """The words that the decoder reads."""
        return tuple(labels[: self.tgt_in.shape[1]] for labels in self.tgt_labels)

    @property
    def tgt_out_labels(self) -> tuple[tuple[str, ...], ...]:
        """The words that the decoder should answer with; PAD answers nothing."""
        return tuple(
            tuple(PAD if now == PAD else after for now, after in pairwise(labels))
            for labels in self.tgt_labels
        )

    def tgt_names(self, ids: Iterable[int]) -> list[str]:
        """The words that target ids stand for; typed ids stand for themselves."""
        if self.tgt_out is not None:
            ids = list(ids)
            words = self.tgt_vocab.decode(ids)
            return [
                f"“{word}”" if word in SPECIALS and i >= len(SPECIALS) else word
                for i, word in zip(ids, words, strict=True)
            ]
        return [PAD if i == self.pad_id else str(i) for i in ids]

    @property
    def n_tokens(self) -> int:
        """How many target tokens are to be predicted, PAD not counted."""
        asked = self.tgt_in != self.pad_id
        if self.tgt_out is not None:  # nothing follows EOS
            asked &= self.tgt_out != self.pad_id
        return int(asked.sum())

    @classmethod
    def from_text(
        cls,
        sources: Sequence[str],
        targets: Sequence[str],
        *,
        level: Literal["words", "characters"] = "words",
        side: Side = "right",
        length: int | None = None,
        vocab_size: int = VOCAB_SIZE,
    ) -> "Batch":
        """Tokenise, number and pad the pairs; the target becomes BOS … EOS.

        `length` asks for at least that many columns in `src` and `tgt_in`; without it the longest
        sentence decides. Of a longer input the first 16 pairs and the first 128 tokens of a
        sentence are read, and `notes` says so.

        Raises:
            ValueError: where there is no pair, or sources and targets differ in number.
        """
        _require_pairs(sources, targets)
        src_tokens = [tokenize(text, level) for text in sources]
        tgt_tokens = [tokenize(text, level) for text in targets]
        src_vocab = Vocabulary.build(_within_limits(src_tokens), vocab_size)
        tgt_vocab = Vocabulary.build(_within_limits(tgt_tokens), vocab_size)
        return cls.from_words(
            src_tokens, tgt_tokens, src_vocab, tgt_vocab, side=side, length=length
        )

    @classmethod
    def from_words(
        cls,
        sources: Sequence[Sequence[str]],
        targets: Sequence[Sequence[str]],
        src_vocab: Vocabulary,
        tgt_vocab: Vocabulary,
        *,
        side: Side = "right",
        length: int | None = None,
        note_unknown: bool = True,
    ) -> "Batch":
        """Number and pad tokenised pairs, as `from_text`; a word without an id is marked UNK.

        The first such word is in `notes`, too, unless `note_unknown` is off.

        Raises:
            ValueError: where there is no pair, or sources and targets differ in number.
        """
        _require_pairs(sources, targets)
        notes: list[str] = []
        src_tokens = _read(sources, "source", notes)
        tgt_tokens = _read(targets, "target", notes)
        for name, vocab, sentences in (
            ("source", src_vocab, src_tokens),
            ("target", tgt_vocab, tgt_tokens),
        ):
            words = dict.fromkeys(token for sentence in sentences for token in sentence)
            unknown = [word for word in words if UNK_ID in vocab.encode([word])]
            if unknown and note_unknown:
                notes.append(
                    f"The {name} vocabulary holds {vocab.size} ids, and none for "
                    f"“{_shorten(unknown[0])}”: the model reads UNK."
                )

        src_words = [_shown(tokens, src_vocab) for tokens in src_tokens]
        tgt_words = [_shown(tokens, tgt_vocab) for tokens in tgt_tokens]
        framed = [[BOS_ID, *tgt_vocab.encode(tokens), EOS_ID] for tokens in tgt_tokens]
        src, src_labels = pad_ids(
            [src_vocab.encode(tokens) for tokens in src_tokens], src_words, side, length, PAD_ID
        )
        tgt, tgt_labels = pad_ids(
            framed,
            [[BOS, *words, EOS] for words in tgt_words],
            side,
            length + 1 if length else None,
            PAD_ID,
        )
        return cls(
            src=src,
            tgt=tgt,
            tgt_in=tgt[:, :-1],
            # PAD before BOS asks for nothing, not even for BOS.
            tgt_out=tgt[:, 1:].masked_fill(tgt[:, :-1] == PAD_ID, PAD_ID),
            src_labels=src_labels,
            tgt_labels=tgt_labels,
            src_vocab=src_vocab,
            tgt_vocab=tgt_vocab,
            pad_id=PAD_ID,
            notes=tuple(notes),
        )

    @classmethod
    def from_ids(
        cls,
        sources: Sequence[str],
        targets: Sequence[str],
        *,
        pad_id: int = PAD_ID,
        side: Side = "right",
        length: int | None = None,
        vocab_size: int = VOCAB_SIZE,
    ) -> "Batch":
        """Ids as typed, "2 3 4 1": nothing is added or shifted, PAD may stand anywhere.

        What is no id of the vocabulary becomes UNK (id 3), and `notes` says so.

        Raises:
            ValueError: where there is no pair, or sources and targets differ in number.
        """
        _require_pairs(sources, targets)
        _require_room(vocab_size)
        if not 0 <= pad_id < vocab_size:
            raise ValueError(
                f"pad_id must be an id of the vocabulary, 0 to {vocab_size - 1}, "
                f"got pad_id={pad_id}"
            )
        notes: list[str] = []
        padded = []
        for name, texts in (("source", sources), ("target", targets)):
            words = _read([tokenize(text, "ids") for text in texts], name, notes)
            ids = [[_to_id(word, vocab_size) for word in sentence] for sentence in words]
            strange = [
                word
                for sentence, numbers in zip(words, ids, strict=True)
                for word, number in zip(sentence, numbers, strict=True)
                if number is None
            ]
            if strange:
                others = f" and {len(strange) - 1} more are" if len(strange) > 1 else " is"
                notes.append(
                    f"Ids are whole numbers from 0 to {vocab_size - 1}: in the {name}, "
                    f"“{_shorten(strange[0])}”{others} read as UNK ({UNK_ID})."
                )
            known = [[UNK_ID if n is None else n for n in sentence] for sentence in ids]
            labels = [[PAD if n == pad_id else str(n) for n in sentence] for sentence in known]
            padded.append(pad_ids(known, labels, side, length, pad_id))
        (src, src_labels), (tgt, tgt_labels) = padded
        numbers_only = Vocabulary((), vocab_size)
        return cls(
            src=src,
            tgt=tgt,
            tgt_in=tgt,
            tgt_out=None,
            src_labels=src_labels,
            tgt_labels=tgt_labels,
            src_vocab=numbers_only,
            tgt_vocab=numbers_only,
            pad_id=pad_id,
            notes=tuple(notes),
        )


def _require_room(size: int) -> None:
    if size < len(SPECIALS):
        raise ValueError(
            f"size must leave room for the {len(SPECIALS)} special tokens, got size={size}"
        )


def _require_pairs(sources: Sequence[object], targets: Sequence[object]) -> None:
    if not sources or len(sources) != len(targets):
        raise ValueError(
            "sources and targets must hold the same number of sentences, at least one, "
            f"got {len(sources)} and {len(targets)}"
        )


def _within_limits(sentences: Sequence[Sequence[str]]) -> list[list[str]]:
    return [list(sentence[:MAX_TOKENS]) for sentence in sentences[:MAX_PAIRS]]


def _read(sentences: Sequence[Sequence[str]], name: str, notes: list[str]) -> list[list[str]]:
    if len(sentences) > MAX_PAIRS and name == "source":
        notes.append(f"The model reads the first {MAX_PAIRS} of {len(sentences)} pairs.")
    longest = max(len(sentence) for sentence in sentences[:MAX_PAIRS])
    if longest > MAX_TOKENS:
        notes.append(f"The model reads the first {MAX_TOKENS} of {longest} {name} tokens.")
    return _within_limits(sentences)


def _shown(tokens: Sequence[str], vocab: Vocabulary) -> list[str]:
    """Labels: what looks like a special token is quoted, what has no id says so."""
    quoted = [f"“{token}”" if token in SPECIALS else token for token in tokens]
    return [
        f"{UNK}: {token}" if number == UNK_ID else label
        for label, token, number in zip(quoted, tokens, vocab.encode(tokens), strict=True)
    ]


def pad_ids(
    ids: list[list[int]],
    labels: list[list[str]],
    side: Side,
    length: int | None,
    pad_id: int,
) -> tuple[Int[Tensor, "batch length"], tuple[tuple[str, ...], ...]]:
    width = max(1, length or 0, *(len(sentence) for sentence in ids))

    def fill(sentence: list[T], pad: T) -> list[T]:
        padding = [pad] * (width - len(sentence))
        return padding + sentence if side == "left" else sentence + padding

    return (
        torch.tensor([fill(sentence, pad_id) for sentence in ids]),
        tuple(tuple(fill(sentence, PAD)) for sentence in labels),
    )


def _to_id(word: str, vocab_size: int) -> int | None:
    if not (word.isascii() and word.isdigit() and len(word) < 10):
        return None
    number = int(word)
    return number if number < vocab_size else None


def _shorten(word: str, most: int = 20) -> str:
    return word if len(word) <= most else word[: most - 1] + "…"
