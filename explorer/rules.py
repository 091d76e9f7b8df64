"""The words that may be chosen, and rules for them that the files of a model may ask for.

Each rule computes what the class of `transformers` computes that its docstring names.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor

from explorer.names import USUAL_IDS, SpecialIds

Logits = Float[Tensor, "batch vocab"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What has been read when a word is chosen."""

    ids: Int[Tensor, "batch read"]  # by the decoder, from BOS on
    given: int = 1  # ids that it did not write: BOS, or its prompt
    sources: Sequence[Sequence[int]] = ()  # without padding

    @property
    def length(self) -> int:
        """The ids that the decoder has read."""
        return self.ids.shape[1]

    def texts(self, *, of_source: bool) -> Sequence[Sequence[int]]:
        """The ids of each row: of its source, or of what the decoder has read."""
        if not of_source:
            rows: list[list[int]] = self.ids.tolist()
            return rows
        if any(self.sources):
            return self.sources
        return self.ids[:, : self.given].tolist()  # a prompt stands for a source


@dataclass(frozen=True, slots=True)
class Bias:
    """Adds to the logit of a sequence's last word once all others have been written, or forbids it.

    `SequenceBiasLogitsProcessor`, and with −∞ `NoBadWordsLogitsProcessor`.
    """

    sequences: tuple[tuple[tuple[int, ...], float], ...]

    def __call__(self, logits: Logits, reading: Reading) -> Logits:
        bias = torch.zeros_like(logits)
        for row, ids in enumerate(reading.texts(of_source=False)):
            for sequence, added in self.sequences:
                if sequence[:-1] == tuple(ids[len(ids) - len(sequence) + 1 :]):
                    bias[row, sequence[-1]] += added
        return logits + bias


@dataclass(frozen=True, slots=True)
class Penalty:
    """Makes what was written less likely (Keskar et al. 2019), or changes what the source holds.

    `RepetitionPenaltyLogitsProcessor`; with the inverse `EncoderRepetitionPenaltyLogitsProcessor`.
    """

    penalty: float
    of_source: bool = False

    def __call__(self, logits: Logits, reading: Reading) -> Logits:
        seen = torch.zeros_like(logits, dtype=torch.bool)
        for row, ids in enumerate(reading.texts(of_source=self.of_source)):
            seen[row, [i for i in ids if i < seen.shape[1]]] = True
        penalised = torch.where(logits < 0, logits * self.penalty, logits / self.penalty)
        return torch.where(seen, penalised, logits)


@dataclass(frozen=True, slots=True)
class NoRepeat:
    """Forbids `n` words in a row that were written before (Paulus et al. 2017), or the source's.

    `NoRepeatNGramLogitsProcessor` and `EncoderNoRepeatNGramLogitsProcessor`.
    """

    n: int
    of_source: bool = False

    def __call__(self, logits: Logits, reading: Reading) -> Logits:
        logits = logits.clone()
        texts = reading.texts(of_source=self.of_source)
        for row, (ids, text) in enumerate(zip(reading.ids.tolist(), texts, strict=True)):
            before = list(ids[len(ids) - self.n + 1 :])
            ends = range(self.n - 1, len(text))
            again = [text[at] for at in ends if list(text[at - self.n + 1 : at]) == before]
            logits[row, [i for i in again if i < logits.shape[1]]] = -torch.inf
        return logits


@dataclass(frozen=True, slots=True)
class NoEndBefore:
    """Forbids to end before the decoder holds so many ids, or has written so many new ones.

    `MinLengthLogitsProcessor` and `MinNewTokensLengthLogitsProcessor`.
    """

    length: int
    ends: tuple[int, ...]
    new: bool = False

    def __call__(self, logits: Logits, reading: Reading) -> Logits:
        if reading.length >= self.length + self.new * reading.given:
            return logits
        return logits.index_fill(-1, reading.ids.new_tensor(self.ends), -torch.inf)


@dataclass(frozen=True, slots=True)
class EndAt:
    """Ends the longest answer with these ids. `ForcedEOSTokenLogitsProcessor`."""

    length: int
    ends: tuple[int, ...]
    new: bool = False

    def __call__(self, logits: Logits, reading: Reading) -> Logits:
        if reading.length != self.length + self.new * reading.given - 1:
            return logits
        nothing = torch.full_like(logits, -torch.inf)
        return nothing.index_fill(-1, reading.ids.new_tensor(self.ends), 0.0)


@dataclass(frozen=True, slots=True)
class LikelierEnd:
    """Makes the end likelier with every word. `ExponentialDecayLengthPenalty`."""

    start: int
    factor: float
    ends: tuple[int, ...]

    def __call__(self, logits: Logits, reading: Reading) -> Logits:
        late = reading.length - reading.given - self.start
        if late <= 0:
            return logits
        at = reading.ids.new_tensor(self.ends)
        end = logits[:, at]
        added = (end.abs() * (self.factor**late - 1)).masked_fill(~end.isfinite(), 0.0)
        return logits.index_copy(-1, at, end + added)


@dataclass(frozen=True, slots=True)
class NotFirst:
    """Forbids these ids as the first word chosen. `SuppressTokensAtBeginLogitsProcessor`."""

    ids: tuple[int, ...]
    forced: bool = False  # whether a decoder that has read BOS alone is given its first word

    def __call__(self, logits: Logits, reading: Reading) -> Logits:
        if reading.length != reading.given + (self.forced and reading.given == 1):
            return logits
        return logits.index_fill(-1, reading.ids.new_tensor(self.ids), -torch.inf)


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
