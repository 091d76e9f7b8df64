"""Questions about the stack: what happens to a word on its way?"""

from typing import Final

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from explorer.analysis.stops import Stop, residual_stream, statistics, stops
from explorer.exercises.question import Focus, Question, number
from explorer.exercises.reading import (
    Kind,
    as_array,
    bars,
    clear_best,
    count,
    pick,
    quoted,
    where,
    word_positions,
)
from explorer.names import Side
from explorer.runtime.engine import Run

_ABOUT: Final = " An answer within 3 % counts as right."


def _way(run: Run) -> list[Stop]:
    return stops(run.loaded.model, run.trace)


def _labels(run: Run, side: Side) -> tuple[str, ...]:
    return run.src_labels if side == "src" else run.tgt_labels


def _named(stop: Stop) -> str:
    return f"{stop.part}: {stop.name}"


def shape_at_stop(run: Run, rng: np.random.Generator) -> Question | None:
    """The shape of a tensor on the way."""
    way = _way(run)
    at = int(rng.integers(len(way)))
    stop, config = way[at], run.request.config
    shape = tuple(stop.values.shape)
    labels = _labels(run, stop.side)
    wide = shape[1] != config.d_model
    return Question(
        text=f"The {'source' if stop.side == 'src' else 'target'} has "
        f"{count(len(labels), 'token')}; d_model is {config.d_model}, d_ff is {config.d_ff}. What "
        f"is the shape of the result at “{_named(stop)}”?",
        hint="One row for each token. The residual stream keeps its width from start to end.",
        explanation=f"{shape}: {count(shape[0], 'token')}, "
        + (
            f"and for each of them a number for each of the {shape[1]:,} ids of the vocabulary."
            if wide
            else f"each with d_model = {shape[1]} numbers. Inside, the feed-forward is wider and "
            "the heads are narrower, but every sub-layer returns to d_model."
        ),
        form="shape",
        right=shape,
        axes=("tokens", "numbers a token"),
        focus=Focus(stop=at),
    )


def attention_parameters(run: Run, rng: np.random.Generator) -> Question | None:
    """The number of parameters of one attention."""
    kind = pick(rng, run.request.config.attention_kinds)
    layer = int(rng.integers(run.request.config.layers_of(kind)))
    module, config = run.loaded.model.attention(kind, layer), run.request.config
    right = _parameters(module)
    width = config.n_heads * config.d_k
    matrices = 4 * config.d_model * width
    return Question(
        text=f"How many parameters are in {where(run.attention(kind, layer))}? d_model is "
        f"{config.d_model}; the heads have {width} numbers together.{_ABOUT}",
        hint="Four matrices: for queries, keys, values, and the output. How many numbers has each?",
        explanation=f"4 × {config.d_model} × {width} = {matrices:,}"
        + (f", plus {right - matrices:,} biases: {right:,}." if right > matrices else ".")
        + (
            " The number of heads and the length of the sentence do not change it."
            if config.d_kv is None  # else more heads have more numbers together
            else " The length of the sentence does not change it."
        ),
        form="number",
        right=right,
        tolerance=0.03 * right,
        whole=True,
        focus=Focus(stop=_stop_of(run, kind, layer)),
    )


def feed_forward_parameters(run: Run, rng: np.random.Generator) -> Question | None:
    """The number of parameters of one feed-forward."""
    way, config = _way(run), run.request.config
    at = pick(rng, [n for n, stop in enumerate(way) if stop.feed_forward is not None])
    inside = way[at].feed_forward
    assert inside is not None
    right = _parameters(inside.module)
    times = 3 if config.gated else 2
    matrices = times * config.d_model * config.d_ff
    return Question(
        text=f"How many parameters are in the feed-forward of {way[at].part}? d_model is "
        f"{config.d_model}, d_ff is {config.d_ff}.{_ABOUT}",
        hint="It has three matrices: two widen, one narrows."
        if config.gated
        else "It has two matrices: one widens to d_ff, the other narrows to d_model.",
        explanation=f"{times} × {config.d_model} × {config.d_ff} = {matrices:,}"
        + (f", plus {right - matrices:,} biases: {right:,}." if right > matrices else ".")
        + f" All {count(len(_labels(run, way[at].side)), 'token')} pass through the same weights.",
        form="number",
        right=right,
        tolerance=0.03 * right,
        whole=True,
        focus=Focus(stop=at),
    )


def changes_most(run: Run, rng: np.random.Generator) -> Question | None:
    """Find the sub-layer that moves a word most."""
    way = _way(run)
    sides: list[Side] = [side for side in ("src", "tgt") if residual_stream(way, side)]
    side = pick(rng, sides)
    passed = [
        (at, stop)
        for at, stop in enumerate(way)
        if stop.side == side and stop.on_stream and stop.sublayer
    ]
    words = word_positions(_labels(run, side))
    if len(passed) < 2 or not words:
        return None
    drawn = sorted(rng.permutation(len(passed))[:4].tolist())
    word = pick(rng, words)
    moved = []
    for _, stop in passed:
        change = statistics(stop).change
        assert change is not None
        moved.append(float(change[word]))
    values = [moved[number_] for number_ in drawn]
    best = clear_best(values, 0.03 * max(values))
    if best is None:
        return None
    options = tuple(f"{passed[n][1].part}: {passed[n][1].sublayer}" for n in drawn)
    return Question(
        text=f"Every sub-layer adds something to {quoted(_labels(run, side), word)}, and so moves "
        "its vector. Which of these moves it most?",
        hint="In many trained models the first and the last layers do most.",
        explanation=f"“{options[best]}” moves it by {number(values[best], 2)}; over all "
        f"{len(moved)} sub-layers of this side, the mean is {number(float(np.mean(moved)), 2)}.",
        form="choice",
        right=best,
        options=options,
        bars=bars("length of the change", options, values),
        focus=Focus(stop=passed[drawn[best]][0], word=word),
    )


def _normalised(run: Run, rng: np.random.Generator, what: str) -> Question | None:
    """The mean or the standard deviation of a word right after LayerNorm."""
    way = _way(run)
    found = [
        at for at, stop in enumerate(way)
        if stop.norm is not None and isinstance(stop.norm.norm, nn.LayerNorm)
    ]  # fmt: skip
    if not found:
        return None
    at = pick(rng, found)
    step, labels = way[at].norm, _labels(run, way[at].side)
    words = word_positions(labels)
    if step is None or not words:
        return None
    word = pick(rng, words)
    x = step.x[word].detach().cpu().double()
    eps = run.request.config.norm_eps
    with torch.inference_mode():
        out = as_array(F.layer_norm(x, x.shape, eps=eps))
    mean, deviation = float(x.mean()), float(x.std(correction=0))
    right = float(out.mean() if what == "mean" else out.std())
    tells = (
        f"Every number becomes (x − {number(mean)}) ÷ {number(deviation)}. The mean is then "
        f"{number(float(out.mean()), 2)}, the standard deviation {number(float(out.std()), 2)}."
    )
    return Question(
        text=f"Before the LayerNorm of “{_named(way[at])}”, the numbers of {quoted(labels, word)} "
        f"have mean {number(mean)} and standard deviation {number(deviation)}. What is their "
        f"{what} right after it, before gain and bias?",
        hint="LayerNorm subtracts the mean, and divides by the standard deviation.",
        explanation=f"{tells} Each token is normalised alone, over its {x.numel()} numbers.",
        form="number",
        right=right,
        tolerance=0.02,
        focus=Focus(stop=at, word=word),
    )


def mean_after_norm(run: Run, rng: np.random.Generator) -> Question | None:
    """The mean of a word right after LayerNorm."""
    return _normalised(run, rng, "mean")


def deviation_after_norm(run: Run, rng: np.random.Generator) -> Question | None:
    """The standard deviation of a word right after LayerNorm."""
    return _normalised(run, rng, "standard deviation")


def cut_to_zero(run: Run, rng: np.random.Generator) -> Question | None:
    """The share of the hidden numbers that ReLU sets to 0."""
    config, way = run.request.config, _way(run)
    if config.activation != "relu" or config.gated:
        return None
    at = pick(rng, [n for n, stop in enumerate(way) if stop.feed_forward is not None])
    inside, labels = way[at].feed_forward, _labels(run, way[at].side)
    words = word_positions(labels)
    if inside is None or not words:
        return None
    word = pick(rng, words)
    hidden = inside.hidden[word]
    zeros = int((hidden == 0).sum())
    right = 100 * zeros / len(hidden)
    return Question(
        text=f"In the feed-forward of {way[at].part}, {quoted(labels, word)} has "
        f"{count(len(hidden), 'hidden number')} after max(0, x). How many percent of them are "
        "exactly 0? An answer within 10 points counts as right.",
        hint="Without training, about half of the numbers are below 0. Training makes most of them "
        "silent most of the time.",
        explanation=f"{zeros:,} of {len(hidden):,} are 0: {number(right, 0)} %. Only the other "
        f"{len(hidden) - zeros:,} add something to this word.",
        form="number",
        right=right,
        tolerance=10.0,
        focus=Focus(stop=at, word=word),
    )


def _parameters(module: nn.Module) -> int:
    return sum(parameter.numel() for parameter in module.parameters())


def _stop_of(run: Run, kind: str, layer: int) -> int | None:
    part = f"{'encoder' if kind == 'encoder' else 'decoder'} {layer + 1}"
    wanted = "cross-attention" if kind == "cross" else "self-attention"
    for at, stop in enumerate(_way(run)):
        if stop.part == part and stop.name.endswith(wanted):
            return at
    return None


KINDS: Final = {
    "shape_at_stop": Kind("stack", "The shape on the way", shape_at_stop),
    "attention_parameters": Kind("stack", "Parameters of an attention", attention_parameters),
    "feed_forward_parameters": Kind(
        "stack", "Parameters of a feed-forward", feed_forward_parameters
    ),
    "changes_most": Kind("stack", "The largest move", changes_most),
    "mean_after_norm": Kind("stack", "The mean after LayerNorm", mean_after_norm),
    "deviation_after_norm": Kind("stack", "The spread after LayerNorm", deviation_after_norm),
    "cut_to_zero": Kind("stack", "What ReLU cuts off", cut_to_zero),
}
