"""Questions about masks that are answered by marking cells."""

from typing import Final

import numpy as np

from explorer import masks
from explorer.exercises.question import Focus, Grid, Mask, Question
from explorer.exercises.reading import (
    KIND_NAMES,
    any_attention,
    are,
    count,
    names,
    pick,
    quoted,
    visible,
    word_positions,
)
from explorer.names import AttentionKind
from explorer.runtime.engine import Run

MOST_CELLS: Final = 40  # in one row to mark; more would be work, not thought


def mask_codes(run: Run) -> np.ndarray:
    """The reason for each cell of the target mask: 0 where it is open."""
    pad, config = run.batch.pad_id, run.request.config
    found: np.ndarray = masks.target_reasons(
        run.batch.tgt_in, pad, starts_with_pad=config.starts_with_pad
    )[run.row].numpy()
    return found


def target_mask(run: Run) -> Mask:
    codes = tuple(map(tuple, mask_codes(run).tolist()))
    return Mask(name="target mask", queries=run.tgt_labels, keys=run.tgt_labels, codes=codes)


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
    word = quoted(attention.query_labels, query)
    pads = [key for key, label in enumerate(attention.key_labels) if not attention.key_is_word[key]]
    why = f"{word} may attend to {len(seen)} of {count(len(keys), 'key')}"
    if kind == "decoder":
        later, before = len(keys) - 1 - query, len(seen) - 1
        why += f": to itself and to {count(before, 'token')} before it." if before else ": itself."
        why += f" What comes later, {count(later, 'position')}, is hidden." if later else ""
    elif pads:
        why += f": to every source word. {count(len(pads), 'key')} {are(len(pads))} PAD and hidden."
    else:
        why += ": to all of them, because no key is PAD and a source has no future."
    return Question(
        text=f"Mark every key that {word} may attend to in {KIND_NAMES[kind]}.",
        hint=hint,
        explanation=why,
        form="cells",
        right=frozenset((0, key) for key in seen),
        grid=Grid(rows=(names(attention.query_labels)[query],), columns=keys),
        focus=Focus(kind=kind, query=query),
    )


def target_row(run: Run, rng: np.random.Generator) -> Question | None:
    """One row of the target mask."""
    hint = "A target word never looks ahead, and PAD is hidden as a key."
    return _mark_row(run, rng, "decoder", hint)


def encoder_row(run: Run, rng: np.random.Generator) -> Question | None:
    """One row of the source mask."""
    hint = "The source is known from the start. What is left to hide?"
    return _mark_row(run, rng, "encoder", hint)


def cross_row(run: Run, rng: np.random.Generator) -> Question | None:
    """One row of the cross-attention mask."""
    hint = "The keys are source words. Does the place of the target word matter?"
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
        text=f"These are positions {first} to {first + size - 1} of the target. Mark every cell "
        "that is open in the target mask.",
        hint="Rows are queries, columns are keys. The diagonal is a word and itself.",
        explanation=f"{count(len(right), 'cell')} of {size * size} {are(len(right))} open: on the "
        "diagonal and below it, except where the key is PAD. Above the diagonal is the future.",
        form="cells",
        right=right,
        grid=Grid(rows=labels, columns=labels),
        mask=target_mask(run),
    )
