"""How a model is spoken to: every source of a model brings a tokenizer along."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, runtime_checkable

from explorer.names import PaddingSide
from explorer.text import Answer, Batch, tokenize


@runtime_checkable
class Tokenizer(Protocol):
    """Text → ids and the labels to draw them with. Immutable, and hashable by its settings."""

    def __hash__(self) -> int: ...

    def split(self, text: str) -> tuple[str, ...]:
        """A source as the tokens that the model reads."""
        ...

    def batch(
        self,
        sources: Sequence[str],
        targets: Sequence[str | Answer],
        *,
        side: PaddingSide = "right",
        length: int | None = None,
    ) -> Batch:
        """The pairs as the model reads them, padded; a target is typed, or a model's answer.

        Raises:
            ValueError: where there is no pair, or sources and targets differ in number.
        """
        ...


@dataclass(frozen=True, slots=True)
class TextTokenizer:
    """Words or characters, numbered in the order in which they first appear in the sentences."""

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
class IdTokenizer:
    """Ids as typed: nothing is added or shifted, PAD may stand anywhere."""

    pad_id: int = 0

    def split(self, text: str) -> tuple[str, ...]:
        """The numbers, as they were typed."""
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
            sources, _typed(targets), pad_id=self.pad_id, side=side, length=length
        )


def _typed(targets: Sequence[str | Answer]) -> list[str]:
    if not all(isinstance(target, str) for target in targets):
        raise ValueError("targets must be text: this tokenizer belongs to no model that answers")
    return [str(target) for target in targets]
