"""Questions about positions: how does the model know the order?"""

from typing import Final

import numpy as np
import torch

from explorer.config import ADDED_POSITIONS
from explorer.exercises.question import Focus, Question, number
from explorer.exercises.reading import (
    Kind,
    as_array,
    bars,
    count,
    mixed,
    pick,
    quoted,
    word_positions,
)
from explorer.layers import EmbeddingTrace
from explorer.runtime.engine import Run

_ENCODING: Final = Focus(aspect="encoding")


def _embedding(run: Run) -> tuple[EmbeddingTrace, tuple[str, ...]]:
    """The embedding of the source, or of the target of a decoder alone, and its tokens."""
    if run.request.config.has_encoder:
        return run.trace.src_embedding, run.src_labels
    return run.trace.tgt_embedding, run.tgt_labels


def _waves(run: Run, least: int = 2) -> np.ndarray | None:
    """The encodings that were added, if they are the paper's; (length, d_model)."""
    config = run.request.config
    found = as_array(_embedding(run)[0].position)
    usable = config.positions == "sinusoidal" and config.d_model % 2 == 0
    return found if usable and len(found) >= least else None


def which_encoding(run: Run, rng: np.random.Generator) -> Question | None:
    """Find the encoding that belongs to a position."""
    waves = _waves(run, 4)
    if waves is None:
        return None
    rows = [", ".join(number(value, 2) for value in row[:4]) for row in waves]
    at = int(rng.integers(1, len(rows)))
    options, right = mixed(rng, rows[at], rows, 2)
    angle = number(float(np.sin(at)), 2)
    return Question(
        text=f"Which of these is the beginning of the encoding of position {at}?",
        hint="The first number is the sine of the position itself, the second its cosine.",
        explanation=f"The first number of position {at} is sin({at}) = {angle}, the second "
        f"cos({at}) = {number(float(np.cos(at)), 2)}. The other options belong to positions "
        f"{' and '.join(str(rows.index(o)) for o in options if o != rows[at])}.",
        form="choice",
        right=right,
        options=tuple(options),
        focus=_ENCODING,
    )


def at_position_zero(run: Run, rng: np.random.Generator) -> Question | None:
    """One number of the encoding of position 0."""
    waves = _waves(run)
    if waves is None:
        return None
    dimension = int(rng.integers(2, waves.shape[1]))
    value = float(waves[0, dimension])
    wave = "sine" if dimension % 2 == 0 else "cosine"
    return Question(
        text=f"What is dimension {dimension} of the encoding of position 0? (Dimensions count "
        "from 0.)",
        hint="Even dimensions are sines, odd ones are cosines. The angle at position 0 is 0.",
        explanation=f"Dimension {dimension} is a {wave}, and the {wave} of 0 is {number(value, 0)}."
        " So every encoding of position 0 reads 0, 1, 0, 1, …",
        form="number",
        right=value,
        tolerance=0.01,
        focus=_ENCODING,
    )


def slowest(run: Run, rng: np.random.Generator) -> Question | None:
    """Find the dimension that changes least between neighbours."""
    waves = _waves(run, 3)
    if waves is None or waves.shape[1] < 8:
        return None
    d_model = waves.shape[1]
    steps = np.abs(np.diff(waves, axis=0)).mean(axis=0)
    offered = [0, d_model // 4 // 2 * 2, d_model // 2 // 2 * 2, d_model - 2]
    drawn = [offered[at] for at in rng.permutation(4).tolist()]
    values = steps[drawn]
    right = int(values.argmin())
    return Question(
        text=f"Each of the {d_model} dimensions is a wave over the positions. Which of these "
        "changes least from one position to the next?",
        hint="The wavelength grows with the number of the dimension.",
        explanation=f"Over {count(len(waves), 'position')}, dimension {drawn[right]} moves by "
        f"{number(float(values[right]), 4)} a step, dimension 0 by {number(float(steps[0]))}. The "
        "slow waves tell far positions apart, the fast ones neighbours.",
        form="choice",
        right=right,
        options=tuple(f"dimension {at}" for at in drawn),
        bars=bars("mean change per position", [f"dimension {at}" for at in drawn], values),
        focus=Focus(aspect="waves"),
    )


def more_alike(run: Run, rng: np.random.Generator) -> Question | None:
    """Find the position whose encoding is most like another's."""
    waves = _waves(run, 5)
    if waves is None:
        return None
    length = len(waves)
    at = int(rng.integers(length))
    likeness = waves @ waves[at] / (waves.shape[1] / 2)
    near = at + 1 if at + 1 < length else at - 1
    far = [other for other in range(length) if abs(other - at) > 2]
    if len(far) < 2 or likeness[far].max() > likeness[near] - 0.02:
        return None
    drawn, _ = mixed(rng, near, far, 2)
    values = likeness[drawn]
    return Question(
        text=f"The likeness of two encodings is their dot product, divided by d_model ÷ 2. Which "
        f"position is most like position {at}?",
        hint="The dot product depends on one thing alone: how far apart the two positions are.",
        explanation=f"Position {near} is one step away: likeness {number(float(likeness[near]))}. "
        + " ".join(
            f"Position {other} is {abs(other - at)} steps away: {number(float(likeness[other]))}."
            for other in drawn
            if other != near
        ),
        form="choice",
        right=int(values.argmax()),
        options=tuple(f"position {other}" for other in drawn),
        bars=bars("likeness", [f"position {other}" for other in drawn], values),
        focus=Focus(aspect="similarity"),
    )


def squared_length(run: Run, rng: np.random.Generator) -> Question | None:
    """The squared length of an encoding."""
    waves = _waves(run)
    if waves is None:
        return None
    at = int(rng.integers(len(waves)))
    squared = float(waves[at] @ waves[at])
    d_model = waves.shape[1]
    return Question(
        text=f"The encoding of position {at} has {d_model} numbers. What is the sum of their "
        "squares?",
        hint="They come in pairs, a sine and a cosine of the same angle. sin² + cos² = 1.",
        explanation=f"There are {d_model} ÷ 2 = {d_model // 2} pairs, and each adds up to 1: "
        f"{number(squared, 2)}. It is the same at every position, so no word gets louder.",
        form="number",
        right=squared,
        tolerance=0.01 * squared,
        focus=_ENCODING,
    )


def encoding_shape(run: Run, rng: np.random.Generator) -> Question | None:
    """The shape of what is added to the embeddings."""
    if run.request.config.positions not in ADDED_POSITIONS:
        return None
    trace, labels = _embedding(run)
    shape = tuple(trace.position.shape)
    pads = len(labels) - len(word_positions(labels))
    also = f", {count(pads, 'PAD token')} included" if pads else ""
    return Question(
        text=f"The sentence has {count(len(labels), 'token')}{also}; d_model is {shape[1]}. What "
        "is the shape of the encoding that is added to it?",
        hint="Every token gets a vector of its own, as wide as its embedding.",
        explanation=f"{shape}: one row of {shape[1]} numbers for each of the {shape[0]} positions. "
        "All sentences of a batch share it, because it depends on the position alone.",
        form="shape",
        right=shape,
        axes=("positions", "d_model"),
        focus=Focus(aspect="inputs"),
    )


def longer_part(run: Run, rng: np.random.Generator) -> Question | None:
    """Which part of the first layer's input is longer: the word, or its position?"""
    if run.request.config.positions not in ADDED_POSITIONS:
        return None
    trace, labels = _embedding(run)
    words = word_positions(labels)
    if not words:
        return None
    at = pick(rng, words)
    lengths = [
        float(np.linalg.norm(as_array(part)))
        for part in (trace.scaled[0, at], trace.position[at])
    ]  # fmt: skip
    if abs(lengths[0] - lengths[1]) < 0.1 * max(lengths):
        return None
    options = ("the word's embedding", "the encoding of its position")
    longer, shorter = max(lengths), min(lengths)
    return Question(
        text=f"The first layer reads {quoted(labels, at)} as a sum: its embedding, plus the "
        f"encoding of position {at}. Which of the two vectors is longer?",
        hint="The paper multiplies the embedding by √d_model before the sum.",
        explanation=f"The embedding has length {number(lengths[0], 2)}, the encoding "
        f"{number(lengths[1], 2)}: {options[int(np.argmax(lengths))]} is "
        f"{longer / max(shorter, 1e-9):.1f} times as long.",
        form="choice",
        right=int(np.argmax(lengths)),
        options=options,
        bars=bars("length of the vector", options, lengths),
        focus=Focus(aspect="inputs"),
    )


def without_positions(run: Run, rng: np.random.Generator) -> Question | None:
    """What the encoder makes of reversed words if nothing tells it the order."""
    ids = run.batch.src[run.row : run.row + 1]
    if not run.request.config.has_encoder or len(set(ids[0].tolist())) < 2:
        return None
    model = run.loaded.model
    device = next(model.parameters()).device
    with torch.inference_mode():
        straight, turned = (
            as_array(model.encode(some.to(device), positions=False).memory[0])
            for some in (ids, ids.flip(1))
        )
    moved = float(np.abs(straight - turned[::-1]).max())
    stayed = float(np.abs(straight - turned).max())
    if moved > 1e-3 or stayed < 1e-2:
        return None
    options = (
        "The same vectors, in reverse order.",
        "The same vectors, in the same order as before.",
        "Other vectors.",
    )
    return Question(
        text="Positions are switched off, and the source is read backwards: the last token comes "
        f"first. What does the encoder write for these {count(ids.shape[1], 'token')}?",
        hint="Attention sums over the keys. Does a sum depend on the order?",
        explanation=f"Both ways were computed: turned around, the {ids.shape[1]} vectors differ by "
        f"at most {moved:.0e}. Unturned they differ by up to {stayed:.1f}. Without positions each "
        "word keeps its vector wherever it stands.",
        form="choice",
        right=0,
        options=options,
        focus=Focus(aspect="order"),
    )


KINDS: Final = {
    "which_encoding": Kind("positions", "The encoding of a position", which_encoding),
    "at_position_zero": Kind("positions", "The encoding of position 0", at_position_zero),
    "slowest": Kind("positions", "The slowest wave", slowest),
    "more_alike": Kind("positions", "Positions that are alike", more_alike),
    "squared_length": Kind("positions", "The length of an encoding", squared_length),
    "encoding_shape": Kind("positions", "The shape of the encoding", encoding_shape),
    "longer_part": Kind("positions", "Word against position", longer_part),
    "without_positions": Kind("positions", "Without positions", without_positions),
}
