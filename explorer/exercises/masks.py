"""Questions about masks: which keys may each query attend to?"""

from random import Random
from typing import Final

import numpy as np
import torch.nn.functional as F

from explorer import masks
from explorer.analysis.attention import word_positions
from explorer.exercises.facts import Facts, Kind, Text, pick, require
from explorer.exercises.question import Grid
from explorer.exercises.sources import SOURCE, TARGET, Padded, names
from explorer.languages import mark

_REASONS: Final = (
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
_MAX_CELLS: Final = 40  # in one row to mark; more would only be tedious


def _row(read: Padded, rng: Random, kind: str, queries: tuple[str, ...]) -> Facts:
    """The keys that any query may attend to."""
    require(2 <= len(read.labels) <= _MAX_CELLS)
    query = pick(rng, word_positions(queries))
    is_open = read.codes[query] == 0 if kind == "decoder" else read.words[0].numpy()
    right = frozenset((0, key) for key in np.flatnonzero(is_open).tolist())
    word = names(queries)[query]
    return Facts(
        right,
        {"word": word, "seen": len(right), "keys": len(read.labels)},
        grid=Grid(rows=(word,), columns=names(read.labels)),
        note=read.note,
        look={"attention": kind, "query": query},
    )


@Kind(
    "masks",
    TARGET,
    title=mark("One row of the target mask"),
    text=mark("Mark every key that {word} may attend to in the decoder's self-attention."),
    hint=mark("A target word never looks ahead, and PAD is hidden as a key."),
    why=mark(
        "{word} may attend to {seen} of {keys:,} keys: to itself and to the words before it. PAD "
        "and what comes later are hidden."
    ),
)
def target_row(read: Padded, rng: Random) -> Facts:
    return _row(read, rng, "decoder", read.labels)


@Kind(
    "masks",
    SOURCE,
    title=mark("One row of the cross-attention mask"),
    text=mark("Mark every key that {word} may attend to in cross-attention."),
    hint=mark("The keys are source words. Does the place of the target word matter?"),
    why=mark(
        "{word} may attend to {seen} of {keys:,} keys: to every source word, because all of them "
        "are known from the start. PAD is hidden."
    ),
)
def cross_row(read: Padded, rng: Random) -> Facts:
    require("cross" in read.run.request.config.attention_kinds)
    return _row(read, rng, "cross", read.run.tgt_labels)


@Kind(
    "masks",
    TARGET,
    title=mark("Why a cell is hidden"),
    text=mark(
        "In the target mask, the query is {query} (position {row}) and the key is {key_word} "
        "(position {key}). Is this cell hidden, and why?"
    ),
    hint=mark("Ask two things: is the key later than the query, and is the key PAD?"),
)
def reason(read: Padded, rng: Random) -> Facts:
    called, code = names(read.labels), pick(rng, np.unique(read.codes).tolist())
    row, key = pick(rng, np.argwhere(read.codes == code).tolist())
    return Facts(
        code,
        {"query": called[row], "row": row, "key_word": called[key], "key": key},
        options=tuple(map(Text, _REASONS)),
        mask=read.mask,
        note=read.note,
        why=(_CELLS[code],),
        look={"attention": "decoder", "query": row},
    )


@Kind(
    "masks",
    TARGET,
    title=mark("One more PAD"),
    text=mark(
        "The target mask has {before} open cells. Now one more PAD is added at the end of the "
        "{tokens:,} tokens. How many cells are open then?"
    ),
    hint=mark("A mask hides PAD as a key. What about PAD as a query?"),
    why=mark(
        "The new column is hidden from everyone, because its key is PAD. The new row is not "
        "hidden: PAD as a query sees the words before it. {before} + {words} = {after}."
    ),
)
def one_more_pad(read: Padded, rng: Random) -> Facts:
    require(2 <= len(read.labels) < 30)
    words, pad = F.pad(read.words, (0, 1)), read.run.batch.pad_id
    longer = masks.target_mask(F.pad(read.ids, (0, 1), value=pad), pad, words=words)
    before, after, tokens = int((read.codes == 0).sum()), int(longer.sum()), len(read.labels)
    return Facts(
        after,
        {"before": before, "tokens": tokens, "words": int(words.sum()), "after": after},
        mask=read.mask,
        note=read.note,
        look={"attention": "decoder"},
    )
