"""Questions about attention: who looks at whom?"""

from random import Random
from typing import Final

from explorer.analysis.head_roles import CLEAR, roles
from explorer.exercises.facts import (
    Facts,
    Kind,
    Text,
    Values,
    known,
    mixed,
    pick,
    place,
    require,
    told,
)
from explorer.exercises.sources import Row, clear_best, names
from explorer.languages import mark
from explorer.weights.catalogue import known_heads

_JOBS: Final = {
    # Translators: what a head does, to be chosen as an answer.
    "itself": mark("it looks at the word itself"),
    "previous token": mark("it looks at the token before"),
    "first token": mark("it looks at the first token"),
    "next token": mark("it looks at the token after"),
    "last token": mark("it looks at the last token"),
}
_IN_DECODER: Final = 3  # of these jobs: it does not see what comes later
_ROWS_SHOWN: Final = 3  # of a head whose job is asked for
_SIDES: Final = (
    mark("Queries from the decoder; keys and values from the encoder."),
    mark("Queries and keys from the encoder; values from the decoder."),
    mark("Queries from the encoder; keys and values from the decoder."),
    mark("All three from the decoder."),
)


@Kind(
    "attention",
    Row.of,
    title=mark("Where a head looks most"),
    text=mark(
        "In {where}, {query} has these scores, before the mask: {scores}. Which of these does "
        "it look at most?"
    ),
    hint=mark("The mask comes first, then the softmax: a larger score gets a larger weight."),
    why=mark(
        "It looks most at {key}, with weight {weight}: of the keys that it may look at, this one "
        "has the largest score."
    ),
    measure=mark("weight"),
)
def looks_most(row: Row, rng: Random) -> Facts:
    weights, scores, keys = row.weights, row.scores, row.keys
    best = known(clear_best(weights))
    larger = [key for key in row.hidden_keys if scores[key] > scores[best]]
    trap = [pick(rng, larger or row.hidden_keys)] if row.hidden_keys else []
    drawn = sorted([*mixed(rng, best, row.open_keys, 3 - len(trap))[0], *trap])
    listed = tuple(
        Text("{key} {score}", {"key": keys[at], "score": told(scores[at], 2)}) for at in drawn
    )
    return Facts(
        drawn.index(best),
        {**row.named(best), "scores": listed, "weight": told(weights[best], 2)},
        options=tuple(keys[at] for at in drawn),
        bars=tuple(weights[drawn].tolist()),
        look=row.look(best),
    )


@Kind(
    "attention",
    Row.of,
    title=mark("The job of a head"),
    text=mark("The tokens are {tokens}. In {where}, {looks}. Which job fits all of these?"),
    hint=mark("Look where the key stands: at the query, beside it, or always at one end?"),
)
def job_of_head(row: Row, rng: Random) -> Facts:
    attention, head = row.attention, row.head
    require(attention.kind != "cross")
    role = roles(attention)[head]
    require(role.name in _JOBS, role.share >= CLEAR)
    words = attention.without_pad()
    called, looks = names(words.key_labels), []
    for at, weights in enumerate(words.weights[head]):
        keys = dict(zip(_JOBS, (at, at - 1, 0, at + 1, len(called) - 1), strict=True))
        key = keys.pop(role.name)
        if key not in keys.values() and key == clear_best(weights):  # it fits no other job
            shown: Values = {
                "query": called[at],
                "key": called[key],
                "weight": told(weights[key], 2),
            }
            looks.append(Text(mark("{query} looks at {key} with {weight}"), shown))
    require(len(looks) >= _ROWS_SHOWN)
    jobs = list(_JOBS)[: _IN_DECODER if attention.kind == "decoder" else None]
    options, right = mixed(rng, role.name, jobs)
    of_model = known_heads(row.run.request.source)
    is_taught = of_model is not None and (attention.kind, attention.layer, head) in of_model.taught
    return Facts(
        right,
        {
            **row.named(0),
            "tokens": " ".join(words.key_labels),
            "looks": tuple(looks[:_ROWS_SHOWN]),
            "job": Text(_JOBS[role.name]),
            "percent": told(100 * role.share, 0),
        },
        options=tuple(Text(_JOBS[job]) for job in options),
        why=(
            mark("The job: {job}. Over all tokens, {percent}% of its attention goes there."),
            mark("The head was taught where to look: it does so in other sentences, too.")
            if is_taught
            else mark("So it is in this sentence; in another one the head may do something else."),
        ),
        look={"attention": attention.kind, "layer": attention.layer + 1, "head": head + 1},
    )


@Kind(
    "attention",
    Row.of,
    title=mark("The two sides of cross-attention"),
    text=mark("In {where}, where do queries, keys and values come from?"),
    hint=mark("The target asks, the source answers."),
    why=mark(
        "Target tokens, each with a query: {queries}. Source tokens, each with a key and a value: "
        "{keys}. Some tutorials have it the other way round."
    ),
)
def cross_sides(row: Row, rng: Random) -> Facts:
    kind, layer = row.attention.kind, row.attention.layer
    require(kind == "cross")
    options, right = mixed(rng, _SIDES[0], _SIDES)
    sizes = {"queries": row.trace.q.shape[2], "keys": row.trace.k.shape[2]}
    return Facts(
        right,
        {"where": place(kind, layer), **sizes},
        options=tuple(map(Text, options)),
        look={"attention": kind, "layer": layer + 1},
    )


@Kind(
    "attention",
    Row.of,
    title=mark("The shape of the scores"),
    text=mark(
        "One sentence pair is read. In {where}: queries {queries}, keys {keys}, heads {heads}, "
        "d_model {d_model}. What is the shape of the scores?"
    ),
    hint=mark("The axes are: sentences, heads, queries, keys."),
    why=mark(
        "In each head, every query is compared with every key. d_model does not appear: it went "
        "into the dot products."
    ),
)
def scores_shape(row: Row, rng: Random) -> Facts:
    kind, layer = row.attention.kind, row.attention.layer
    d_model, d_k = row.run.request.config.d_model, row.trace.q.shape[3]
    one, heads, queries, keys = row.trace.scores.shape
    wrong = ((one, heads, keys, queries), (one, heads, queries, d_k), (one, queries, d_model))
    options, right = mixed(rng, (one, heads, queries, keys), (*wrong, (one, queries, keys)))
    sizes = {"queries": queries, "keys": keys, "heads": heads, "d_model": d_model}
    return Facts(
        right,
        {"where": place(kind, layer), **sizes},
        options=tuple(map(str, options)),
        look={"attention": kind, "layer": layer + 1},
    )
