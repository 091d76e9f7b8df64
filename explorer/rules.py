"""The words that may be chosen, and rules for them that the files of a model may ask for.

Each rule computes what the class of `transformers` computes that its docstring names.
"""

from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor

from explorer.names import USUAL_IDS, SpecialIds

Logits = Float[Tensor, "batch vocab"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What the decoder has read when a word is chosen."""

    ids: Int[Tensor, "batch read"]  # from BOS on
    given: int = 1  # ids that it did not write: BOS, or its prompt

    @property
    def length(self) -> int:
        """The number of ids."""
        return self.ids.shape[1]


@dataclass(frozen=True, slots=True)
class Penalty:
    """Makes what was written less likely. `RepetitionPenaltyLogitsProcessor`, Keskar et al. 2019"""

    penalty: float

    def __call__(self, logits: Logits, reading: Reading) -> Logits:
        seen = torch.zeros_like(logits, dtype=torch.bool)
        for row, ids in enumerate(reading.ids.tolist()):
            seen[row, [i for i in ids if i < seen.shape[1]]] = True
        penalised = torch.where(logits < 0, logits * self.penalty, logits / self.penalty)
        return torch.where(seen, penalised, logits)


@dataclass(frozen=True, slots=True)
class NoRepeat:
    """Forbids `n` words in a row that were written before. `NoRepeatNGramLogitsProcessor`"""

    n: int

    def __call__(self, logits: Logits, reading: Reading) -> Logits:
        logits = logits.clone()
        for row, ids in enumerate(reading.ids.tolist()):
            before = ids[len(ids) - self.n + 1 :]
            ends = range(self.n - 1, len(ids))
            again = [ids[at] for at in ends if ids[at - self.n + 1 : at] == before]
            logits[row, [i for i in again if i < logits.shape[1]]] = -torch.inf
        return logits


@dataclass(frozen=True, slots=True)
class NoEndBefore:
    """Forbids to end before the decoder holds so many ids. `MinLengthLogitsProcessor`"""

    length: int
    ends: tuple[int, ...]

    def __call__(self, logits: Logits, reading: Reading) -> Logits:
        if reading.length >= self.length:
            return logits
        return logits.index_fill(-1, reading.ids.new_tensor(self.ends), -torch.inf)


@dataclass(frozen=True, slots=True)
class EndAt:
    """Ends the longest answer with these ids. `ForcedEOSTokenLogitsProcessor`"""

    length: int
    ends: tuple[int, ...]
    new: bool = False  # whether the length is that of what was written

    def __call__(self, logits: Logits, reading: Reading) -> Logits:
        if reading.length != self.length + self.new * reading.given - 1:
            return logits
        nothing = torch.full_like(logits, -torch.inf)
        return nothing.index_fill(-1, reading.ids.new_tensor(self.ends), 0.0)


def of_words(
    logits: Tensor, specials: SpecialIds = USUAL_IDS, reading: Reading | None = None
) -> Tensor:
    """The logits with PAD and BOS, which are not words, ruled out (see `SpecialIds.unwritten`).

    After what was read, also the model's own rules hold (`Manner`): one row of logits for each of
    its rows. The first word may be given (`SpecialIds.first`).

    Raises:
        FloatingPointError: if a logit is not finite; nothing can be chosen then.
    """
    if not logits.isfinite().all():
        raise FloatingPointError("logits must be finite, but the model's numbers have overflowed")
    if reading is not None:
        rows = logits.reshape(len(reading.ids), -1)
        ruled = by_rules(rows, specials, reading)
        if ruled is not rows:
            return ruled.reshape(logits.shape)
    return _without_unwritten(logits, specials)


def by_rules(
    logits: Float[Tensor, "batch vocab"], specials: SpecialIds, reading: Reading
) -> Float[Tensor, "batch vocab"]:
    """The logits of words by the model's rules; the very same tensor where none of them acts."""
    if specials.first is not None and reading.length == 1:
        given = torch.full_like(logits, -torch.inf)
        given[:, specials.first] = 0.0
        return given
    ruled = logits
    for rule in specials.manner.rules:
        ruled = rule(ruled, reading)
    return logits if ruled is logits else _without_unwritten(ruled, specials)


def _without_unwritten(logits: Tensor, specials: SpecialIds) -> Tensor:
    unwritten = specials.unwritten
    no_words = (specials.pad, specials.bos) if unwritten is None else unwritten
    return logits.index_fill(-1, torch.tensor(no_words, device=logits.device).long(), -torch.inf)
