"""From typed sentences to a padded batch of ids, with labels for the figures."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import compress, pairwise
from typing import Final, TypeVar

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from explorer.names import BOS, EOS, PAD, SPECIALS, UNK, USUAL_IDS, Level, PaddingSide, SpecialIds
from explorer.reading_notes import Side, no_ids, pairs_read, tokens_read, without_ids
from explorer.tokens import tokenize as tokenize
from explorer.vocabulary import VOCAB_SIZE, Vocabulary

MAX_TOKENS: Final = 128
MAX_PAIRS: Final = 16
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Answer:
    """A target written by a model: ids, without BOS and EOS."""

    ids: tuple[int, ...]
    ended: bool = True  # whether the model wrote EOS in time
    probabilities: tuple[float, ...] = field(default=(), compare=False)  # of the ids, and of EOS
    end: int | None = None  # the id that ended it, where that is not EOS

    @classmethod
    def of(
        cls, written: Sequence[int], specials: SpecialIds, probabilities: Sequence[float] = ()
    ) -> "Answer":
        """What a model has written, with the id that ended it if it came to an end."""
        ended = bool(written) and written[-1] in specials.ends
        return cls(
            tuple(written[:-1] if ended else written),
            ended=ended,
            probabilities=tuple(probabilities),
            end=written[-1] if ended and written[-1] != specials.eos else None,
        )

    def end_of(self, specials: SpecialIds) -> int:
        """The id that ended it, or would have."""
        return specials.eos if self.end is None else self.end


@dataclass(frozen=True, slots=True)
class Sentences:
    """What a stack reads: one sentence, or several of the same length."""

    ids: Int[Tensor, "batch length"]
    words: Bool[Tensor, "batch length"]  # which of them are not padding

    def __getitem__(self, rows: slice | tuple[slice, slice]) -> "Sentences":
        """Some of the sentences, or a part of some."""
        return Sentences(self.ids[rows], self.words[rows])

    def to(self, device: torch.device) -> "Sentences":
        """The same on a device."""
        return Sentences(self.ids.to(device), self.words.to(device))

    def without_padding(self) -> list[list[int]]:
        """The ids of each sentence."""
        rows = zip(self.ids.tolist(), self.words.tolist(), strict=True)
        return [list(compress(ids, words)) for ids, words in rows]

    @property
    def key(self) -> Hashable:
        """By which a result is kept: the same for the same ids and words."""
        return self.ids.shape, self.ids.numpy().tobytes(), self.words.numpy().tobytes()


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """Padded ids of several sentence pairs, and their labels.

    The decoder reads `tgt_in` and should predict, at every position, the token of `tgt_out`: the
    same sentence one step later (teacher forcing). A batch made from ids has no `tgt_out`: the
    decoder reads the ids as given.
    """

    src: Int[Tensor, "batch src"]
    tgt: Int[Tensor, "batch full_tgt"]
    tgt_in: Int[Tensor, "batch tgt"]
    tgt_out: Int[Tensor, "batch tgt"] | None
    src_words: Bool[Tensor, "batch src"]  # which tokens are not padding
    tgt_words: Bool[Tensor, "batch full_tgt"]
    src_labels: tuple[tuple[str, ...], ...]
    tgt_labels: tuple[tuple[str, ...], ...]  # of `tgt`
    src_vocab: Vocabulary
    tgt_vocab: Vocabulary
    specials: SpecialIds
    # Whether the id of PAD is padding wherever it stands. Pretrained models read it as a token
    # like any other; there padding is what fills up a row.
    pad_by_id: bool = True
    notes: tuple[str, ...] = ()  # in the reader's language

    @property
    def pad_id(self) -> int:
        """The id that fills up a row."""
        return self.specials.pad

    @property
    def tgt_in_labels(self) -> tuple[tuple[str, ...], ...]:
        """The words that the decoder reads."""
        return tuple(labels[: self.tgt_in.shape[1]] for labels in self.tgt_labels)

    @property
    def tgt_out_labels(self) -> tuple[tuple[str, ...], ...]:
        """The words that the decoder should predict; nothing is predicted after PAD."""
        return tuple(
            tuple(PAD if now == PAD else after for now, after in pairwise(labels))
            for labels in self.tgt_labels
        )

    def tgt_names(self, ids: Iterable[int]) -> list[str]:
        """The words for these target ids; typed ids stand for themselves."""
        if self.tgt_out is not None or self.tgt_vocab.tokens:
            return _named(list(ids), self.tgt_vocab)
        return [PAD if i == self.pad_id and self.pad_by_id else str(i) for i in ids]

    def n_read(self, row: int) -> int:
        """The number of a source's tokens that are no PAD."""
        # Without torch: on a server with many visitors, each of its calls waits for the others.
        return sum(self.src_words.tolist()[row])

    def is_empty(self, row: int) -> bool:
        """Whether a source holds nothing but PAD."""
        return self.src.shape[1] > 0 and self.n_read(row) == 0

    @property
    def sources(self) -> Sentences:
        """What the encoder reads."""
        return Sentences(self.src, self.src_words)

    @property
    def targets_in(self) -> Sentences:
        """What the decoder reads."""
        return Sentences(self.tgt_in, self.tgt_words[:, : self.tgt_in.shape[1]])

    @property
    def widths(self) -> tuple[int, int]:
        """The columns of the sources, and of the targets with BOS and EOS."""
        return self.src.shape[1], self.tgt.shape[1]

    def source(self, row: int) -> Sentences:
        """One source, without the PAD that only fills up its row on the right."""
        return self.sources[row : row + 1, : _end(self.src_words, row)]

    def without_pad(self, row: int) -> "Batch":
        """The batch as wide as one of its pairs: without the PAD that fills it up on the right."""
        src, tgt = _end(self.src_words, row), _end(self.tgt_words, row)
        tgt_in = tgt if self.tgt_out is None else tgt - 1
        return replace(
            self,
            src=self.src[:, :src],
            tgt=self.tgt[:, :tgt],
            tgt_in=self.tgt_in[:, :tgt_in],
            tgt_out=None if self.tgt_out is None else self.tgt_out[:, :tgt_in],
            src_words=self.src_words[:, :src],
            tgt_words=self.tgt_words[:, :tgt],
            src_labels=tuple(labels[:src] for labels in self.src_labels),
            tgt_labels=tuple(labels[:tgt] for labels in self.tgt_labels),
        )

    @property
    def n_tokens(self) -> int:
        """The number of target tokens to predict, without PAD."""
        if self.tgt_out is None:
            return int(self.tgt_words.sum())
        return sum(label != PAD for labels in self.tgt_out_labels for label in labels)

    @property
    def prompts(self) -> list[tuple[int, ...]]:
        """The part of each target that the decoder has read so far, without EOS and PAD.

        With empty answers as targets this is what it reads before it writes: BOS, or the text that
        a decoder alone goes on from.
        """
        # A shorter sentence still has its EOS in `tgt_in`, but nothing is predicted there.
        labels = self.tgt_in_labels if self.tgt_out is None else self.tgt_out_labels
        return [
            tuple(i for i, label in zip(ids, row, strict=True) if label != PAD)
            for ids, row in zip(self.tgt_in.tolist(), labels, strict=True)
        ]

    @classmethod
    def from_text(
        cls,
        sources: Sequence[str],
        targets: Sequence[str],
        *,
        level: Level = "words",
        side: PaddingSide = "right",
        length: int | None = None,
        vocab_size: int = VOCAB_SIZE,
    ) -> "Batch":
        """Tokenise, number and pad the pairs; the target becomes BOS … EOS.

        `src` and `tgt_in` get at least `length` columns, and as many as the longest sentence needs.
        Only the first 16 pairs and the first 128 tokens of each sentence are read; `notes` says so
        if there are more.

        Raises:
            ValueError: if there is no pair, or sources and targets differ in number.
        """
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
        targets: Sequence[Sequence[str] | Answer],
        src_vocab: Vocabulary,
        tgt_vocab: Vocabulary,
        *,
        side: PaddingSide = "right",
        length: int | None = None,
    ) -> "Batch":
        """Number and pad tokenised pairs, as `from_text`; a word without an id is marked UNK.

        A target is a list of words, or the answer of a model.

        Raises:
            ValueError: if there is no pair, or sources and targets differ in number.
        """
        require_pairs(sources, targets)
        notes: list[str] = []
        src_tokens = _read(sources, "source", notes)
        tgt_tokens = _read([t for t in targets if not isinstance(t, Answer)], "target", notes)
        notes += without_ids(src_vocab, src_tokens)
        notes += without_ids(tgt_vocab, tgt_tokens)
        specials = tgt_vocab.specials
        framed, shown = [], []
        typed = iter(tgt_tokens)
        for target in targets[:MAX_PAIRS]:
            if isinstance(target, Answer):
                ids = list(target.ids[:MAX_TOKENS])
                words = _named(ids, tgt_vocab)
            else:
                tokens = next(typed)
                ids, words = tgt_vocab.encode(tokens), _shown(tokens, tgt_vocab)
            framed.append([specials.bos, *ids, specials.eos])
            shown.append([BOS, *words, EOS])
        src, src_words, src_labels = pad_ids(
            [src_vocab.encode(tokens) for tokens in src_tokens],
            [_shown(tokens, src_vocab) for tokens in src_tokens],
            side,
            length,
            src_vocab.specials.pad,
        )
        full_length = length + 1 if length else None
        tgt, tgt_words, tgt_labels = pad_ids(framed, shown, side, full_length, specials.pad)
        return cls(
            src=src,
            tgt=tgt,
            tgt_in=tgt[:, :-1],
            # After PAD nothing is predicted, not even BOS.
            tgt_out=tgt[:, 1:].masked_fill(~tgt_words[:, :-1], specials.pad),
            src_words=src_words,
            tgt_words=tgt_words,
            src_labels=src_labels,
            tgt_labels=tgt_labels,
            src_vocab=src_vocab,
            tgt_vocab=tgt_vocab,
            specials=specials,
            notes=tuple(notes),
        )

    @classmethod
    def from_ids(
        cls,
        sources: Sequence[str],
        targets: Sequence[str],
        *,
        pad_id: int = 0,
        pad_by_id: bool = True,
        side: PaddingSide = "right",
        length: int | None = None,
        vocab_size: int = VOCAB_SIZE,
        longest: int = MAX_TOKENS,
    ) -> "Batch":
        """Ids as typed, "2 3 4 1": nothing is added or shifted, and PAD may be anywhere.

        Without `pad_by_id`, a typed id of PAD is a token like any other, as in pretrained models.
        Anything that is not an id of the vocabulary is read as 3 (an untrained model's UNK),
        and `notes` says so.

        Raises:
            ValueError: if there is no pair, or sources and targets differ in number.
        """
        require_pairs(sources, targets)
        numbers_only = Vocabulary((), vocab_size)
        if not 0 <= pad_id < vocab_size:
            raise ValueError(
                f"pad_id must be an id of the vocabulary, 0 to {vocab_size - 1}, "
                f"got pad_id={pad_id}"
            )
        unk = numbers_only.specials.unk
        notes: list[str] = []
        padded = []
        sides: tuple[tuple[Side, Sequence[str]], ...] = (("source", sources), ("target", targets))
        for name, texts in sides:
            words = _read([tokenize(text, "ids") for text in texts], name, notes, longest)
            ids = [[_to_id(word, vocab_size) for word in sentence] for sentence in words]
            strange = [
                word
                for sentence, numbers in zip(words, ids, strict=True)
                for word, number in zip(sentence, numbers, strict=True)
                if number is None
            ]
            if strange:
                read_as = f"{UNK} ({unk})" if pad_by_id else str(unk)  # elsewhere it has a word
                notes.append(no_ids(strange, vocab_size - 1, read_as))
            known = [[unk if n is None else n for n in sentence] for sentence in ids]
            pads = {pad_id} if pad_by_id else set[int]()
            labels = [[PAD if n in pads else str(n) for n in sentence] for sentence in known]
            width = None if length is None else min(length, longest)
            padded.append(pad_ids(known, labels, side, width, pad_id))
        (src, src_words, src_labels), (tgt, tgt_words, tgt_labels) = padded
        if pad_by_id:
            src_words, tgt_words = src != pad_id, tgt != pad_id
        return cls(
            src=src,
            tgt=tgt,
            tgt_in=tgt,
            tgt_out=None,
            src_words=src_words,
            tgt_words=tgt_words,
            src_labels=src_labels,
            tgt_labels=tgt_labels,
            src_vocab=numbers_only,
            tgt_vocab=numbers_only,
            specials=SpecialIds(pad=pad_id),
            pad_by_id=pad_by_id,
            notes=tuple(notes),
        )


def _end(words: Bool[Tensor, "batch length"], row: int) -> int:
    """The column after the last word of a row; at least 1."""
    read = [at for at, word in enumerate(words.tolist()[row]) if word]
    return max(1, read[-1] + 1 if read else 0)


def require_pairs(sources: Sequence[object], targets: Sequence[object]) -> None:
    """Check that every source has a target.

    Raises:
        ValueError: if there is no pair, or sources and targets differ in number.
    """
    if not sources or len(sources) != len(targets):
        raise ValueError(
            "sources and targets must hold the same number of sentences, at least one, "
            f"got {len(sources)} and {len(targets)}"
        )


def _within_limits(
    sentences: Sequence[Sequence[str]], longest: int = MAX_TOKENS
) -> list[list[str]]:
    return [list(sentence[:longest]) for sentence in sentences[:MAX_PAIRS]]


def _read(
    sentences: Sequence[Sequence[str]], name: Side, notes: list[str], most: int = MAX_TOKENS
) -> list[list[str]]:
    if len(sentences) > MAX_PAIRS and name == "source":
        notes.append(pairs_read(MAX_PAIRS, len(sentences)))
    longest = max((len(sentence) for sentence in sentences[:MAX_PAIRS]), default=0)
    if longest > most:
        notes.append(tokens_read(name, most, longest))
    return _within_limits(sentences, most)


def _shown(tokens: Sequence[str], vocab: Vocabulary) -> list[str]:
    """Labels: a word spelt like a special token is quoted; a word without an id is marked UNK."""
    return [
        f"{UNK}: {token}" if number == vocab.specials.unk else _quoted(token)
        for token, number in zip(tokens, vocab.encode(tokens), strict=True)
    ]


def _named(ids: Sequence[int], vocab: Vocabulary) -> list[str]:
    """Labels of ids; special tokens are not quoted."""
    return [
        token if vocab.is_special(number) else _quoted(token)
        for number, token in zip(ids, vocab.decode(ids), strict=True)
    ]


def _quoted(token: str) -> str:
    return f"“{token}”" if token in SPECIALS else token


def pad_ids(
    ids: list[list[int]],
    labels: list[list[str]],
    side: PaddingSide,
    length: int | None,
    pad_id: int,
) -> tuple[Int[Tensor, "batch length"], Bool[Tensor, "batch length"], tuple[tuple[str, ...], ...]]:
    """Fill up each row to the same length; also which ids were there before, and the labels."""
    width = max(1, length or 0, *(len(sentence) for sentence in ids))

    def fill(sentence: list[T], pad: T) -> list[T]:
        padding = [pad] * (width - len(sentence))
        return padding + sentence if side == "left" else sentence + padding

    return (
        torch.tensor([fill(sentence, pad_id) for sentence in ids]),
        torch.tensor([fill([True] * len(sentence), False) for sentence in ids]),
        tuple(tuple(fill(sentence, PAD)) for sentence in labels),
    )


def padded(
    sentences: Sequence[Sequence[int]], pad_id: int = USUAL_IDS.pad
) -> Int[Tensor, "batch length"]:
    """The ids as one tensor, with PAD on the right."""
    width = max(map(len, sentences))
    return torch.tensor([[*ids, *[pad_id] * (width - len(ids))] for ids in sentences])


def _to_id(word: str, vocab_size: int) -> int | None:
    if not (word.isascii() and word.isdigit() and len(word) < 10):
        return None
    number = int(word)
    return number if number < vocab_size else None
