"""Questions about masks that are answered by marking cells."""

from collections.abc import Mapping
from typing import Final

import numpy as np

from explorer import masks
from explorer.analysis.attention import Attention
from explorer.exercises.question import Focus, Grid, Mask, Question
from explorer.exercises.reading import (
    any_attention,
    names,
    pick,
    quoted,
    visible,
    word_positions,
)
from explorer.languages import mark, tr, tr_n
from explorer.names import AttentionKind
from explorer.runtime.engine import Run

MOST_CELLS: Final = 40  # in one row to mark; more would be work, not thought
_ROWS: Final[Mapping[AttentionKind, str]] = {
    "encoder": mark("Mark every key that {word} may attend to in the encoder's self-attention."),
    "decoder": mark("Mark every key that {word} may attend to in the decoder's self-attention."),
    "cross": mark("Mark every key that {word} may attend to in cross-attention."),
}


def mask_codes(run: Run) -> np.ndarray:
    """The reason for each cell of the target mask: 0 where it is open."""
    pad, config = run.batch.pad_id, run.request.config
    found: np.ndarray = masks.target_reasons(
        run.batch.tgt_in, pad, starts_with_pad=config.starts_with_pad
    )[run.row].numpy()
    return found


def target_mask(run: Run) -> Mask:
    codes = tuple(map(tuple, mask_codes(run).tolist()))
    return Mask(name=tr("target mask"), queries=run.tgt_labels, keys=run.tgt_labels, codes=codes)


def _mark_row(
    run: Run, rng: np.random.Generator, kind: AttentionKind, hint: str
) -> Question | None:
    """Mark the keys that one query may attend to."""
    attention = any_attention(run, rng, [kind])
    if attention is None or not 2 <= len(attention.key_labels) <= MOST_CELLS:
        return None
    words = word_positions(attention.query_labels)
    if not words:
        return None
    query = pick(rng, words)
    seen = visible(attention, query)
    keys = names(attention.key_labels)
    return Question(
        text=tr(_ROWS[kind], word=quoted(attention.query_labels, query)),
        hint=hint,
        explanation=_why(attention, query),
        form="cells",
        right=frozenset((0, key) for key in seen),
        grid=Grid(rows=(names(attention.query_labels)[query],), columns=keys),
        focus=Focus(kind=kind, query=query),
    )


def _why(attention: Attention, query: int) -> str:
    """Which keys a query may attend to, and which are hidden."""
    word, keys = quoted(attention.query_labels, query), len(attention.key_labels)
    seen, pads = len(visible(attention, query)), attention.key_is_word.count(False)
    if attention.kind == "decoder":
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


def target_row(run: Run, rng: np.random.Generator) -> Question | None:
    """One row of the target mask."""
    hint = tr("A target word never looks ahead, and PAD is hidden as a key.")
    return _mark_row(run, rng, "decoder", hint)


def encoder_row(run: Run, rng: np.random.Generator) -> Question | None:
    """One row of the source mask."""
    hint = tr("The source is known from the start. What is left to hide?")
    return _mark_row(run, rng, "encoder", hint)


def cross_row(run: Run, rng: np.random.Generator) -> Question | None:
    """One row of the cross-attention mask."""
    hint = tr("The keys are source words. Does the place of the target word matter?")
    return _mark_row(run, rng, "cross", hint)


def target_block(run: Run, rng: np.random.Generator) -> Question | None:
    """A corner of the target mask."""
    length = len(run.tgt_labels)
    if not run.request.config.has_decoder or length < 3:
        return None
    size = min(4, length)
    first = int(rng.integers(length - size + 1))
    places = range(first, first + size)
    seen = run.trace.tgt_mask[0, 0].tolist()
    labels = names(run.tgt_labels)[first : first + size]
    right = frozenset(
        (row, column) for row in range(size) for column in range(size)
        if seen[places[row]][places[column]]
    )  # fmt: skip
    return Question(
        text=tr(
            "These are positions {first} to {last} of the target. Mark every cell that is open in "
            "the target mask.",
            first=first,
            last=first + size - 1,
        ),
        hint=tr("Rows are queries, columns are keys. The diagonal is a word and itself."),
        explanation=tr_n(
            "{n:,} cell of {cells} is open: on the diagonal and below it, except where the key is "
            "PAD. Above the diagonal is the future.",
            "{n:,} cells of {cells} are open: on the diagonal and below it, except where the key "
            "is PAD. Above the diagonal is the future.",
            len(right),
            cells=size * size,
        ),
        form="cells",
        right=right,
        grid=Grid(rows=labels, columns=labels),
        mask=target_mask(run),
    )
