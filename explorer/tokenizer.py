"""From text to ids: every source of models has its own tokenizer."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, Protocol, runtime_checkable

from explorer.names import PaddingSide, SpecialIds
from explorer.reading_notes import tokens_read
from explorer.text import MAX_TOKENS, Answer, Batch, pad_ids, require_pairs, tokenize
from explorer.vocabulary import VOCAB_SIZE


@runtime_checkable
class Tokenizer(Protocol):
    """Text → ids and their labels. Immutable, and hashable by its settings."""

    def __hash__(self) -> int:
        return super().__hash__()

    def split(self, text: str) -> tuple[str, ...]:
        """The tokens of a source, as the model reads them."""
        ...

    def join(self, tokens: Sequence[str]) -> str:
        """The text that these tokens stand for: as a rule, with spaces between them."""
        return " ".join(tokens)

    def batch(
        self,
        sources: Sequence[str],
        targets: Sequence[str | Answer],
        *,
        side: PaddingSide = "right",
        length: int | None = None,
    ) -> Batch:
        """The pairs as the model reads them, padded; a target is typed text or a model's answer.

        Raises:
            ValueError: if there is no pair, or sources and targets differ in number.
        """
        ...


@dataclass(frozen=True, slots=True)
class TextTokenizer(Tokenizer):
    """Words or characters, numbered in order of first appearance."""

    level: Literal["words", "characters"] = "words"

    def split(self, text: str) -> tuple[str, ...]:
        """Words, or characters."""
        return tuple(tokenize(text, self.level))

    def join(self, tokens: Sequence[str]) -> str:
        """See `Tokenizer`; between characters, spaces are tokens themselves."""
        return " ".join(tokens) if self.level == "words" else "".join(tokens).replace("␣", " ")

    def batch(
        self,
        sources: Sequence[str],
        targets: Sequence[str | Answer],
        *,
        side: PaddingSide = "right",
        length: int | None = None,
    ) -> Batch:
        """See `Batch.from_text`."""
        return Batch.from_text(sources, _typed(targets), level=self.level, side=side, length=length)


@dataclass(frozen=True, slots=True)
class IdTokenizer(Tokenizer):
    """Ids as typed: nothing is added or shifted, and PAD may be anywhere.

    For a pretrained model, which has no `pad_by_id`, only what fills up a row is PAD. Its answers
    begin with its first token, and a decoder alone reads source and target as one text.
    """

    pad_id: int = 0
    vocab_size: int = VOCAB_SIZE
    longest: int = MAX_TOKENS
    pad_by_id: bool = True
    writes: SpecialIds | None = None  # of a pretrained model: how its answers begin and end
    goes_on: bool = False  # whether it is a decoder alone

    def split(self, text: str) -> tuple[str, ...]:
        """The numbers, as typed."""
        return tuple(tokenize(text, "ids"))

    def batch(
        self,
        sources: Sequence[str],
        targets: Sequence[str | Answer],
        *,
        side: PaddingSide = "right",
        length: int | None = None,
    ) -> Batch:
        """See `Batch.from_ids`."""
        require_pairs(sources, targets)
        pairs = [self._as_ids(*pair) for pair in zip(sources, targets, strict=True)]
        batch = Batch.from_ids(
            [source for source, _ in pairs],
            [" ".join(ids[:MAX_TOKENS] if self.goes_on else ids) for _, ids in pairs],
            pad_id=self.pad_id,
            pad_by_id=self.pad_by_id,
            side=side,
            length=length,
            vocab_size=self.vocab_size,
            longest=min(MAX_TOKENS, self.longest),
        )
        if self.writes is not None:
            batch = replace(batch, specials=self.writes)
        return self._in_one(batch, pairs, side, length) if self.goes_on else batch

    def _as_ids(self, source: str, target: str | Answer) -> tuple[str, Sequence[str]]:
        """A source, without which a decoder alone cannot answer, and a target."""
        if isinstance(target, str) or self.writes is None:
            return source, self.split(*_typed([target]))
        first, ids = str(self.writes.bos), tuple(map(str, target.ids))
        if self.goes_on:
            return source if source.strip() else first, ids
        return source, (first, *ids)

    def _in_one(
        self,
        batch: Batch,
        pairs: Sequence[tuple[str, Sequence[str]]],
        side: PaddingSide,
        length: int | None,
    ) -> Batch:
        """What a decoder alone reads: source and target as one text."""
        rows, cut, notes = [], (0, 0), list(batch.notes)
        parts = batch.sources.without_padding(), batch.targets_in.without_padding()
        for begun, rest, (_, typed) in zip(*parts, pairs, strict=False):
            rows.append([*begun, *rest][: self.longest])
            kept = len(rows[-1]) - len(begun)
            if kept < len(typed):
                cut = max(cut, (len(typed), kept))
        if any(cut):
            notes.append(tokens_read("target", cut[1], cut[0]))
        length = None if length is None else min(length, self.longest)
        labels = [list(map(str, row)) for row in rows]
        tgt, words, shown = pad_ids(rows, labels, side, length, self.pad_id)
        return replace(
            batch,
            src=batch.src[:, :0],
            src_words=batch.src_words[:, :0],
            src_labels=((),) * len(rows),
            tgt=tgt,
            tgt_in=tgt,
            tgt_words=words,
            tgt_labels=shown,
            notes=tuple(notes),
        )


def _typed(targets: Sequence[str | Answer]) -> list[str]:
    if not all(isinstance(target, str) for target in targets):
        raise ValueError("targets must be text: this tokenizer belongs to no model that answers")
    return [str(target) for target in targets]
