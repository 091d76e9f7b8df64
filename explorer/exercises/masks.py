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
    axes_of_scores,
    mixed,
    pick,
    quoted,
    word_positions,
)
from explorer.languages import mark, tr, tr_n
from explorer.runtime.engine import Run

REASONS: Final = (
    mark("It is not hidden."),
    mark("The key is in the future."),
    mark("The key is PAD."),
    mark("Both: the key is in the future, and it is PAD."),
)
_PAD_HINT: Final = mark("A mask hides PAD as a key. What about PAD as a query?")


def first_row(run: Run, rng: np.random.Generator) -> Question | None:
    """What the first token of the target may attend to."""
    words = word_positions(run.tgt_labels)
    if not run.request.config.has_decoder or not words or len(run.tgt_labels) < 2:
        return None
    query = words[0]
    word = quoted(run.tgt_labels, query)
    seen = int(run.trace.tgt_mask[0, 0, query].sum())
    itself = tr_n(
        "{word} may attend to {n:,} key: itself.",
        "{word} may attend to {n:,} keys: itself.",
        seen,
        word=word,
    )
    hidden = tr_n(
        "The other {n:,} position of the target is hidden.",
        "The other {n:,} positions of the target are hidden.",
        len(run.tgt_labels) - seen,
    )
    return Question(
        text=tr(
            "The target begins with {word}. To how many keys may it attend in the decoder's "
            "self-attention?",
            word=word,
        ),
        hint=tr("At the first position nothing has been written yet. Nothing may leak."),
        explanation=f"{itself} {hidden}",
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
    why = tr(
        "The mask has {length} × {length} = {cells} cells. On and below the diagonal there are "
        "{length} × {next} ÷ 2 = {triangle}.",
        length=length,
        cells=length * length,
        next=length + 1,
        triangle=triangle,
    )
    if triangle > opened:
        pads = tr(
            "PAD as a key hides {hidden} of them: {opened} stay open.",
            hidden=triangle - opened,
            opened=opened,
        )
        why = f"{why} {pads}"
    return Question(
        text=tr_n(
            "The decoder reads {n:,} token, PAD included. How many cells of the target mask are "
            "open?",
            "The decoder reads {n:,} tokens, PAD included. How many cells of the target mask are "
            "open?",
            length,
        ),
        hint=tr("Count the rows from the top: 1, 2, 3, …, and mind PAD."),
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
    return Question(
        text=tr(
            "In the target mask, the query is {query} (position {row}) and the key is {key} "
            "(position {column}). Is this cell hidden, and why?",
            query=asked,
            row=query,
            key=read,
            column=key,
        ),
        hint=tr("Ask two things: is the key later than the query, and is the key PAD?"),
        explanation=f"{_cell(query, key, bool(code & masks.KEY_IS_PAD))} {tr(REASONS[code])}",
        form="choice",
        right=code,
        options=tuple(map(tr, REASONS)),
        mask=target_mask(run),
    )


def _cell(query: int, key: int, is_pad: bool) -> str:
    """Where a key stands, and whether it is PAD."""
    if key > query and is_pad:
        return tr("Position {key} is after the query, and the key is PAD.", key=key)
    if key > query:
        return tr("Position {key} is after the query, and the key is not PAD.", key=key)
    if key < query and is_pad:
        return tr("Position {key} is before it, and the key is PAD.", key=key)
    if key < query:
        return tr("Position {key} is before it, and the key is not PAD.", key=key)
    if is_pad:
        return tr("Position {key} is the query's own, and the key is PAD.", key=key)
    return tr("Position {key} is the query's own, and the key is not PAD.", key=key)


def source_mask_shape(run: Run, rng: np.random.Generator) -> Question | None:
    """The shape of the source mask."""
    if not run.request.config.has_encoder:
        return None
    shape = tuple(masks.padding_mask(run.batch.src, run.batch.pad_id).shape)
    return _shape(
        tr_n(
            "The source of {n:,} sentence pair is padded to {tokens} tokens. What is the shape of "
            "the source mask?",
            "The source of {n:,} sentence pairs is padded to {tokens} tokens. What is the shape of "
            "the source mask?",
            shape[0],
            tokens=shape[3],
        ),
        shape,
        tr_n(
            "{shape}: a source mask has one row of {n:,} key for each sentence. The 1s stand for "
            "all heads and all queries, which share that row.",
            "{shape}: a source mask has one row of {n:,} keys for each sentence. The 1s stand for "
            "all heads and all queries, which share that row.",
            shape[3],
            shape=shape,
        ),
    )


def target_mask_shape(run: Run, rng: np.random.Generator) -> Question | None:
    """The shape of the target mask."""
    if not run.request.config.has_decoder:
        return None
    shape = tuple(masks.target_mask(run.batch.tgt_in, run.batch.pad_id).shape)
    return _shape(
        tr_n(
            "The decoder reads {n:,} sentence, padded to {tokens} tokens. What is the shape of the "
            "target mask?",
            "The decoder reads {n:,} sentences, padded to {tokens} tokens. What is the shape of "
            "the target mask?",
            shape[0],
            tokens=shape[3],
        ),
        shape,
        tr(
            "{shape}: every query has a row of its own, because each has another future. All heads "
            "share the mask: hence the 1.",
            shape=shape,
        ),
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
    why = tr_n(
        "The new column is hidden from everyone, because its key is PAD. The new row is not "
        "hidden: PAD as a query sees {n:,} word before it.",
        "The new column is hidden from everyone, because its key is PAD. The new row is not "
        "hidden: PAD as a query sees {n:,} words before it.",
        words,
    )
    return Question(
        text=tr(
            "The target mask has {before} open cells. Now one more PAD is added at the end of the "
            "{tokens:,} tokens. How many cells are open then?",
            before=before,
            tokens=ids.shape[1],  # two or more
        ),
        hint=tr(_PAD_HINT),
        explanation=f"{why} {before} + {words} = {after}.",
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
        text=tr(
            "In cross-attention, {target_tokens} can look at {source_tokens}. How many of these "
            "keys are hidden from the first target token?",
            target_tokens=tr_n("{n:,} target token", "{n:,} target tokens", queries),
            source_tokens=tr_n("{n:,} source token", "{n:,} source tokens", keys),
        ),
        hint=tr("Only one thing is hidden here. Look for it in the source."),
        explanation=tr_n(
            "The source has {n:,} PAD token, and nothing else is hidden. The source has no future, "
            "so the first target token sees as much of it as the last one.",
            "The source has {n:,} PAD tokens, and nothing else is hidden. The source has no "
            "future, so the first target token sees as much of it as the last one.",
            hidden,
        ),
        form="choice",
        right=options.index(hidden),
        options=tuple(map(str, options)),
        focus=Focus(kind="cross"),
    )


def _shape(text: str, right: Answer, explanation: str) -> Question:
    return Question(
        text=text,
        hint=tr(
            "The axes are: sentences, heads, queries, keys. An axis that all share has size 1."
        ),
        explanation=explanation,
        form="shape",
        right=right,
        axes=axes_of_scores(),
    )


KINDS: Final = {
    "target_row": Kind("masks", mark("One row of the target mask"), target_row),
    "encoder_row": Kind("masks", mark("One row of the source mask"), encoder_row),
    "cross_row": Kind("masks", mark("One row of the cross-attention mask"), cross_row),
    "target_block": Kind("masks", mark("A block of the target mask"), target_block),
    "first_row": Kind("masks", mark("What the first token sees"), first_row),
    "open_cells": Kind("masks", mark("Open cells of the target mask"), open_cells),
    "reason": Kind("masks", mark("Why a cell is hidden"), reason),
    "source_mask_shape": Kind("masks", mark("Shape of the source mask"), source_mask_shape),
    "target_mask_shape": Kind("masks", mark("Shape of the target mask"), target_mask_shape),
    "one_more_pad": Kind("masks", mark("One more PAD"), one_more_pad),
    "hidden_in_cross": Kind("masks", mark("Hidden keys of cross-attention"), hidden_in_cross),
}
