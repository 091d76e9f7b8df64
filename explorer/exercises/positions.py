"""Questions about positions: how does the model know the order?"""

from typing import Final

import numpy as np
import torch

from explorer.analysis.attention import word_positions
from explorer.config import ADDED_POSITIONS
from explorer.exercises.question import Focus, Question, number
from explorer.exercises.reading import (
    Kinds,
    as_array,
    bars,
    is_clearly_larger,
    mixed,
    pick,
    quoted,
    require,
)
from explorer.languages import listed, mark, sentences, side_by_side, tr
from explorer.layers import EmbeddingTrace
from explorer.positional import sinusoidal
from explorer.runtime.engine import Run

KINDS: Final = Kinds("positions")

_ALIKE: Final = 32  # positions whose encodings are compared; a sentence may have too few
_ENCODING: Final = Focus(aspect="encoding")
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


def _embedding(run: Run) -> tuple[EmbeddingTrace, tuple[str, ...]]:
    """The embedding of the source, or of the target of a decoder alone, and its tokens."""
    if run.request.config.has_encoder:
        return run.trace.src_embedding, run.src_labels
    return run.trace.tgt_embedding, run.tgt_labels


def _waves(run: Run, least: int = 2) -> np.ndarray:
    """The encodings that were added, if they are the paper's; (length, d_model)."""
    config = run.request.config
    require(config.positions == "sinusoidal", config.d_model % 2 == 0)
    waves = as_array(_embedding(run)[0].position)
    require(len(waves) >= least)
    return waves


@KINDS.add("paper", mark("The encoding of a position"))
def which_encoding(run: Run, rng: np.random.Generator) -> Question:
    """Find the encoding that belongs to a position."""
    waves = _waves(run, 4)
    rows = [side_by_side(number(value, 2) for value in row[:4]) for row in waves]
    at = int(rng.integers(1, len(rows)))
    options, right = mixed(rng, rows[at], rows, 2)
    return Question(
        text=tr("Which of these is the beginning of the encoding of position {at}?", at=at),
        hint=tr("The first number is the sine of the position itself, the second its cosine."),
        explanation=tr(
            "The first number of position {at} is sin({at}) = {sine}, the second cos({at}) = "
            "{cosine}. The other options belong to positions {others}.",
            at=at,
            sine=number(np.sin(at), 2),
            cosine=number(np.cos(at), 2),
            others=listed([str(rows.index(o)) for o in options if o != rows[at]]),
        ),
        right=right,
        options=tuple(options),
        focus=_ENCODING,
    )


@KINDS.add("paper", mark("The slowest wave"))
def slowest(run: Run, rng: np.random.Generator) -> Question:
    """Find the dimension that changes least between neighbours."""
    waves = _waves(run, 3)
    require(waves.shape[1] >= 8)
    d_model = waves.shape[1]
    steps = np.abs(np.diff(waves, axis=0)).mean(axis=0)
    offered = [0, d_model // 4 // 2 * 2, d_model // 2 // 2 * 2, d_model - 2]
    drawn = [offered[at] for at in rng.permutation(4).tolist()]
    values = steps[drawn]
    right = int(values.argmin())
    options = tuple(tr("dimension {dimension}", dimension=at) for at in drawn)
    return Question(
        text=tr(
            "Each of the {d_model} dimensions is a wave over the positions. Which of these changes "
            "least from one position to the next?",
            d_model=d_model,
        ),
        hint=tr("The wavelength grows with the number of the dimension."),
        explanation=tr(
            "Over {positions:,} positions, dimension {dimension} moves by {least} a step, "
            "dimension 0 by {first}. The slow waves tell far positions apart, the fast ones "
            "neighbours.",
            positions=len(waves),  # three or more
            dimension=drawn[right],
            least=number(values[right], 4),
            first=number(steps[0]),
        ),
        right=right,
        options=options,
        bars=bars(tr("mean change per position"), options, values),
        focus=Focus(aspect="waves"),
    )


@KINDS.add("paper", mark("Positions that are alike"))
def more_alike(run: Run, rng: np.random.Generator) -> Question:
    """Find the position whose encoding is most like another's."""
    length, d_model = _ALIKE, _waves(run).shape[1]
    waves = as_array(sinusoidal(length, d_model))
    at = int(rng.integers(length))
    likeness = waves @ waves[at] / (d_model / 2)
    near = at + 1 if at + 1 < length else at - 1
    far = [other for other in range(length) if is_clearly_larger(likeness[near], likeness[other])]
    require(len(far) >= 2)
    drawn, _ = mixed(rng, near, far, 2)
    values = likeness[drawn]
    options = tuple(tr("position {position}", position=other) for other in drawn)
    why = [
        tr(
            "Position {position} is one step away: likeness {likeness}.",
            position=near,
            likeness=number(likeness[near]),
        ),
        *(
            tr(
                "Position {position} is {steps} steps away: {likeness}.",
                position=other,
                steps=abs(other - at),
                likeness=number(likeness[other]),
            )
            for other in drawn
            if other != near
        ),
    ]
    return Question(
        text=tr(
            "The likeness of two encodings is their dot product, divided by d_model ÷ 2. Which "
            "position is most like position {at}?",
            at=at,
        ),
        hint=tr("The dot product depends on one thing alone: how far apart the two positions are."),
        explanation=sentences(*why),
        right=int(values.argmax()),
        options=options,
        bars=bars(tr("likeness"), options, values),
        focus=Focus(aspect="similarity"),
    )


@KINDS.add("paper", mark("The length of an encoding"))
def squared_length(run: Run, rng: np.random.Generator) -> Question:
    """The squared length of an encoding."""
    waves = _waves(run)
    at = int(rng.integers(len(waves)))
    squared = float(waves[at] @ waves[at])
    d_model = waves.shape[1]
    return Question(
        text=tr(
            "The encoding of position {at} has {d_model} numbers. What is the sum of their "
            "squares?",
            at=at,
            d_model=d_model,
        ),
        hint=tr("They come in pairs, a sine and a cosine of the same angle. sin² + cos² = 1."),
        explanation=tr(
            "There are {d_model} ÷ 2 = {pairs} pairs, and each adds up to 1: {squared}. It is the "
            "same at every position: none of them is louder than the others.",
            d_model=d_model,
            pairs=d_model // 2,
            squared=number(squared, 2),
        ),
        right=squared,
        tolerance=0.01 * squared,
        focus=_ENCODING,
    )


@KINDS.add("paper", mark("Word against position"))
def longer_part(run: Run, rng: np.random.Generator) -> Question:
    """The longer part of the first layer's input: the word, or its position."""
    config = run.request.config
    require(config.scale_embedding)
    waves = _waves(run)
    trace, labels = _embedding(run)
    at = pick(rng, word_positions(labels))
    before = float(np.linalg.norm(as_array(trace.embedded[0, at])))
    lengths = [
        float(np.linalg.norm(as_array(trace.scaled[0, at]))),
        float(np.linalg.norm(waves[at])),
    ]
    require(is_clearly_larger(max(lengths), min(lengths)))
    options = (tr("the word's embedding"), tr("the encoding of its position"))
    right = int(np.argmax(lengths))
    return Question(
        text=tr(
            "The embedding of {word} has length {length}. d_model is {d_model}. The first layer "
            "reads the embedding times √d_model, plus the encoding of position {at}. Which of the "
            "two vectors in this sum is longer?",
            word=quoted(labels, at),
            length=number(before),
            d_model=config.d_model,
            at=at,
        ),
        hint=tr("An encoding has d_model ÷ 2 pairs of a sine and a cosine, and sin² + cos² = 1."),
        explanation=tr(
            _LONGER[right],
            embedding=number(lengths[0], 2),
            encoding=number(lengths[1], 2),
            times=max(lengths) / max(min(lengths), 1e-9),
        ),
        right=right,
        options=options,
        bars=bars(tr("length of the vector"), options, lengths),
        focus=Focus(aspect="inputs"),
    )


@KINDS.add("tour", mark("The same word elsewhere"))
def other_place(run: Run, rng: np.random.Generator) -> Question:
    """The part of the first layer's input that changes if a word stands elsewhere."""
    require(run.request.config.positions in ADDED_POSITIONS)
    trace, labels = _embedding(run)
    words = word_positions(labels)
    require(len(words) >= 2)
    at, to = (words[n] for n in rng.permutation(len(words))[:2].tolist())
    positions = as_array(trace.position_of(0))
    moved = float(np.linalg.norm(positions[at] - positions[to]))
    require(moved >= 1e-3)
    options, right = mixed(
        rng,
        tr("What is added for the position, and nothing else."),
        (
            tr("The word's row of the embedding table, and nothing else."),
            tr("Both."),
            tr("Neither of them."),
        ),
    )
    return Question(
        text=tr(
            "The word at position {at} is {word}. If it stood at position {to}, what would change "
            "in the sum that the first layer reads for it?",
            at=at,
            word=quoted(labels, at),
            to=to,
        ),
        hint=tr("The id picks a row of a table. What does the position do?"),
        explanation=tr(
            "The id is the same, so the embedding is the same. What is added at position {to} "
            "differs from that at position {at} by a vector of length {moved}.",
            at=at,
            to=to,
            moved=number(moved, 2),
        ),
        right=right,
        options=tuple(options),
        focus=Focus(aspect="inputs"),
    )


@KINDS.add("tour", mark("Without positions"))
def without_positions(run: Run, rng: np.random.Generator) -> Question:
    """The encoder's output for reversed words if nothing tells it the order."""
    source = run.batch.sources[run.row : run.row + 1]
    require(run.request.config.has_encoder, len(set(source.ids[0].tolist())) >= 2)
    with torch.inference_mode():
        bare = run.loaded.model.with_settings(positions="none")
        read = source.to(bare.device)
        in_order, reversed_order = (
            as_array(bare.encode(ids, words=words).memory[0])
            for ids, words in (
                (read.ids, read.words),
                (read.ids.flip(1), read.words.flip(1)),
            )
        )
    moved = float(np.abs(in_order - reversed_order[::-1]).max())
    stayed = float(np.abs(in_order - reversed_order).max())
    require(moved <= 1e-3, stayed >= 1e-2)
    options = (
        tr("The same vectors, in reverse order."),
        tr("The same vectors, in the same order as before."),
        tr("Other vectors."),
    )
    return Question(
        text=tr(
            "Positions are switched off, and the source is read backwards: the last token comes "
            "first. What does the encoder write for these {tokens:,} tokens?",
            tokens=source.ids.shape[1],  # two or more
        ),
        hint=tr("Attention sums over the keys. Does a sum depend on the order?"),
        explanation=tr(
            "Both ways were computed: turned around, the {vectors} vectors differ by at most "
            "{moved:.0e}. Unturned they differ by up to {stayed:.1f}. Without positions each word "
            "keeps its vector wherever it stands.",
            vectors=source.ids.shape[1],
            moved=moved,
            stayed=stayed,
        ),
        right=0,
        options=options,
        focus=Focus(aspect="order"),
    )
