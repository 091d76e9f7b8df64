"""Questions about masks: which keys may each query attend to?"""

from typing import Final

import numpy as np
import torch.nn.functional as F

from explorer import masks
from explorer.analysis.attention import word_positions
from explorer.exercises.mask_cells import (
    Padded,
    padded,
    target_codes,
    target_mask,
)
from explorer.exercises.question import Answer, Question
from explorer.exercises.reading import (
    Kinds,
    axes_of_scores,
    pick,
    quoted,
    require,
)
from explorer.languages import mark, sentences, tr, tr_n
from explorer.runtime.engine import Run

KINDS: Final = Kinds("masks")

REASONS: Final = (
    mark("It is not hidden."),
    mark("The key is in the future."),
    mark("The key is PAD."),
    mark("Both: the key is in the future, and it is PAD."),
)
# In the same order: where the key stands, whether it is PAD, and what follows.
_CELLS: Final = (
    mark("Position {key} is not after the query, and the key is not PAD: nothing hides it."),
    mark("Position {key} is after the query, and the key is not PAD: only the future hides it."),
    mark("Position {key} is not after the query, but the key is PAD: only that hides it."),
    mark("Position {key} is after the query, and the key is PAD: each alone would hide it."),
)
_PAD_HINT: Final = mark("A mask hides PAD as a key. What about PAD as a query?")


@KINDS.add("paper", mark("Open cells of the target mask"))
def open_cells(run: Run, rng: np.random.Generator) -> Question:
    """The number of open cells of the target mask."""
    sentence = padded(run, rng, "tgt")
    length, opened = len(sentence.labels), int((target_codes(run, sentence) == 0).sum())
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
        why = sentences(why, pads)
    question = tr(
        "The decoder reads {tokens}. How many cells of the target mask are open?",
        tokens=sentence.in_words,
    )
    return Question(
        text=sentence.after_note(question),
        hint=tr("Count the rows from the top: 1, 2, 3, …, and mind PAD."),
        explanation=why,
        right=opened,
        mask=target_mask(run, sentence),
    )


@KINDS.add("tour", mark("Why a cell is hidden"))
def reason(run: Run, rng: np.random.Generator) -> Question:
    """Why one cell of the target mask is hidden."""
    sentence = padded(run, rng, "tgt")
    require(len(sentence.labels) >= 3)
    codes = target_codes(run, sentence)
    code = int(pick(rng, np.unique(codes).tolist()))  # each reason is as likely as the others
    query, key = pick(rng, np.argwhere(codes == code).tolist())
    question = tr(
        "In the target mask, the query is {query} (position {row}) and the key is {key} "
        "(position {column}). Is this cell hidden, and why?",
        query=quoted(sentence.labels, query),
        row=query,
        key=quoted(sentence.labels, key),
        column=key,
    )
    return Question(
        text=sentence.after_note(question),
        hint=tr("Ask two things: is the key later than the query, and is the key PAD?"),
        explanation=tr(_CELLS[code], key=key),
        right=code,
        options=tuple(map(tr, REASONS)),
        mask=target_mask(run, sentence),
    )


@KINDS.add("builders", mark("Shape of the source mask"))
def source_mask_shape(run: Run, rng: np.random.Generator) -> Question:
    """The shape of the source mask."""
    require(run.request.config.has_encoder)
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


@KINDS.add("builders", mark("Shape of the target mask"))
def target_mask_shape(run: Run, rng: np.random.Generator) -> Question:
    """The shape of the target mask."""
    require(run.request.config.has_decoder)
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


@KINDS.add("paper", mark("One more PAD"))
def one_more_pad(run: Run, rng: np.random.Generator) -> Question:
    """The number of open cells after one more PAD."""
    pad, read = run.batch.pad_id, run.batch.targets_in[run.row : run.row + 1]
    ids = read.ids
    require(run.request.config.has_decoder, 2 <= ids.shape[1] < 30)
    longer, longer_words = F.pad(ids, (0, 1), value=pad), F.pad(read.words, (0, 1))
    before = int(run.trace.tgt_mask[0, 0].sum())
    after = int(masks.target_mask(longer, pad, words=longer_words).sum())
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
        right=after,
        mask=target_mask(run, Padded(run.tgt_labels, ids, read.words, "")),
    )


def _shape(text: str, right: Answer, explanation: str) -> Question:
    return Question(
        text=text,
        hint=tr(
            "The axes are: sentences, heads, queries, keys. An axis that all share has size 1."
        ),
        explanation=explanation,
        right=right,
        axes=axes_of_scores(),
    )
