"""From typed sentences to a padded batch of ids, with the labels to draw it by."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal, Self, TypeVar

import regex
import torch
from jaxtyping import Int
from torch import Tensor

PAD: Final = "PAD"
BOS: Final = "BOS"
EOS: Final = "EOS"
UNK: Final = "UNK"
SPECIALS: Final = (PAD, BOS, EOS, UNK)
PAD_ID, BOS_ID, EOS_ID, UNK_ID = range(4)

MAX_TOKENS: Final = 128
MAX_PAIRS: Final = 16
VOCAB_SIZE: Final = 1000

Level = Literal["words", "characters", "ids"]
Side = Literal["right", "left"]
T = TypeVar("T")

# Scripts written without spaces between words: each character is a token of its own.
_UNSPACED = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
_LETTER = rf"(?:(?![{_UNSPACED}])[\p{{L}}\p{{N}}_]\p{{M}}*[\u200c\u200d]?)"
_WORD = regex.compile(
    rf"</?[\p{{L}}\p{{N}}_]+>"  # <pad>, <s>, </b>: notation that people type as one thing
    rf"|{_LETTER}+(?:['’ʼ]{_LETTER}+)*"  # apostrophes stay inside words
    r"|\X"  # anything else: one character as a person sees it, emoji families included
)
_CHARACTER = regex.compile(r"\X")
# Not text: control characters, lone surrogates, and invisible marks that reorder what is around.
_INVISIBLE = regex.compile(r"[\p{Cc}\p{Cs}\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]")
_SPACE = regex.compile(r"\s+")
_SHOWN_SPACE = "␣"


def tokenize(text: str, level: Level = "words") -> list[str]:
    """Split a sentence into tokens.

    "words": runs of letters and digits, apostrophes inside them included ("didn't"); every other
    visible character is a token of its own, and so is every character of a script that does not
    space its words (Chinese, Japanese, Thai …).
    "characters": every character as a person sees it; a space becomes "␣".
    "ids": whatever stands between spaces, commas, brackets.

    >>> tokenize("The animal didn't cross.")
    ['The', 'animal', "didn't", 'cross', '.']
    """
    text = _SPACE.sub(" ", _INVISIBLE.sub(" ", text)).strip()
    if level == "ids":
        return [token for token in regex.split(r"[\s,;\[\]()]+", text) if token]
    if level == "characters":
        return [_SHOWN_SPACE if char == " " else char for char in _CHARACTER.findall(text)]
    return [token for token in _WORD.findall(text) if not token.isspace()]


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Which id stands for which token: PAD 0, BOS 1, EOS 2, UNK 3, then the words.

    Words get ids in the order in which they first appear; once `size` ids are given away, further
    words become UNK.
    """

    tokens: tuple[str, ...]
    size: int

    @classmethod
    def build(cls, sentences: Iterable[Sequence[str]], size: int = VOCAB_SIZE) -> Self:
        """Collect the words of the tokenised sentences."""
        if size < len(SPECIALS):
            raise ValueError(
                f"size must leave room for the {len(SPECIALS)} special tokens, got size={size}"
            )
        words = dict.fromkeys(token for sentence in sentences for token in sentence)
        return cls(tuple(words)[: size - len(SPECIALS)], size)

    def encode(self, sentence: Iterable[str]) -> list[int]:
        """Tokens → ids; a token outside the vocabulary becomes UNK."""
        ids = {token: number for number, token in enumerate(self.tokens, start=len(SPECIALS))}
        return [ids.get(token, UNK_ID) for token in sentence]

    def decode(self, ids: Iterable[int]) -> list[str]:
        """Ids → tokens; an id that stands for no word yet is shown as its number."""
        known = (*SPECIALS, *self.tokens)
        return [known[i] if 0 <= i < len(known) else f"#{i}" for i in ids]


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
        """The words that the decoder should answer with."""
        return tuple(labels[1:] for labels in self.tgt_labels)

    @property
    def n_tokens(self) -> int:
        """How many target tokens are to be predicted, PAD not counted."""
        wanted = self.tgt_in if self.tgt_out is None else self.tgt_out
        return int((wanted != self.pad_id).sum())

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
    ) -> Self:
        """Tokenise, number and pad the pairs; the target becomes BOS … EOS.

        `length` asks for at least that many columns in `src` and `tgt_in`; without it the longest
        sentence decides. Of a longer input the first 16 pairs and the first 128 tokens of a
        sentence are read, and `notes` says so.

        Raises:
            ValueError: where there is no pair, or sources and targets differ in number.
        """
        _require_pairs(sources, targets)
        notes: list[str] = []
        src_tokens = _read([tokenize(text, level) for text in sources], "source", notes)
        tgt_tokens = _read([tokenize(text, level) for text in targets], "target", notes)
        src_vocab = Vocabulary.build(src_tokens, vocab_size)
        tgt_vocab = Vocabulary.build(tgt_tokens, vocab_size)
        for name, vocab, sentences in (
            ("source", src_vocab, src_tokens),
            ("target", tgt_vocab, tgt_tokens),
        ):
            if UNK_ID in vocab.encode(token for sentence in sentences for token in sentence):
                notes.append(
                    f"The {name} vocabulary holds {vocab_size} ids; later words became UNK."
                )

        # A typed word that looks like a special token is shown in quotes, to be told from one.
        def shown(sentences: list[list[str]]) -> list[list[str]]:
            return [[f"“{t}”" if t in SPECIALS else t for t in tokens] for tokens in sentences]

        src_words, tgt_words = shown(src_tokens), shown(tgt_tokens)
        framed = [[BOS_ID, *tgt_vocab.encode(tokens), EOS_ID] for tokens in tgt_tokens]
        src, src_labels = _pad(
            [src_vocab.encode(tokens) for tokens in src_tokens], src_words, side, length, PAD_ID
        )
        tgt, tgt_labels = _pad(
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
            tgt_out=tgt[:, 1:],
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
    ) -> Self:
        """Ids as typed, "2 3 4 1": nothing is added or shifted, PAD may stand anywhere.

        What is no id of the vocabulary becomes UNK (id 3), and `notes` says so.

        Raises:
            ValueError: where there is no pair, or sources and targets differ in number.
        """
        _require_pairs(sources, targets)
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
                notes.append(
                    f"Ids are whole numbers from 0 to {vocab_size - 1}; in the {name}, "
                    f"“{_shorten(strange[0])}” is read as UNK ({UNK_ID})."
                )
            known = [[UNK_ID if n is None else n for n in sentence] for sentence in ids]
            labels = [[PAD if n == pad_id else str(n) for n in sentence] for sentence in known]
            padded.append(_pad(known, labels, side, length, pad_id))
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


def _require_pairs(sources: Sequence[str], targets: Sequence[str]) -> None:
    if not sources or len(sources) != len(targets):
        raise ValueError(
            "sources and targets must hold the same number of sentences, at least one, "
            f"got {len(sources)} and {len(targets)}"
        )


def _read(sentences: list[list[str]], name: str, notes: list[str]) -> list[list[str]]:
    if len(sentences) > MAX_PAIRS and name == "source":
        notes.append(f"The model reads the first {MAX_PAIRS} of {len(sentences)} pairs.")
    longest = max(len(sentence) for sentence in sentences[:MAX_PAIRS])
    if longest > MAX_TOKENS:
        notes.append(f"The model reads the first {MAX_TOKENS} of {longest} {name} tokens.")
    return [sentence[:MAX_TOKENS] for sentence in sentences[:MAX_PAIRS]]


def _pad(
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
