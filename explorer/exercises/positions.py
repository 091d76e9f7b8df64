"""Questions about positions: how does the model know the order?"""

from random import Random
from typing import Final

import numpy as np
import torch

from explorer.exercises.facts import Facts, Kind, Text, Values, require, told
from explorer.exercises.sources import Embedded, as_array, is_clearly_larger
from explorer.languages import mark

_LONGER: Final = (
    mark(
        "The embedding has length {embedding}, the encoding {encoding}: the word's embedding is "
        "{times:.1f} times as long."
    ),
    mark(
        "The embedding has length {embedding}, the encoding {encoding}: the encoding of its "
        "position is {times:.1f} times as long."
    ),
)
_PARTS: Final = (mark("the word's embedding"), mark("the encoding of its position"))
_WRITTEN: Final = (
    mark("The same vectors, in reverse order."),
    mark("The same vectors, in the same order as before."),
    mark("Other vectors."),
)


@Kind(
    "positions",
    Embedded.of,
    title=mark("Word against position"),
    text=mark(
        "The embedding of {word} has length {length}. d_model is {d_model}. The first layer "
        "reads the embedding times √d_model, plus the encoding of position {at}. Which of the "
        "two vectors in this sum is longer?"
    ),
    hint=mark("An encoding has d_model ÷ 2 pairs of a sine and a cosine, and sin² + cos² = 1."),
    measure=mark("length of the vector"),
)
def longer_part(word: Embedded, rng: Random) -> Facts:
    config, trace, at = word.run.request.config, word.trace, word.at
    require(config.positions == "sinusoidal", config.scale_embedding, config.d_model % 2 == 0)
    vectors = (trace.embedded[0, at], trace.scaled[0, at], trace.position[at])
    before, *lengths = (float(np.linalg.norm(as_array(vector))) for vector in vectors)
    require(is_clearly_larger(max(lengths), min(lengths)))
    right, times = int(np.argmax(lengths)), max(lengths) / max(min(lengths), 1e-9)
    embedding, encoding = (told(length, 2) for length in lengths)
    values: Values = {
        "embedding": embedding,
        "encoding": encoding,
        "times": times,
        "length": told(before),
    }
    return Facts(
        right,
        {**values, "word": word.word, "d_model": config.d_model, "at": at},
        options=tuple(map(Text, _PARTS)),
        bars=tuple(lengths),
        why=(_LONGER[right],),
        look={"aspect": "inputs"},
    )


@Kind(
    "positions",
    Embedded.of,
    title=mark("Without positions"),
    text=mark(
        "Positions are switched off, and the source is read backwards: the last token comes "
        "first. What does the encoder write for these {tokens:,} tokens?"
    ),
    hint=mark("Attention sums over the keys. Does a sum depend on the order?"),
    why=mark(
        "Both ways were computed: turned around, the {tokens} vectors differ by at most "
        "{moved:.0e}. Unturned they differ by up to {stayed:.1f}. Without positions each word "
        "keeps its vector wherever it stands."
    ),
)
def without_positions(word: Embedded, rng: Random) -> Facts:
    run = word.run
    require(run.request.config.has_encoder)
    with torch.inference_mode():
        bare = run.loaded.without_positions
        read = run.batch.sources[run.row : run.row + 1].to(bare.device)
        pairs = ((read.ids, read.words), (read.ids.flip(1), read.words.flip(1)))
        in_order, turned = (as_array(bare.encode(i, words=words).memory[0]) for i, words in pairs)
    moved, stayed = (float(np.abs(in_order - x).max()) for x in (turned[::-1], turned))
    require(moved <= 1e-3, stayed >= 1e-2)
    return Facts(
        0,
        {"tokens": len(in_order), "moved": moved, "stayed": stayed},
        options=tuple(map(Text, _WRITTEN)),
        look={"aspect": "order"},
    )
