"""Questions about masks that are answered by marking cells."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
import torch
from torch import Tensor

from explorer import masks
from explorer.analysis.attention import word_positions
from explorer.exercises.question import Focus, Grid, Mask, Question
from explorer.exercises.reading import (
    Kinds,
    names,
    pick,
    quoted,
    require,
)
from explorer.languages import in_quotes, mark, tr, tr_n
from explorer.names import PAD, AttentionKind, Side
from explorer.runtime.engine import Run

KINDS: Final = Kinds("masks")

MOST_CELLS: Final = 40  # in one row to mark; more would be work, not thought
MOST_PADS: Final = 2  # that a question adds
_ROWS: Final[Mapping[AttentionKind, str]] = {
    "encoder": mark("Mark every key that {word} may attend to in the encoder's self-attention."),
    "decoder": mark("Mark every key that {word} may attend to in the decoder's self-attention."),
    "cross": mark("Mark every key that {word} may attend to in cross-attention."),
}


@dataclass(frozen=True, slots=True)
class Padded:
    """One sentence as it stands in a batch with a longer one."""

    labels: tuple[str, ...]
    ids: Tensor  # (1, length)
    told: str  # where its PAD comes from; nothing if the batch on show has it

    @property
    def in_words(self) -> str:
        """All its tokens in quotation marks."""
        return in_quotes(" ".join(self.labels))

    @property
    def pads(self) -> int:
        """How many of its tokens are PAD."""
        return self.labels.count(PAD)

    def asked(self, question: str) -> str:
        """A question about it, after the words that tell where its PAD comes from."""
        return f"{self.told} {question}".strip()


def padded(run: Run, rng: np.random.Generator, side: Side) -> Padded:
    """The source, or what the decoder reads, with PAD: that of the batch, or else one or two more.

    A decoder that begins with PAD stays as it is.
    """
    source, config = side == "src", run.request.config
    require(config.has_encoder if source else config.has_decoder)
    ids = (run.batch.src if source else run.batch.tgt_in)[run.row : run.row + 1]
    labels = run.src_labels if source else run.tgt_labels
    if PAD in labels or (config.starts_with_pad and not source):
        return Padded(labels, ids, "")
    more = int(rng.integers(1, MOST_PADS + 1))
    longer = torch.cat([ids, ids.new_full((1, more), run.batch.pad_id)], dim=1)
    told = tr("Think of a longer sentence in the batch: this one is then filled up with PAD.")
    return Padded((*labels, *[PAD] * more), longer, told)


def target_codes(run: Run, read: Padded) -> np.ndarray:
    """The reason for each cell of the target mask: 0 where it is open."""
    starts = run.request.config.starts_with_pad
    found = masks.target_reasons(read.ids, run.batch.pad_id, starts_with_pad=starts)
    codes: np.ndarray = found[0].numpy()
    return codes


def target_mask(run: Run, read: Padded) -> Mask:
    """The mask to be drawn once the question is answered."""
    codes = tuple(map(tuple, target_codes(run, read).tolist()))
    return Mask(name=tr("target mask"), queries=read.labels, keys=read.labels, codes=codes)


def _mark_row(run: Run, rng: np.random.Generator, kind: AttentionKind, hint: str) -> Question:
    """Mark the keys that one query may attend to."""
    require(kind in run.request.config.attention_kinds)
    read = padded(run, rng, "tgt" if kind == "decoder" else "src")
    queries = run.tgt_labels if kind == "cross" else read.labels
    require(2 <= len(read.labels) <= MOST_CELLS)
    query = pick(rng, word_positions(queries))
    row = (
        target_codes(run, read)[query] == 0
        if kind == "decoder"
        else masks.padding_mask(read.ids, run.batch.pad_id)[0, 0, 0].numpy()
    )
    seen = np.flatnonzero(row).tolist()
    return Question(
        text=read.asked(tr(_ROWS[kind], word=quoted(queries, query))),
        hint=hint,
        explanation=_why(kind, quoted(queries, query), query, len(seen), read),
        right=frozenset((0, key) for key in seen),
        grid=Grid(rows=(names(queries)[query],), columns=names(read.labels)),
        focus=Focus(kind=kind, query=query),
    )


def _why(kind: AttentionKind, word: str, query: int, seen: int, read: Padded) -> str:
    """Which keys a query may attend to, and which are hidden."""
    keys, pads = len(read.labels), read.pads
    if kind == "decoder":
        return _why_in_decoder(word, query, seen, keys)
    if not pads:
        return tr(
            "{word} may attend to {seen} of {keys:,} keys: to all of them, because no key is PAD "
            "and a source has no future.",
            word=word,
            seen=seen,
            keys=keys,
        )
    open_keys = tr(
        "{word} may attend to {seen} of {keys:,} keys: to every source word.",
        word=word,
        seen=seen,
        keys=keys,
    )
    hidden = tr_n("{n:,} key is PAD and hidden.", "{n:,} keys are PAD and hidden.", pads)
    return f"{open_keys} {hidden}"


def _why_in_decoder(word: str, query: int, seen: int, keys: int) -> str:
    if seen > 1:
        open_keys = tr_n(
            "{word} may attend to {seen} of {keys:,} keys: to itself and to {n:,} token before it.",
            "{word} may attend to {seen} of {keys:,} keys: to itself and to {n:,} tokens before "
            "it.",
            seen - 1,
            word=word,
            seen=seen,
            keys=keys,
        )
    else:
        open_keys = tr(
            "{word} may attend to {seen} of {keys:,} keys: itself.", word=word, seen=seen, keys=keys
        )
    later = keys - 1 - query
    if not later:
        return open_keys
    hidden = tr_n(
        "What comes later, {n:,} position, is hidden.",
        "What comes later, {n:,} positions, is hidden.",
        later,
    )
    return f"{open_keys} {hidden}"


@KINDS.add("tour", mark("One row of the target mask"))
def target_row(run: Run, rng: np.random.Generator) -> Question:
    """One row of the target mask."""
    hint = tr("A target word never looks ahead, and PAD is hidden as a key.")
    return _mark_row(run, rng, "decoder", hint)


@KINDS.add("tour", mark("One row of the source mask"))
def encoder_row(run: Run, rng: np.random.Generator) -> Question:
    """One row of the source mask."""
    hint = tr("The source is known from the start. What is left to hide?")
    return _mark_row(run, rng, "encoder", hint)


@KINDS.add("tour", mark("One row of the cross-attention mask"))
def cross_row(run: Run, rng: np.random.Generator) -> Question:
    """One row of the cross-attention mask."""
    hint = tr("The keys are source words. Does the place of the target word matter?")
    return _mark_row(run, rng, "cross", hint)


@KINDS.add("tour", mark("A block of the target mask"))
def target_block(run: Run, rng: np.random.Generator) -> Question:
    """A corner of the target mask, with PAD if there is any."""
    read = padded(run, rng, "tgt")
    require(len(read.labels) >= 3)
    size = min(4, len(read.labels))
    corners = range(len(read.labels) - size + 1)
    with_pad = [at for at in corners if PAD in read.labels[at : at + size]]
    first = pick(rng, with_pad or list(corners))
    seen = target_codes(run, read)[first : first + size, first : first + size] == 0
    labels = names(read.labels)[first : first + size]
    right = frozenset((row, column) for row, column in np.argwhere(seen).tolist())
    asked = tr(
        "These are positions {first} to {last} of the target. Mark every cell that is open in "
        "the target mask.",
        first=first,
        last=first + size - 1,
    )
    return Question(
        text=read.asked(asked),
        hint=tr("Rows are queries, columns are keys. The diagonal is a word and itself."),
        explanation=tr_n(
            "{n:,} cell of {cells} is open: on the diagonal and below it, except where the key is "
            "PAD. Above the diagonal is the future.",
            "{n:,} cells of {cells} are open: on the diagonal and below it, except where the key "
            "is PAD. Above the diagonal is the future.",
            len(right),
            cells=size * size,
        ),
        right=right,
        grid=Grid(rows=labels, columns=labels),
        mask=target_mask(run, read),
    )
