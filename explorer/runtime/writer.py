"""Answers that several people wait for are written together.

Most of a step of the decoder goes by while the weights are read from memory, so a step for many
sentences takes little longer than a step for one. Nobody waits until others ask: whoever gets the
turn first writes what is wanted of the same model, up to a bound.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from threading import Lock
from typing import Final

from torch.nn.utils.rnn import pad_sequence

from explorer.decoding import Written, to_end, writing
from explorer.forward import encode
from explorer.names import SpecialIds
from explorer.runtime.turns import give_way
from explorer.text import Sentences
from explorer.transformer import EncoderTrace, Transformer

AT_ONCE: Final = 16  # more take more memory and save little time
TOGETHER_FROM: Final = 5  # fewer are faster one by one, if the first has a draft to begin with


@dataclass(eq=False, slots=True)
class Wanted:
    """An answer that somebody waits for."""

    model: Transformer
    source: Sentences
    encode: Callable[[], EncoderTrace]  # the encoder's output for that source, computed or cached
    specials: SpecialIds
    limit: int
    draft: Sequence[int] = ()
    begin: tuple[int, ...] = ()
    written: Written | None = None

    def fits(self, other: "Wanted") -> bool:
        """Whether both can be written at the same time."""
        alike = self.specials == other.specials and self.begin == other.begin
        return self.model is other.model and alike


class Writer:
    """Writes greedy answers: those that are wanted at the same time together."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._wanted: list[Wanted] = []

    def write(self, wanted: Wanted, *, alone: bool = False) -> Written:
        """The answer, which this thread writes or another one."""
        if alone:
            return _written([wanted])[0]
        with self._lock:
            self._wanted.append(wanted)
        try:
            give_way(to_all=True)  # the thread that writes may want an answer, too
            return wanted.written or self._write_with_others(wanted)
        finally:
            with self._lock, suppress(ValueError):
                self._wanted.remove(wanted)

    def _write_with_others(self, wanted: Wanted) -> Written:
        with self._lock:
            others = [one for one in self._wanted if one is not wanted and one.fits(wanted)]
            together = not wanted.draft or len(others) + 1 >= TOGETHER_FROM
            batch = [wanted, *others[: AT_ONCE - 1]] if together else [wanted]
            self._wanted = [one for one in self._wanted if one not in batch]
        found: Sequence[Written] = ()
        try:
            found = _written(batch)
        except (FloatingPointError, RuntimeError):
            if len(batch) == 1:
                raise
            # One of several has failed: each of them writes its own.
        for one, written in zip(batch, found, strict=False):
            one.written = written
        return found[0] if found else _written([wanted])[0]


def _written(batch: Sequence[Wanted]) -> list[Written]:
    one, *others = batch
    steps = writing(
        one.model,
        _encoded(batch) if others else one.encode(),
        specials=one.specials,
        limit=max(wanted.limit for wanted in batch),
        draft=() if others else one.draft,
        begin=one.begin,
        cached=True,
    )
    # A batch does not give way: those who wait for the turn wait for it, and would write again.
    found = to_end(steps) if others else to_end(steps, give_way)
    return [
        Written(written.ids[: wanted.limit], written.probabilities[: wanted.limit])
        for wanted, written in zip(batch, found, strict=True)
    ]


def _encoded(batch: Sequence[Wanted]) -> EncoderTrace:
    model = batch[0].model
    ids = pad_sequence(
        [wanted.source.ids[0] for wanted in batch],
        batch_first=True,
        padding_value=model.config.src_pad_id,
    )
    words = pad_sequence([wanted.source.words[0] for wanted in batch], batch_first=True)
    return encode(model, Sentences(ids, words))
