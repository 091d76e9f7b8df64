"""Questions about masks: which keys may each query attend to?"""

from typing import Final

import numpy as np

from explorer import masks
from explorer.exercises.mask_cells import (
    cross_row,
    encoder_row,
    mask_codes,
    target_block,
    target_mask,
    target_row,
)
from explorer.exercises.question import Answer, Focus, Question
from explorer.exercises.reading import (
    Kind,
    are,
    count,
    mixed,
    pick,
    quoted,
    word_positions,
)
from explorer.runtime.engine import Run

REASONS: Final = (
    "It is not hidden.",
    "The key is in the future.",
    "The key is PAD.",
    "Both: the key is in the future, and it is PAD.",
)
_SO: Final = (
    "Nothing hides it.",
    "So the causal mask hides it.",
    "So the padding mask hides it.",
    "So both masks hide it.",
)
_PAD_HINT: Final = "A mask hides PAD as a key. What about PAD as a query?"


def first_row(run: Run, rng: np.random.Generator) -> Question | None:
    """What the first token of the target may attend to."""
    words = word_positions(run.tgt_labels)
    if not run.request.config.has_decoder or not words or len(run.tgt_labels) < 2:
        return None
    query = words[0]
    word = quoted(run.tgt_labels, query)
    seen = int(run.trace.tgt_mask[0, 0, query].sum())
    return Question(
        text=f"The target begins with {word}. To how many keys may it attend in the decoder's "
        "self-attention?",
        hint="At the first position nothing has been written yet. Nothing may leak.",
        explanation=f"{word} may attend to {count(seen, 'key')}: itself. The other "
        f"{count(len(run.tgt_labels) - seen, 'position')} of the target "
        f"{are(len(run.tgt_labels) - seen)} hidden.",
        form="number",
        right=seen,
        whole=True,
        mask=target_mask(run),
    )


def open_cells(run: Run, rng: np.random.Generator) -> Question | None:
    """The number of open cells of the target mask."""
    if not run.request.config.has_decoder:
        return None
    found = run.trace.tgt_mask[0, 0]
    length, opened = len(found), int(found.sum())
    triangle = length * (length + 1) // 2
    why = f"The mask has {length} × {length} = {length * length} cells. On and below the diagonal "
    why += f"there are {length} × {length + 1} ÷ 2 = {triangle}."
    if triangle > opened:
        why += f" PAD as a key hides {triangle - opened} of them: {opened} stay open."
    return Question(
        text=f"The decoder reads {count(length, 'token')}, PAD included. How many cells of the "
        "target mask are open?",
        hint="Count the rows from the top: 1, 2, 3, …, and mind PAD.",
        explanation=why,
        form="number",
        right=opened,
        whole=True,
        mask=target_mask(run),
    )


def reason(run: Run, rng: np.random.Generator) -> Question | None:
    """Why one cell of the target mask is hidden."""
    length = len(run.tgt_labels)
    if not run.request.config.has_decoder or length < 3:
        return None
    codes = mask_codes(run)
    code = int(pick(rng, np.unique(codes).tolist()))  # each reason is as likely as the others
    query, key = pick(rng, np.argwhere(codes == code).tolist())
    asked, read = quoted(run.tgt_labels, query), quoted(run.tgt_labels, key)
    place = "after the query" if key > query else "before it" if key < query else "the query's own"
    is_pad = "is" if code & masks.KEY_IS_PAD else "is not"
    return Question(
        text=f"In the target mask, the query is {asked} (position {query}) and the key is {read} "
        f"(position {key}). Is this cell hidden, and "
        "why?",
        hint="Ask two things: is the key later than the query, and is the key PAD?",
        explanation=f"Position {key} is {place}, and the key {is_pad} PAD. {REASONS[code]}",
        form="choice",
        right=code,
        options=REASONS,
        mask=target_mask(run),
    )


def source_mask_shape(run: Run, rng: np.random.Generator) -> Question | None:
    """The shape of the source mask."""
    if not run.request.config.has_encoder:
        return None
    shape = tuple(masks.padding_mask(run.batch.src, run.batch.pad_id).shape)
    return _shape(
        f"The source of {count(shape[0], 'sentence pair')} is padded to {shape[3]} tokens. What is "
        "the shape of the source mask?",
        shape,
        f"{shape}: a source mask has one row of {count(shape[3], 'key')} for each sentence. The 1s "
        "stand for all heads and all queries, which share that row.",
    )


def target_mask_shape(run: Run, rng: np.random.Generator) -> Question | None:
    """The shape of the target mask."""
    if not run.request.config.has_decoder:
        return None
    shape = tuple(masks.target_mask(run.batch.tgt_in, run.batch.pad_id).shape)
    return _shape(
        f"The decoder reads {count(shape[0], 'sentence')}, padded to {shape[3]} tokens. What is "
        "the shape of the target mask?",
        shape,
        f"{shape}: every query has a row of its own, because each has another future. All heads "
        "share the mask: hence the 1.",
    )


def one_more_pad(run: Run, rng: np.random.Generator) -> Question | None:
    """What one more PAD changes in the target mask."""
    config, pad = run.request.config, run.batch.pad_id
    ids = run.batch.tgt_in[run.row : run.row + 1]
    if not config.has_decoder or config.starts_with_pad or not 2 <= ids.shape[1] < 30:
        return None
    longer = np.pad(ids.numpy(), ((0, 0), (0, 1)), constant_values=pad)
    before = int(run.trace.tgt_mask[0, 0].sum())
    after = int(masks.target_mask(ids.new_tensor(longer), pad).sum())
    words = len(word_positions(run.tgt_labels))
    return Question(
        text=f"The target mask has {before} open cells. Now one more PAD is added at the end of "
        f"the {count(ids.shape[1], 'token')}. How many cells are open then?",
        hint=_PAD_HINT,
        explanation=f"The new column is hidden from everyone, because its key is PAD. The new row "
        f"is not hidden: PAD as a query sees {count(words, 'word')} before it. "
        f"{before} + {words} = {after}.",
        form="number",
        right=after,
        whole=True,
        mask=target_mask(run),
    )


def hidden_in_cross(run: Run, rng: np.random.Generator) -> Question | None:
    """How many source keys the target cannot see."""
    if "cross" not in run.request.config.attention_kinds:
        return None
    attention = run.attention("cross", 0)
    hidden = int((~attention.may_attend[0]).sum())
    keys, queries = len(attention.key_labels), len(attention.query_labels)
    options = sorted(mixed(rng, hidden, [0, 1, 2, keys - 1, queries - 1, queries])[0])
    return Question(
        text=f"In cross-attention, {count(queries, 'target token')} can look at "
        f"{count(keys, 'source token')}. How many of these keys are hidden from the first target "
        "token?",
        hint="Only one thing is hidden here. Look for it in the source.",
        explanation=f"The source has {count(hidden, 'PAD token')}, and nothing else is hidden. The "
        "source has no future, so the first target token sees as much of it as the last one.",
        form="choice",
        right=options.index(hidden),
        options=tuple(map(str, options)),
        focus=Focus(kind="cross"),
    )


def _shape(text: str, right: Answer, explanation: str) -> Question:
    return Question(
        text=text,
        hint="The axes are: sentences, heads, queries, keys. An axis that all share has size 1.",
        explanation=explanation,
        form="shape",
        right=right,
        axes=("sentences", "heads", "queries", "keys"),
    )


KINDS: Final = {
    "target_row": Kind("masks", "One row of the target mask", target_row),
    "encoder_row": Kind("masks", "One row of the source mask", encoder_row),
    "cross_row": Kind("masks", "One row of the cross-attention mask", cross_row),
    "target_block": Kind("masks", "A block of the target mask", target_block),
    "first_row": Kind("masks", "What the first token sees", first_row),
    "open_cells": Kind("masks", "Open cells of the target mask", open_cells),
    "reason": Kind("masks", "Why a cell is hidden", reason),
    "source_mask_shape": Kind("masks", "Shape of the source mask", source_mask_shape),
    "target_mask_shape": Kind("masks", "Shape of the target mask", target_mask_shape),
    "one_more_pad": Kind("masks", "One more PAD", one_more_pad),
    "hidden_in_cross": Kind("masks", "Hidden keys of cross-attention", hidden_in_cross),
}
