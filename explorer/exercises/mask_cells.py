"""Questions about masks that are answered by marking cells."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
import torch.nn.functional as F
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
from explorer.languages import in_quotes, mark, sentences, tr, tr_n
from explorer.names import PAD, AttentionKind, Side
from explorer.runtime.engine import Run

KINDS: Final = Kinds("masks")

MAX_CELLS: Final = 40  # in one row to mark; more would only be tedious
MAX_PADS: Final = 2  # that a question adds
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
    words: Tensor  # which of them are not padding
    note: str  # where its PAD comes from; empty if the batch on show has it

    @property
    def in_words(self) -> str:
        """All its tokens in quotation marks."""
        return in_quotes(" ".join(self.labels))

    @property
    def pads(self) -> int:
        """How many of its tokens are PAD."""
        return self.labels.count(PAD)

    def after_note(self, question: str) -> str:
        """A question about it, after the note on where its PAD comes from."""
        return f"{self.note} {question}".strip()


def padded(run: Run, rng: np.random.Generator, side: Side) -> Padded:
    """The source, or what the decoder reads: with the batch's PAD, or else one or two added."""
    source, config = side == "src", run.request.config
    require(config.has_encoder if source else config.has_decoder)
    both = run.batch.sources if source else run.batch.targets_in
    read = both[run.row : run.row + 1]
    labels = run.src_labels if source else run.tgt_labels
    if PAD in labels:
        return Padded(labels, read.ids, read.words, "")
    more = int(rng.integers(1, MAX_PADS + 1))
    ids = F.pad(read.ids, (0, more), value=run.batch.pad_id)
    note = tr("Think of a longer sentence in the batch: this one is then filled up with PAD.")
    return Padded((*labels, *[PAD] * more), ids, F.pad(read.words, (0, more)), note)


def target_codes(run: Run, sentence: Padded) -> np.ndarray:
    """Why each cell of the target mask is hidden, as a code: 0 where it is open."""
    reasons = masks.target_reasons(sentence.ids, run.batch.pad_id, words=sentence.words)
    codes: np.ndarray = reasons[0].numpy()
    return codes


def target_mask(run: Run, sentence: Padded) -> Mask:
    """The mask to be drawn once the question is answered."""
    codes = tuple(map(tuple, target_codes(run, sentence).tolist()))
    return Mask(name=tr("target mask"), queries=sentence.labels, keys=sentence.labels, codes=codes)


def _mark_row(run: Run, rng: np.random.Generator, kind: AttentionKind, hint: str) -> Question:
    """Mark the keys that one query may attend to."""
    require(kind in run.request.config.attention_kinds)
    sentence = padded(run, rng, "tgt" if kind == "decoder" else "src")
    queries = run.tgt_labels if kind == "cross" else sentence.labels
    require(2 <= len(sentence.labels) <= MAX_CELLS)
    query = pick(rng, word_positions(queries))
    row = (
        target_codes(run, sentence)[query] == 0 if kind == "decoder" else sentence.words[0].numpy()
    )
    open_keys = np.flatnonzero(row).tolist()
    return Question(
        text=sentence.after_note(tr(_ROWS[kind], word=quoted(queries, query))),
        hint=hint,
        explanation=_why(kind, quoted(queries, query), query, len(open_keys), sentence),
        right=frozenset((0, key) for key in open_keys),
        grid=Grid(rows=(names(queries)[query],), columns=names(sentence.labels)),
        focus=Focus(kind=kind, query=query),
    )


def _why(kind: AttentionKind, word: str, query: int, n_open: int, sentence: Padded) -> str:
    """The explanation: which keys a query may attend to, and which are hidden."""
    keys, pads = len(sentence.labels), sentence.pads
    if kind == "decoder":
        return _why_in_decoder(word, query, n_open, keys)
    if not pads:
        return tr(
            "{word} may attend to {seen} of {keys:,} keys: to all of them, because no key is PAD "
            "and a source has no future.",
            word=word,
            seen=n_open,
            keys=keys,
        )
    visible = tr(
        "{word} may attend to {seen} of {keys:,} keys: to every source word.",
        word=word,
        seen=n_open,
        keys=keys,
    )
    hidden = tr_n("{n:,} key is PAD and hidden.", "{n:,} keys are PAD and hidden.", pads)
    return sentences(visible, hidden)


def _why_in_decoder(word: str, query: int, n_open: int, keys: int) -> str:
    if n_open > 1:
        visible = tr_n(
            "{word} may attend to {seen} of {keys:,} keys: to itself and to {n:,} token before it.",
            "{word} may attend to {seen} of {keys:,} keys: to itself and to {n:,} tokens before "
            "it.",
            n_open - 1,
            word=word,
            seen=n_open,
            keys=keys,
        )
    else:
        visible = tr(
            "{word} may attend to {seen} of {keys:,} keys: itself.",
            word=word,
            seen=n_open,
            keys=keys,
        )
    later = keys - 1 - query
    if not later:
        return visible
    hidden = tr_n(
        "What comes later, {n:,} position, is hidden.",
        "What comes later, {n:,} positions, is hidden.",
        later,
    )
    return sentences(visible, hidden)


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
    sentence = padded(run, rng, "tgt")
    require(len(sentence.labels) >= 3)
    size = min(4, len(sentence.labels))
    corners = range(len(sentence.labels) - size + 1)
    with_pad = [corner for corner in corners if PAD in sentence.labels[corner : corner + size]]
    first = pick(rng, with_pad or list(corners))
    is_open = target_codes(run, sentence)[first : first + size, first : first + size] == 0
    labels = names(sentence.labels)[first : first + size]
    right = frozenset((row, column) for row, column in np.argwhere(is_open).tolist())
    question = tr(
        "These are positions {first} to {last} of the target. Mark every cell that is open in "
        "the target mask.",
        first=first,
        last=first + size - 1,
    )
    return Question(
        text=sentence.after_note(question),
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
        mask=target_mask(run, sentence),
    )
