"""Questions about the stack: what happens to a word on its way?"""

from collections.abc import Callable
from typing import Final

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from explorer.analysis.attention import word_positions
from explorer.analysis.stops import Stop, stops
from explorer.exercises.question import Focus, Question, number
from explorer.exercises.reading import (
    Kinds,
    as_array,
    as_read,
    known,
    pick,
    quoted,
    require,
    where,
)
from explorer.languages import mark, numeral, sentences, side_by_side, tr, tr_n
from explorer.names import Side
from explorer.runtime.engine import Run

KINDS: Final = Kinds("stack")

_HIDDEN: Final = 6  # hidden numbers in a question
_ABOUT: Final = mark("An answer within 3% counts as right.")


def _stops_of(run: Run) -> list[Stop]:
    return stops(run.loaded.model, run.trace)


def _stop(
    run: Run, rng: np.random.Generator, fits: Callable[[Stop], object]
) -> tuple[int, Stop, tuple[str, ...]]:
    """A stop that fits, by its number on the way, and the words whose vectors it has."""
    all_stops = _stops_of(run)
    at = pick(rng, [n for n, stop in enumerate(all_stops) if fits(stop)])
    return at, all_stops[at], _labels(run, all_stops[at].side)


def _labels(run: Run, side: Side) -> tuple[str, ...]:
    return run.src_labels if side == "src" else run.tgt_labels


@KINDS.add("tour", mark("A residual sum"))
def residual_sum(run: Run, rng: np.random.Generator) -> Question:
    """One number of a word after a sub-layer has added to it."""
    at, stop, labels = _stop(run, rng, lambda stop: stop.on_stream and stop.sublayer)
    stream = known(stop.before)
    word = pick(rng, word_positions(labels))
    summed = stop.values if stop.norm is None else stop.norm.x  # with post-norm, what it norms
    before = as_read(float(stream[word, 0]))
    found = as_read(float(summed[word, 0] - stream[word, 0]))
    after = before + found
    return Question(
        text=tr(
            "Before “{sublayer}”, the first of the numbers of {word} is {before}, and this "
            "sub-layer finds {found} for it. What is the number right after the residual sum?",
            sublayer=stop.added,
            word=quoted(labels, word),
            before=number(before),
            found=number(found),
        ),
        hint=tr("The residual connection: what a sub-layer finds is added to what was there."),
        explanation=tr(
            "{before} + ({found}) = {after}. The same happens to all {d_model} numbers of the "
            "word.",
            before=number(before),
            found=number(found),
            after=number(after),
            d_model=summed.shape[1],
        ),
        right=after,
        tolerance=max(0.005, 0.002 * abs(after)),
        focus=Focus(stop=at, word=word),
    )


@KINDS.add("builders", mark("The shape on the way"))
def shape_at_stop(run: Run, rng: np.random.Generator) -> Question:
    """The shape of a tensor on the way."""
    all_stops = _stops_of(run)
    at = int(rng.integers(len(all_stops)))
    stop, config = all_stops[at], run.request.config
    shape = tuple(stop.values.shape)
    if shape[1] != config.d_model:
        why = tr_n(
            "{shape}: {n:,} token, and for each of them a number for each of the {ids:,} ids of "
            "the vocabulary.",
            "{shape}: {n:,} tokens, and for each of them a number for each of the {ids:,} ids of "
            "the vocabulary.",
            shape[0],
            shape=shape,
            ids=shape[1],
        )
    else:
        why = tr_n(
            "{shape}: {n:,} token with d_model = {d_model} numbers. Inside a sub-layer the width "
            "may be another, such as d_ff, but every sub-layer returns to d_model.",
            "{shape}: {n:,} tokens, each with d_model = {d_model} numbers. Inside a sub-layer the "
            "width may be another, such as d_ff, but every sub-layer returns to d_model.",
            shape[0],
            shape=shape,
            d_model=shape[1],
        )
    return Question(
        text=_sentence_read(run, stop),
        hint=tr("One row for each token. The residual stream keeps its width from start to end."),
        explanation=why,
        right=shape,
        axes=(tr("tokens"), tr("numbers per token")),
        focus=Focus(stop=at),
    )


def _sentence_read(run: Run, stop: Stop) -> str:
    """The question for the shape at a stop."""
    config = run.request.config
    tokens = len(_labels(run, stop.side))
    values = {"d_model": config.d_model, "d_ff": config.d_ff, "stop": stop.title}
    if stop.side == "src":
        return tr_n(
            "The source has {n:,} token; d_model is {d_model}, d_ff is {d_ff}. What is the shape "
            "of the result at “{stop}”?",
            "The source has {n:,} tokens; d_model is {d_model}, d_ff is {d_ff}. What is the shape "
            "of the result at “{stop}”?",
            tokens,
            **values,
        )
    return tr_n(
        "The target has {n:,} token; d_model is {d_model}, d_ff is {d_ff}. What is the shape of "
        "the result at “{stop}”?",
        "The target has {n:,} tokens; d_model is {d_model}, d_ff is {d_ff}. What is the shape of "
        "the result at “{stop}”?",
        tokens,
        **values,
    )


@KINDS.add("builders", mark("Parameters of an attention"))
def attention_parameters(run: Run, rng: np.random.Generator) -> Question:
    """The number of parameters of one attention."""
    kind = pick(rng, run.request.config.attention_kinds)
    layer = int(rng.integers(run.request.config.layers_of(kind)))
    module, config = run.loaded.model.attention(kind, layer), run.request.config
    right = _parameters(module)
    width = config.n_heads * config.d_k
    asked = tr(
        "How many parameters are in {where}? d_model is {d_model}; the heads have {width} numbers "
        "together.",
        where=where(run.attention(kind, layer)),
        d_model=config.d_model,
        width=width,
    )
    unchanged = (
        tr("The number of heads and the length of the sentence do not change it.")
        if config.d_kv is None  # else more heads have more numbers together
        else tr("The length of the sentence does not change it.")
    )
    return Question(
        text=f"{asked} {tr(_ABOUT)}",
        hint=tr(
            "Four matrices: for queries, keys, values, and the output. How many numbers has each?"
        ),
        explanation=f"{_product((4, config.d_model, width), right)} {unchanged}",
        right=right,
        tolerance=0.03 * right,
        focus=Focus(stop=_stop_of(run, kind, layer)),
    )


def _product(sizes: tuple[int, int, int], parameters: int) -> str:
    """“4 × 512 × 512 = 1,048,576, plus 2,048 biases: 1,050,624.”."""
    times, rows, columns = sizes
    matrices = times * rows * columns
    if parameters <= matrices:
        return f"{times} × {rows} × {columns} = {numeral(matrices, ',')}."
    return tr(
        "{times} × {rows} × {columns} = {matrices:,}, plus {biases:,} biases: {parameters:,}.",
        times=times,
        rows=rows,
        columns=columns,
        matrices=matrices,
        biases=parameters - matrices,
        parameters=parameters,
    )


@KINDS.add("builders", mark("Parameters of a feed-forward"))
def feed_forward_parameters(run: Run, rng: np.random.Generator) -> Question:
    """The number of parameters of one feed-forward."""
    config = run.request.config
    at, stop, labels = _stop(run, rng, lambda stop: stop.feed_forward)
    inside = known(stop.feed_forward)
    right = _parameters(inside.module)
    asked = tr(
        "How many parameters are in the feed-forward of {part}? d_model is {d_model}, d_ff is "
        "{d_ff}.",
        part=stop.part_shown,
        d_model=config.d_model,
        d_ff=config.d_ff,
    )
    shared = tr_n(
        "Its {n:,} token passes through the same weights as any other.",
        "All {n:,} tokens pass through the same weights.",
        len(labels),
    )
    sizes = (3 if config.gated else 2, config.d_model, config.d_ff)
    return Question(
        text=f"{asked} {tr(_ABOUT)}",
        hint=tr("It has three matrices: two widen, one narrows.")
        if config.gated
        else tr("It has two matrices: one widens to d_ff, the other narrows to d_model."),
        explanation=f"{_product(sizes, right)} {shared}",
        right=right,
        tolerance=0.03 * right,
        focus=Focus(stop=at),
    )


@KINDS.add("paper", mark("The mean after LayerNorm"))
def mean_after_norm(run: Run, rng: np.random.Generator) -> Question:
    """The mean of a word right after LayerNorm."""
    at, stop, labels = _stop(
        run, rng, lambda stop: stop.norm and isinstance(stop.norm.norm, nn.LayerNorm)
    )
    step, word = known(stop.norm), pick(rng, word_positions(labels))
    x = step.x[word].detach().cpu().double()
    eps = run.request.config.norm_eps
    with torch.inference_mode():
        out = as_array(F.layer_norm(x, x.shape, eps=eps))
    mean, deviation = float(x.mean()), float(x.std(correction=0))
    require(abs(float(out.std()) - 1) <= 0.01)  # else the ε of the norm would be seen
    before = tr(
        "Before the LayerNorm of “{stop}”, the numbers of {word} have mean {mean} and standard "
        "deviation {deviation}.",
        stop=stop.title,
        word=quoted(labels, word),
        mean=number(mean),
        deviation=number(deviation),
    )
    asked = tr("What is their mean right after it, before gain and bias?")
    return Question(
        text=sentences(before, asked),
        hint=tr("LayerNorm subtracts the mean, and divides by the standard deviation."),
        explanation=tr(
            "Every number becomes (x − {mean}) ÷ {deviation}. The mean is then {new_mean}, the "
            "standard deviation {new_deviation}. Each token is normalised alone, over its "
            "{numbers} numbers.",
            mean=number(mean),
            deviation=number(deviation),
            new_mean=number(out.mean(), 2),
            new_deviation=number(out.std(), 2),
            numbers=x.numel(),
        ),
        right=float(out.mean()),
        tolerance=0.02,
        focus=Focus(stop=at, word=word),
    )


@KINDS.add("paper", mark("What ReLU cuts off"))
def cut_to_zero(run: Run, rng: np.random.Generator) -> Question:
    """How many of some hidden numbers ReLU sets to 0."""
    require(run.request.config.activation == "relu", not run.request.config.gated)
    at, stop, labels = _stop(run, rng, lambda stop: stop.feed_forward)
    inside = known(stop.feed_forward)
    word = pick(rng, word_positions(labels))
    with torch.inference_mode():
        before = as_array(inside.module.w_1(inside.x[word]))
    shown = np.flatnonzero(np.abs(before) > 0.01)[:_HIDDEN].tolist()  # else it may read 0.00
    hidden = as_array(inside.hidden[word])[shown]
    cut = int((hidden == 0).sum())
    require(len(shown) == _HIDDEN, 0 < cut < _HIDDEN)
    return Question(
        text=tr(
            "In the feed-forward of {part}, the first hidden numbers of {word} are, before "
            "max(0, x): {numbers}. How many of them are 0 after it?",
            part=stop.part_shown,
            word=quoted(labels, word),
            numbers=side_by_side(number(value, 2) for value in before[shown]),
        ),
        hint=tr("max(0, x) is the larger of the two."),
        explanation=tr(
            "They become {numbers}: what is below 0 is cut off. Of all {hidden:,} hidden numbers "
            "of this word, {zeros:,} are 0.",
            numbers=side_by_side(number(value, 2) for value in hidden),
            hidden=len(before),
            zeros=int((inside.hidden[word] == 0).sum()),
        ),
        right=cut,
        focus=Focus(stop=at, word=word),
    )


def _parameters(module: nn.Module) -> int:
    return sum(parameter.numel() for parameter in module.parameters())


def _stop_of(run: Run, kind: str, layer: int) -> int | None:
    part = f"{'encoder' if kind == 'encoder' else 'decoder'} {layer + 1}"
    wanted = "cross-attention" if kind == "cross" else "self-attention"
    for at, stop in enumerate(_stops_of(run)):
        if stop.part == part and stop.name.endswith(wanted):
            return at
    return None
