"""Questions about the steps of one attention, to be worked out with its own numbers."""

import math
from typing import Final

import numpy as np

from explorer.exercises.question import Question, number
from explorer.exercises.reading import (
    Kinds,
    Row,
    any_attention,
    as_array,
    as_read,
    bars,
    clear_best,
    is_clearly_larger,
    known,
    mixed,
    names,
    pick,
    queries_with_choice,
    require,
    softmax,
)
from explorer.languages import between, mark, sentences, tr, tr_n
from explorer.runtime.engine import Run

KINDS: Final = Kinds("steps")


def _row(run: Run, rng: np.random.Generator) -> Row:
    """A query that has a choice of keys, in any head."""
    attention = any_attention(run, rng)
    queries = queries_with_choice(attention)
    require(len(queries) > 0)
    head = int(rng.integers(attention.n_heads))
    return Row.of(run, attention, head, pick(rng, queries))


@KINDS.add("paper", mark("From q·k to a score"))
def score(run: Run, rng: np.random.Generator) -> Question:
    """A score, from q·k."""
    row = _row(run, rng)
    require(run.request.config.scale_scores, row.trace.bias is None)
    key = pick(rng, row.open_keys())
    d_k = run.request.config.d_k
    dot = as_read(float(row.dots()[key]), 2)
    right = dot / math.sqrt(d_k)
    return Question(
        text=tr(
            "In {where}, the query of {query} and the key of {key} have the dot product q·k = "
            "{dot}; d_k = {d_k}. What is the score?",
            where=row.head_in_words,
            query=row.word,
            key=row.key_word(key),
            dot=number(dot, 2),
            d_k=d_k,
        ),
        hint=tr("Attention is called scaled: something is divided by a square root."),
        explanation=tr(
            "√d_k = √{d_k} = {root}, and {dot} ÷ {root} = {score}.",
            d_k=d_k,
            root=number(math.sqrt(d_k)),
            dot=number(dot, 2),
            score=number(right),
        ),
        right=right,
        tolerance=max(0.02, 0.01 * abs(right)),
        focus=row.focus(key, "scores"),
    )


@KINDS.add("paper", mark("The softmax of two scores"))
def softmax_of_two(run: Run, rng: np.random.Generator) -> Question:
    """The softmax of two scores."""
    row = _row(run, rng)
    (first, second), _ = mixed(rng, pick(rng, row.open_keys()), row.open_keys(), 1)
    pair = row.scores()[[first, second]].round(2)
    right = float(softmax(pair)[0])
    grown = np.exp(pair - pair.max())
    scores = tr(
        "In {where}, {query} has a score of {first_score} with {first} and of {second_score} with "
        "{second}.",
        where=row.head_in_words,
        query=row.word,
        first_score=number(pair[0], 2),
        first=row.key_word(first),
        second_score=number(pair[1], 2),
        second=row.key_word(second),
    )
    asked = (
        tr("Which weight does {key} get? (0 to 1)", key=row.key_word(first))
        if len(row.open_keys()) == 2
        else tr(
            "Which share of the weight that these two get together does {key} get? (0 to 1)",
            key=row.key_word(first),
        )
    )
    return Question(
        text=sentences(scores, asked),
        hint=tr(
            "The softmax of two scores depends on their difference: 0 gives one half, 1 gives "
            "0.73, 2 gives 0.88, 3 gives 0.95."
        ),
        explanation=tr(
            "The difference is {difference}. With the larger score taken away from both, e to the "
            "power of them is {first} and {second}: the first share is {share}.",
            difference=number(pair[0] - pair[1], 2),
            first=number(grown[0]),
            second=number(grown[1]),
            share=number(right),
        ),
        right=right,
        tolerance=0.05,
        bars=bars(tr("share"), [row.key_word(first), row.key_word(second)], [right, 1 - right]),
        focus=row.focus(first, "softmax"),
    )


@KINDS.add("tour", mark("Without ÷ √d_k"))
def without_scaling(run: Run, rng: np.random.Generator) -> Question:
    """The largest weight if nothing is divided by √d_k."""
    row = _row(run, rng)
    require(run.request.config.scale_scores, row.trace.bias is None)
    open_keys = row.open_keys()
    before = row.weights()[open_keys]
    after = softmax(row.dots()[open_keys])
    best = int(before.argmax())
    now, then = float(before[best]), float(after[best])
    flatter = now - (now - 1 / len(open_keys)) / 2
    require(is_clearly_larger(then, now), is_clearly_larger(now, flatter))
    options = {
        number(flatter, 2): tr("{weight}, flatter", weight=number(flatter, 2)),
        number(now, 2): tr("{weight}, as before", weight=number(now, 2)),
        number(then, 2): tr("{weight}, sharper", weight=number(then, 2)),
    }
    values = sorted(options)
    return Question(
        text=tr(
            "In {where}, {query} looks most at {key}: {weight}. How large is this weight if q·k is "
            "not divided by √d_k?",
            where=row.head_in_words,
            query=row.word,
            key=row.key_word(open_keys[best]),
            weight=number(now, 2),
        ),
        hint=tr(
            "Without the division, the differences between the scores are √d_k times as large."
        ),
        explanation=tr(
            "Every score becomes {times} times as large, so the differences grow and the weight "
            "goes from {now} to {then}. Where one weight is close to 1, the softmax has hardly any "
            "gradient left to learn from: this is why the paper divides.",
            times=number(math.sqrt(run.request.config.d_k)),
            now=number(now, 2),
            then=number(then, 2),
        ),
        right=values.index(number(then, 2)),
        options=tuple(options[value] for value in values),
        bars=bars(tr("largest weight"), (tr("divided by √d_k"), tr("not divided")), (now, then)),
        focus=row.focus(open_keys[best], "softmax"),
    )


@KINDS.add("paper", mark("What the context is made of"))
def contributes_most(run: Run, rng: np.random.Generator) -> Question:
    """Find the key that contributes most to the context."""
    row = _row(run, rng)
    require(len(row.open_keys()) >= 3)
    v = as_array(row.trace.v[0, row.head])
    used, lengths = row.used().round(3), np.linalg.norm(v, axis=1).round(2)
    parts = used * lengths
    best = known(clear_best(parts.tolist()))
    drawn, right = mixed(rng, best, row.open_keys())
    keys = names(row.attention.key_labels)
    shown = between("; ").join(
        tr(
            "{key}: weight {weight}, v of length {length}",
            key=row.key_word(key),
            weight=number(used[key]),
            length=number(lengths[key], 2),
        )
        for key in drawn
    )
    context = mark("In {where}, the context of {query} is the sum of weight × v over all keys.")
    if row.trace.dropped is not None:
        context = mark(
            "In {where}, the context of {query} is the sum of weight × v over all keys, with the "
            "weights that dropout leaves."
        )
    asked = tr("Which of these keys contributes the longest vector? {keys}.", keys=shown)
    product = tr(
        "{key}: weight {weight} times a v of length {length} is {product}.",
        key=row.key_word(best),
        weight=number(used[best]),
        length=number(lengths[best], 2),
        product=number(parts[best]),
    )
    return Question(
        text=f"{tr(context, where=row.head_in_words, query=row.word)} {asked}",
        hint=tr("A number times a vector: the length is multiplied, too."),
        explanation=f"{product} {_is_it_the_weight(row, best)}",
        right=right,
        options=tuple(keys[key] for key in drawn),
        bars=bars(tr("length of weight × v"), [keys[key] for key in drawn], parts[drawn]),
        focus=row.focus(best, "context"),
    )


def _is_it_the_weight(row: Row, best: int) -> str:
    heaviest = int(row.used().argmax())
    if heaviest == best:
        return tr("It also has the largest weight.")
    return tr(
        "The largest weight is another key's, {key}, but its v is shorter.",
        key=row.key_word(heaviest),
    )


@KINDS.add("tour", mark("The weight of a hidden key"))
def hidden_weight(run: Run, rng: np.random.Generator) -> Question:
    """The weight of a hidden key."""
    attention = any_attention(run, rng)
    hidden = [
        (query, key)
        for query in queries_with_choice(attention, 1)
        for key in np.flatnonzero(~attention.may_attend[query]).tolist()
    ]
    query, key = pick(rng, hidden)
    row = Row.of(run, attention, int(rng.integers(attention.n_heads)), query)
    plain = float(row.scores()[key])
    why = (
        tr(
            "The key is later than the query, so the mask puts −∞ in the place of {score}, and the "
            "softmax makes exactly 0 of it.",
            score=number(plain, 2),
        )
        if attention.key_is_word[key]
        else tr(
            "The key is PAD, so the mask puts −∞ in the place of {score}, and the softmax makes "
            "exactly 0 of it.",
            score=number(plain, 2),
        )
    )
    shared = tr_n(
        "The other {n:,} key has all of the weight.",
        "The other {n:,} keys share all of the weight.",
        len(row.open_keys()),
    )
    return Question(
        text=tr(
            "In {where}, the score of {query} with {key} is {score}, but the key is hidden. Which "
            "weight does it get?",
            where=row.head_in_words,
            query=row.word,
            key=row.key_word(key),
            score=number(plain, 2),
        ),
        hint=tr("The mask puts −∞ in the place of the score. Which share can be left for it?"),
        explanation=sentences(why, shared),
        right=float(row.weights()[key]),
        tolerance=0.0005,
        focus=row.focus(key, "mask"),
    )


@KINDS.add("tour", mark("What the weights mix"))
def share_of_value(run: Run, rng: np.random.Generator) -> Question:
    """The one of q, k and v that the weights mix."""
    row = _row(run, rng)
    require(row.trace.dropped is None)
    best = known(clear_best(row.weights().tolist()))
    options, right = mixed(
        rng,
        tr("The value v of {key}.", key=row.key_word(best)),
        (
            tr("The key k of {key}.", key=row.key_word(best)),
            tr("The query q of {query}.", query=row.word),
            tr("The score of the two."),
        ),
    )
    weight = number(row.weights()[best], 2)
    return Question(
        text=tr(
            "In {where}, {query} gives {key} a weight of {weight}. What is multiplied by it, and "
            "added to what {query} gets?",
            where=row.head_in_words,
            query=row.word,
            key=row.key_word(best),
            weight=weight,
        ),
        hint=tr("One vector asks, one is compared, and one is handed on."),
        explanation=tr(
            "{query} gets {weight} × v of {key}, and its part of the v of every other key. q and k "
            "have done their work once the weights are known.",
            query=row.word,
            key=row.key_word(best),
            weight=weight,
        ),
        right=right,
        options=tuple(options),
        focus=row.focus(best, "context"),
    )
