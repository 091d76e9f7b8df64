"""Everything that decides what is on screen, except the page's own choices."""

from dataclasses import dataclass, replace
from functools import lru_cache

from explorer.analysis.head_roles import KnownHeads
from explorer.config import ModelConfig
from explorer.languages import spoken
from explorer.names import PaddingSide
from explorer.text import Answer, Batch
from explorer.tokenizer import Tokenizer
from explorer.weights.catalogue import Learnt, ModelRequest, known_heads


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The sentences, how they are read, and by which model."""

    sources: tuple[str, ...]
    targets: tuple[str | Answer, ...]  # typed, or answers of the model
    tokenizer: Tokenizer
    side: PaddingSide
    length: int | None
    row: int  # the pair on show, from 0: one of those that the model reads
    hide_pad: bool  # whether the pair on show is read without the PAD that fills it up
    request: ModelRequest
    learnt: Learnt | None  # None for an untrained model
    dropout_seed: int | None  # None if dropout is off

    @property
    def config(self) -> ModelConfig:
        """The shape of the model."""
        return self.request.config

    @property
    def answered(self) -> bool:
        """Whether the targets are the model's own answers."""
        return any(isinstance(target, Answer) for target in self.targets)

    @property
    def known_heads(self) -> KnownHeads | None:
        """The measured roles of the model's heads over many sentences, if known."""
        return known_heads(self.request.source)

    def batch(self) -> Batch:
        """The pairs as the model reads them."""
        alone = self.row if self.hide_pad else None
        reads = self.tokenizer, self.sources, self.targets, self.side, self.length
        return _batch(*reads, alone, spoken())

    @property
    def can_hide_pad(self) -> bool:
        """Whether PAD fills up the pair on show, on the right."""
        whole = replace(self, hide_pad=False).batch()
        return whole.without_pad(self.row).widths != whole.widths


@lru_cache(maxsize=16)  # the frame, the page and the model ask for two in every run
def _batch(
    tokenizer: Tokenizer,
    sources: tuple[str, ...],
    targets: tuple[str | Answer, ...],
    side: PaddingSide,
    length: int | None,
    alone: int | None,
    language: str,
) -> Batch:
    del language  # part of the cache's key: the notes are written in it
    batch = tokenizer.batch(sources, targets, side=side, length=length)
    return batch if alone is None else batch.without_pad(alone)
