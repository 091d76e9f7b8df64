"""From text to the ids of a pretrained model, by the files of its folder."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from operator import itemgetter
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, Literal

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from explorer.names import PAD, PaddingSide, SpecialIds
from explorer.reading_notes import (
    Side,
    control_token,
    no_piece,
    no_row,
    pairs_read,
    tokens_read,
)
from explorer.text import MAX_PAIRS, MAX_TOKENS, Answer, Batch, pad_ids, require_pairs
from explorer.vocabulary import Vocabulary
from explorer.weights.huggingface.families.family import Family
from explorer.weights.huggingface.families.registry import FAMILIES
from explorer.weights.huggingface.files import TARGET_TOKENIZER, TOKENIZER
from explorer.weights.huggingface.manner import ids_in, manner, never_written, settings_of
from explorer.weights.huggingface.text.labels import vocabulary
from explorer.weights.huggingface.text.pieces import (
    BOS_NAMES,
    EOS_NAMES,
    PAD_NAMES,
    UNK_NAMES,
    Encoded,
    Pieces,
    read_pieces,
)

Labels = tuple[tuple[str, ...], ...]
Stacks = Literal["both", "encoder", "decoder"]
_NO_LIMIT: Final = 1_000_000
_SURROGATE: Final = re.compile("[\ud800-\udfff]")  # half a character, which no text may hold


@dataclass(frozen=True, eq=False, kw_only=True)
class PretrainedTokenizer:
    """Text → ids as a pretrained model reads them. A model with one stack has one vocabulary."""

    stacks: Stacks
    source: Pieces
    target: Pieces
    src_vocab: Vocabulary
    tgt_vocab: Vocabulary
    begins: tuple[int, ...] = ()  # of a typed target: <s> of BART, the language of mBART
    longest: int = _NO_LIMIT  # the number of ids that a stack reads

    @property
    def specials(self) -> SpecialIds:
        """The special tokens of the stack that writes, or of the only one."""
        return self.tgt_vocab.specials

    def split(self, text: str) -> tuple[str, ...]:
        """The pieces of a source, with the special tokens around it."""
        return tuple(self.src_vocab.decode(number for number, _ in self._read(text)))

    def join(self, tokens: Sequence[str]) -> str:
        """The text that these pieces of a target stand for, without special tokens."""
        ids = self.tgt_vocab.encode(tokens)
        return self.target.decode(i for i in ids if i >= 0 and not self.tgt_vocab.is_special(i))

    def grouped(self, text: str) -> list[tuple[str, ...]]:
        """The pieces of each word of a source; a special token is a group of its own.

        UNK is not: it stands for a part of a word.
        """
        groups: list[list[str]] = []
        before: int | None = None
        special_ids = self.src_vocab.specials.names().keys() - {self.src_vocab.specials.unk}
        for number, word in self._read(text):
            special = number in special_ids
            if special or word is None or word != before:
                groups.append([])
            groups[-1] += self.src_vocab.decode([number])
            before = None if special else word
        return [tuple(group) for group in groups]

    def batch(
        self,
        sources: Sequence[str],
        targets: Sequence[str | Answer],
        *,
        side: PaddingSide = "right",
        length: int | None = None,
    ) -> Batch:
        """The pairs as the model reads them, padded.

        Both stacks: `src` of shape (batch, src), and `tgt` of shape (batch, tgt + 1) with the
        decoder's first token, the target and EOS. Encoder only: `tgt` of shape (batch, 0), without
        `tgt_out`. Decoder only: `src` of shape (batch, 0); `tgt` is source, target and EOS in one.

        `src` and `tgt_in` get at least `length` columns. Only the first 16 pairs and the first 128
        ids of each sentence are read, or fewer if the model reads fewer; `notes` says so if there
        are more.

        Raises:
            ValueError: if there is no pair, or sources and targets differ in number.
        """
        require_pairs(sources, targets)
        notes: list[str] = []
        length = None if length is None else min(length, self.longest)
        if len(sources) > MAX_PAIRS:
            notes.append(pairs_read(MAX_PAIRS, len(sources)))
        pairs = list(zip(sources, targets, strict=True))[:MAX_PAIRS]
        read = [self._read(source, notes) for source, _ in pairs]
        begun = _within_limits(read, self.longest, notes)
        src, src_words, src_labels = tgt, tgt_words, tgt_labels = _absent(len(pairs))
        tgt_out = None
        if self.stacks != "decoder":
            src, src_words, src_labels = _padded(begun, self.src_vocab, side, length)
        if self.stacks != "encoder":
            rows, full = self._rows(pairs, begun, notes), length + 1 if length else None
            tgt, tgt_words, tgt_labels = _padded(rows, self.tgt_vocab, side, full)
            # After PAD nothing is predicted, not even the first token.
            tgt_out = tgt[:, 1:].masked_fill(~tgt_words[:, :-1], self.specials.pad)
        return Batch(
            src=src,
            tgt=tgt,
            tgt_in=tgt[:, :-1],
            tgt_out=tgt_out,
            src_words=src_words,
            tgt_words=tgt_words,
            src_labels=src_labels,
            tgt_labels=tgt_labels,
            src_vocab=self.src_vocab,
            tgt_vocab=self.tgt_vocab,
            specials=self.specials,
            pad_by_id=False,
            notes=tuple(dict.fromkeys(notes)),
        )

    def _read(self, text: str, notes: list[str] | None = None) -> Encoded:
        """A source as the first stack reads it; a decoder alone needs an id to begin with."""
        framed = self.stacks != "decoder"
        found = _encode(self.source, self.src_vocab, text, notes, framed=framed)
        return found or ([] if framed else [(self.specials.bos, None)])

    def _rows(
        self, pairs: Sequence[tuple[str, str | Answer]], read: Sequence[list[int]], notes: list[str]
    ) -> list[list[int]]:
        """The ids that the decoder reads of each pair, and the EOS that it should write last."""
        begun = read if self.stacks == "decoder" else [[self.specials.bos]] * len(pairs)
        whole, rows = [], []
        for start, (source, target) in zip(begun, pairs, strict=True):
            written = self._written(source, target, notes)
            kept = written[: min(MAX_TOKENS, self.longest - len(start))]
            whole.append((len(kept), len(written)))
            answer = target if isinstance(target, Answer) else Answer(())
            rows.append([*start, *kept, answer.end_of(self.specials)])
        _note("target", whole, notes)
        return rows

    def _written(self, source: str, target: str | Answer, notes: list[str]) -> list[int]:
        """The ids of a target, without the first token and EOS."""
        if isinstance(target, Answer):
            return list(target.ids)
        if self.stacks == "decoder" and source and target:
            touching = not source[-1].isspace() and not target[0].isspace()
            target = " " * touching + target
        found = _encode(self.target, self.tgt_vocab, target, notes, framed=False)
        return [*self.begins, *(number for number, _ in found)]


def convert_old_files(folder: Path, config: Mapping[str, Any]) -> None:
    """Write a folder's tokenizer.json, if it has none, from the older files that its family had.

    Raises:
        ValueError: if one of them is damaged.
    """
    if (folder / TOKENIZER).is_file():
        return
    if found := FAMILIES[config["model_type"]].old_files(folder, config):
        source, target = found
        source.save(str(folder / TOKENIZER))
        if target is not source:
            target.save(str(folder / TARGET_TOKENIZER))


def read_tokenizer(folder: Path, config: Mapping[str, Any]) -> PretrainedTokenizer | None:
    """The tokenizer of the model in this folder, by its files and its config.json.

    None if the folder holds none that is known here.

    Raises:
        ValueError: if a file is damaged or does not suit the config.
    """
    family = FAMILIES[config["model_type"]]
    if (folder / TOKENIZER).is_file():
        source = target = read_pieces(folder / TOKENIZER)
        if (folder / TARGET_TOKENIZER).is_file():
            target = read_pieces(folder / TARGET_TOKENIZER)
    elif found := family.old_files(folder, config):  # a folder that was not added
        source, target = map(Pieces.of, found)
    else:
        return None
    size = config.get("vocab_size") or 1 + max(source.names, default=0)
    tgt_size = config.get("decoder_vocab_size") or size
    src_vocab = vocabulary(source, size, _specials(source, config, size, family))
    tgt_vocab = src_vocab
    if target.names != source.names or tgt_size != size:
        tgt_vocab = vocabulary(target, tgt_size, _specials(target, config, tgt_size, family))
    return PretrainedTokenizer(
        stacks=family.stacks,
        source=source,
        target=target,
        src_vocab=src_vocab,
        tgt_vocab=tgt_vocab,
        begins=_begins(family, target, tgt_vocab.specials),
    )


def _specials(pieces: Pieces, config: Mapping[str, Any], size: int, family: Family) -> SpecialIds:
    """The special ids of the stack that reads these pieces."""
    ids = {piece: number for number, piece in pieces.names.items() if number < size}
    found = special_ids(config, size, ids)
    if found.eos < 0 and family.stacks != "encoder":
        raise ValueError("the config must hold eos_token_id: it ends every answer")
    special = (found.pad, found.bos, found.eos, found.unk, *found.ends, *pieces.specials)
    named = sorted({number for number in special if 0 <= number < size})
    names = [pieces.names.get(number, f"#{number}") for number in named]
    quoted = [f"“{PAD}”" if name == PAD else name for name in names]  # what fills up a row is PAD
    return replace(found, own_names=tuple(zip(named, quoted, strict=True)))


def special_ids(
    config: Mapping[str, Any], size: int, ids: Mapping[str, int] = MappingProxyType({})
) -> SpecialIds:
    """The ids that the files give, or those of tokens with the usual names; −1 for one without.

    Raises:
        ValueError: if a setting of how the model writes is not of the kind that it has to be.
    """
    family, how = FAMILIES[config["model_type"]], settings_of(config)

    def given(key: str, names: Iterable[str] = (), at: Mapping[str, Any] = config) -> int | None:
        found = ids_in(at.get(key), size)
        return found[0] if found else next((ids[n] for n in names if n in ids), None)

    ends = ids_in(how.get("eos_token_id"), size)
    eos = ends[0] if ends else given("eos_token_id", EOS_NAMES)
    eos = -1 if eos is None else eos
    if not ends:  # generation_config.json may leave an answer without end
        ends = (eos,) if how is config else (-1,)
    pad = given("pad_token_id", PAD_NAMES)
    pad = max(0, eos) if pad is None else pad
    bos = given("bos_token_id", BOS_NAMES)
    if family.stacks == "both":
        usual = {"pad": pad, "bos": bos, "eos": eos}[family.begins]
        starts = given("decoder_start_token_id", at=how), given("bos_token_id", at=how)
        bos = next((start for start in starts if start is not None), usual)
    bos = eos if bos is None else bos
    unk = next((ids[name] for name in UNK_NAMES if name in ids), -1)
    return SpecialIds(
        pad=pad,
        bos=bos,
        eos=eos,
        unk=unk,
        ends=ends,
        unwritten=never_written(how, size, ends),
        first=given("forced_bos_token_id", at=how),
        manner=manner(how, size, ends),
    )


def _begins(family: Family, target: Pieces, specials: SpecialIds) -> tuple[int, ...]:
    if family.stacks != "both" or family.before_target == "nothing":
        return ()
    if family.before_target == "language":  # the tokenizer adds that of sources
        return () if specials.first is None else (specials.first,)
    frame = [number for number, _ in target.encode("", framed=True)]
    return tuple(takewhile(lambda number: number != specials.eos, frame))


def _encode(
    pieces: Pieces, vocab: Vocabulary, text: str, notes: list[str] | None, *, framed: bool
) -> Encoded:
    """The ids of a text; one that the model has no row for becomes UNK, where there is one."""
    text, unk = _SURROGATE.sub("\ufffd", text), vocab.specials.unk
    found = pieces.encode(text, framed=framed)
    if notes is not None:
        notes += _not_as_typed(pieces, vocab, text, found)
    known = [(number if number < vocab.size else unk, word) for number, word in found]
    return [(number, word) for number, word in known if number >= 0]


def _not_as_typed(pieces: Pieces, vocab: Vocabulary, text: str, found: Encoded) -> Iterator[str]:
    """Notes on the first parts of a text that the model reads as something else."""
    unk, special = vocab.specials.unk, pieces.specials | {vocab.specials.pad}
    ids = dict.fromkeys(number for number, word in found if word is not None)  # without the frame
    without_row = next((number for number in ids if number >= vocab.size), None)
    if without_row is not None:
        yield no_row(pieces.names[without_row], without_row, read_as_unk=unk >= 0)
    typed = (pieces.names[number] for number in ids if number < vocab.size and number in special)
    if name := next((name for name in typed if name in text), ""):
        yield control_token(name)
    if unk in ids and pieces.names[unk] not in text and (part := pieces.unknown(text, unk)):
        yield no_piece(part)


def _within_limits(sources: Sequence[Encoded], longest: int, notes: list[str]) -> list[list[int]]:
    """The first ids of each source, and the special tokens that end it."""
    most = min(MAX_TOKENS, longest)
    kept = []
    for source in sources:
        ids = [number for number, _ in source]
        if len(ids) > most:
            ends = len(list(takewhile(lambda found: found[1] is None, reversed(source))))
            ids = [*ids[: max(0, most - ends)], *ids[len(ids) - ends :]]
        kept.append(ids)
    lengths = [(len(ids), len(source)) for ids, source in zip(kept, sources, strict=True)]
    _note("source", lengths, notes)
    return kept


def _note(name: Side, lengths: Iterable[tuple[int, int]], notes: list[str]) -> None:
    """Say how much of the longest sentence is read, if any was cut."""
    kept, whole = max(
        (pair for pair in lengths if pair[0] < pair[1]), key=itemgetter(1), default=(0, 0)
    )
    if whole:
        notes.append(tokens_read(name, kept, whole))


def _absent(pairs: int) -> tuple[Int[Tensor, "batch 0"], Bool[Tensor, "batch 0"], Labels]:
    """The ids and labels of a stack that the model does not have."""
    nothing = torch.zeros((pairs, 0), dtype=torch.long)
    return nothing, nothing.bool(), ((),) * pairs


def _padded(
    rows: list[list[int]], vocab: Vocabulary, side: PaddingSide, length: int | None
) -> tuple[Int[Tensor, "batch length"], Bool[Tensor, "batch length"], Labels]:
    return pad_ids(rows, [vocab.decode(ids) for ids in rows], side, length, vocab.specials.pad)
