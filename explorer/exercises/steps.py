"""Questions about the steps of one attention, to be worked out with its own numbers."""

import math
from random import Random
from typing import Final

import numpy as np

from explorer.exercises.facts import Facts, Kind, Text, known, mixed, pick, require, told
from explorer.exercises.sources import Row, clear_best, is_clearly_larger
from explorer.languages import mark

_MIXED: Final = (
    mark("The value v of {key}."),
    mark("The key k of {key}."),
    mark("The query q of {query}."),
    mark("The score of the two."),
)


@Kind(
    "steps",
    Row.of,
    title=mark("From q·k to a score"),
    text=mark(
        "In {where}, the query of {query} and the key of {key} have the dot product q·k = "
        "{dot}; d_k = {d_k}. What is the score?"
    ),
    hint=mark("Attention is called scaled: something is divided by a square root."),
    why=mark("√d_k = √{d_k} = {root}, and {dot} ÷ {root} = {score}."),
)
def score(row: Row, rng: Random) -> Facts:
    d_k = row.run.request.config.d_k
    require(row.run.request.config.scale_scores, row.trace.bias is None)
    key = pick(rng, row.open_keys)
    dot = told(row.dots[key], 2)
    right = float(dot) / math.sqrt(d_k)
    return Facts(
        right,
        {
            **row.named(key),
            **{"dot": dot, "d_k": d_k, "root": told(math.sqrt(d_k)), "score": told(right)},
        },
        tolerance=max(0.02, 0.01 * abs(right)),
        look=row.look(key, "scores"),
    )


@Kind(
    "steps",
    Row.of,
    title=mark("The softmax of two scores"),
    text=mark(
        "In {where}, {query} has a score of {score} with {key} and of {other_score} with {other}. "
        "Which share of the weight that these two get together does {key} get? (0 to 1)"
    ),
    hint=mark(
        "The softmax of two scores depends on their difference: 0 gives one half, 1 gives "
        "0.73, 2 gives 0.88, 3 gives 0.95."
    ),
    why=mark("1 ÷ (1 + e to the power of ({other_score} − ({score}))) = {share}."),
)
def softmax_of_two(row: Row, rng: Random) -> Facts:
    (key, other), _ = mixed(rng, pick(rng, row.open_keys), row.open_keys, 1)
    score, other_score = (told(row.scores[at], 2) for at in (key, other))
    right = 1 / (1 + math.exp(other_score - score))
    scores = {"score": score, "other_score": other_score, "share": told(right)}
    return Facts(
        right,
        {**row.named(key), "other": row.keys[other], **scores},
        tolerance=0.05,
        look=row.look(key, "softmax"),
    )


@Kind(
    "steps",
    Row.of,
    title=mark("Without ÷ √d_k"),
    text=mark(
        "In {where}, {query} looks most at {key}: {now}. How large is this weight if q·k is "
        "not divided by √d_k?"
    ),
    hint=mark("Without the division, the differences between the scores are √d_k times as large."),
    why=mark(
        "Every score becomes {times} times as large, so the differences grow and the weight "
        "goes from {now} to {then}. Where one weight is close to 1, the softmax has hardly any "
        "gradient left to learn from: this is why the paper divides."
    ),
)
def without_scaling(row: Row, rng: Random) -> Facts:
    d_k, keys = row.run.request.config.d_k, row.open_keys
    require(row.run.request.config.scale_scores, row.trace.bias is None)
    best = max(keys, key=lambda key: row.weights[key])
    grown = np.exp(row.dots[keys] - row.dots[best])
    now, then = float(row.weights[best]), float(1 / grown.sum())
    flatter = now - (now - 1 / len(keys)) / 2
    require(is_clearly_larger(then, now), is_clearly_larger(now, flatter))
    less, same, more = ({"weight": told(weight, 2)} for weight in (flatter, now, then))
    return Facts(
        2,
        {
            **row.named(best),
            **{"now": told(now, 2), "then": told(then, 2), "times": told(math.sqrt(d_k))},
        },
        options=(
            Text(mark("{weight}, flatter"), less),
            Text(mark("{weight}, as before"), same),
            Text(mark("{weight}, sharper"), more),
        ),
        look=row.look(best, "softmax"),
    )


@Kind(
    "steps",
    Row.of,
    title=mark("The weight of a hidden key"),
    text=mark(
        "In {where}, the score of {query} with {key} is {score}, but the key is hidden. Which "
        "weight does it get?"
    ),
    hint=mark("The mask puts −∞ in the place of the score. Which share can be left for it?"),
    why=mark(
        "The mask puts −∞ in the place of {score}, and the softmax makes exactly 0 of it. The "
        "other keys share all of the weight."
    ),
)
def hidden_weight(row: Row, rng: Random) -> Facts:
    key = pick(rng, row.hidden_keys)
    return Facts(
        float(row.weights[key]),
        {**row.named(key), "score": told(row.scores[key], 2)},
        tolerance=0.0005,
        look=row.look(key, "mask"),
    )


@Kind(
    "steps",
    Row.of,
    title=mark("What the weights mix"),
    text=mark(
        "In {where}, {query} gives {key} a weight of {weight}. What is multiplied by it, and "
        "added to what {query} gets?"
    ),
    hint=mark("One vector asks, one is compared, and one is handed on."),
    why=mark(
        "{query} gets {weight} × v of {key}, and its part of the v of every other key. q and k "
        "have done their work once the weights are known."
    ),
)
def share_of_value(row: Row, rng: Random) -> Facts:
    require(row.trace.dropped is None)
    best = known(clear_best(row.weights))
    options, right = mixed(rng, _MIXED[0], _MIXED)
    values = {**row.named(best), "weight": told(row.weights[best], 2)}
    return Facts(
        right,
        values,
        options=tuple(Text(option, values) for option in options),
        look=row.look(best, "context"),
    )
