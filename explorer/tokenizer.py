"""From text to ids: every source of models has its own tokenizer."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, runtime_checkable

from explorer.names import PaddingSide
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
    """Ids as typed: nothing is added or shifted, and PAD may be anywhere."""

    pad_id: int = 0
    vocab_size: int = VOCAB_SIZE
    longest: int = MAX_TOKENS

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
        return Batch.from_ids(
            sources,
            _typed(targets),
            pad_id=self.pad_id,
            side=side,
            length=length,
            vocab_size=self.vocab_size,
            longest=self.longest,
        )


def _typed(targets: Sequence[str | Answer]) -> list[str]:
    if not all(isinstance(target, str) for target in targets):
        raise ValueError("targets must be text: this tokenizer belongs to no model that answers")
    return [str(target) for target in targets]
