"""From text to ids: every source of models has its own tokenizer."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, Protocol, runtime_checkable

from explorer.names import PaddingSide, SpecialIds
from explorer.text import MAX_TOKENS, Answer, Batch, tokenize
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
        batch = Batch.from_ids(
            sources,
            self._read_by_decoder(sources, targets),
            pad_id=self.pad_id,
            pad_by_id=self.pad_by_id,
            side=side,
            length=length,
            vocab_size=self.vocab_size,
            longest=self.longest,
        )
        if self.writes is not None:
            batch = replace(batch, specials=self.writes)
        if not self.goes_on:
            return batch
        src, words = batch.src[:, :0], batch.src_words[:, :0]  # it reads its text in `tgt`
        return replace(batch, src=src, src_words=words, src_labels=((),) * len(src))

    def _read_by_decoder(
        self, sources: Sequence[str], targets: Sequence[str | Answer]
    ) -> list[str]:
        if self.writes is None:
            return _typed(targets)
        rows = []
        for source, target in zip(sources, targets, strict=True):
            begun = source if self.goes_on else ""
            if isinstance(target, Answer):
                begun = begun if begun.strip() else str(self.writes.bos)
                target = " ".join(map(str, target.ids))
            rows.append(f"{begun} {target}")
        return rows


def _typed(targets: Sequence[str | Answer]) -> list[str]:
    if not all(isinstance(target, str) for target in targets):
        raise ValueError("targets must be text: this tokenizer belongs to no model that answers")
    return [str(target) for target in targets]
