"""Questions about attention: who looks at whom?"""

from typing import Final

import numpy as np

from explorer.analysis.attention import Attention
from explorer.analysis.head_roles import CLEAR, roles
from explorer.exercises.question import Focus, Question, number
from explorer.exercises.reading import (
    Kinds,
    Row,
    any_attention,
    as_read,
    axes_of_scores,
    bars,
    clear_best,
    counted_heads,
    counted_tokens,
    mixed,
    names,
    pick,
    queries_with_choice,
    quoted,
    require,
    where,
)
from explorer.languages import between, in_quotes, mark, sentences, side_by_side, tr, tr_n
from explorer.names import AttentionKind
from explorer.runtime.engine import Run
from explorer.weights.catalogue import known_heads

KINDS: Final = Kinds("attention")

_JOBS: Final = {
    # Translators: what a head does, to be chosen as an answer.
    "itself": mark("it looks at the word itself"),
    "previous token": mark("it looks at the token before"),
    "next token": mark("it looks at the token after"),
    "first token": mark("it looks at the first token"),
    "last token": mark("it looks at the last token"),
}
_ROWS_SHOWN: Final = 3  # of a head whose job is asked for


@KINDS.add("tour", mark("Where a head looks most"))
def looks_most(run: Run, rng: np.random.Generator) -> Question:
    """The key with the largest weight, from scores, some of them hidden."""
    attention = any_attention(run, rng)
    telling = [
        (head, query, best)
        for head in range(attention.n_heads)
        for query in queries_with_choice(attention)
        if (best := clear_best(attention.weights[head, query].tolist())) is not None
    ]
    head, query, best = pick(rng, telling)
    row = Row.of(run, attention, head, query)
    scores, keys = row.scores(), names(attention.key_labels)
    hidden = np.flatnonzero(~attention.may_attend[query])
    larger = hidden[scores[hidden] > scores[best]].tolist()  # a trap, where there is one
    drawn, _ = mixed(rng, best, row.open_keys(), 2 if hidden.size else 3)
    if hidden.size:
        drawn.append(pick(rng, larger or hidden.tolist()))
    drawn.sort()
    listed_scores = side_by_side(f"{row.key_word(key)} {number(scores[key], 2)}" for key in drawn)
    found = tr(
        "It looks most at {key}, with weight {weight}: of the keys that it may look at, this one "
        "has the largest score.",
        key=row.key_word(best),
        weight=number(row.weights()[best], 2),
    )
    if hidden.size:
        masked = " ".join(
            tr("{key} is hidden by the mask.", key=row.key_word(key))
            for key in drawn
            if key in hidden
        )
        found = sentences(found, masked)
    return Question(
        text=tr(
            "In {where}, {word} has these scores, before the mask: {scores}. Which of these does "
            "it look at most?",
            where=row.head_in_words,
            word=row.word,
            scores=listed_scores,
        ),
        hint=tr("The mask comes first, then the softmax: a larger score gets a larger weight."),
        explanation=found,
        right=drawn.index(best),
        options=tuple(keys[key] for key in drawn),
        bars=bars(tr("weight"), [keys[key] for key in drawn], row.weights()[drawn]),
        focus=row.focus(best),
    )


@KINDS.add("tour", mark("What is left of a row"))
def left_over(run: Run, rng: np.random.Generator) -> Question:
    """The weight that is left for the other keys."""
    attention = any_attention(run, rng)
    query = pick(rng, queries_with_choice(attention))
    row = Row.of(run, attention, int(rng.integers(attention.n_heads)), query)
    weights = row.weights()
    best = int(weights.argmax())
    rest = as_read(float(weights.sum())) - as_read(float(weights[best]))
    largest = number(weights[best])
    total = tr("The weights of a row add up to {total}.", total=number(weights.sum()))
    shared = tr_n(
        "So {n:,} other key shares 1 − {largest} = {rest}.",
        "So {n:,} other keys share 1 − {largest} = {rest}.",
        len(row.open_keys()) - 1,
        largest=largest,
        rest=number(rest),
    )
    return Question(
        text=tr(
            "In {where}, {query} gives {key} a weight of {largest}. How much is left for all other "
            "keys together?",
            where=row.head_in_words,
            query=row.word,
            key=row.key_word(best),
            largest=largest,
        ),
        hint=tr("What does the softmax make of every row?"),
        explanation=sentences(total, shared),
        right=rest,
        tolerance=0.005,
        focus=row.focus(best),
    )


@KINDS.add("tour", mark("The job of a head"))
def job_of_head(run: Run, rng: np.random.Generator) -> Question:
    """The job of a head, from the keys with the largest weights."""
    kinds = [kind for kind in run.request.config.attention_kinds if kind != "cross"]
    attention = any_attention(run, rng, kinds)
    candidates = [
        (head, role, rows)
        for head, role in enumerate(roles(attention))
        if role.name in _JOBS and role.share >= CLEAR
        and len(rows := _showing(attention, head, role.name)) == _ROWS_SHOWN
    ]  # fmt: skip
    head, role, rows = pick(rng, candidates)
    looks = between("; ").join(
        tr(
            "{query} looks at {key} with {weight}",
            query=quoted(attention.query_labels, query),
            key=quoted(attention.key_labels, key),
            weight=number(attention.weights[head, query, key], 2),
        )
        for query, key in rows
    )
    future = ("next token", "last token")
    possible = [job for job in _JOBS if attention.kind == "encoder" or job not in future]
    options, right = mixed(rng, role.name, possible)
    return Question(
        text=tr(
            "The tokens are {tokens}. In {where}, {looks}. Which job fits all of these?",
            tokens=in_quotes(" ".join(attention.without_pad().query_labels)),
            where=where(attention, head),
            looks=looks,
        ),
        hint=tr("Look where the key stands: at the query, beside it, or always at one end?"),
        explanation=sentences(
            tr(
                "The job: {job}. Over all tokens, {percent}% of its attention goes there.",
                job=tr(_JOBS[role.name]),
                percent=number(100 * role.share, 0),
            ),
            _elsewhere(run, attention, head),
        ),
        right=right,
        options=tuple(tr(_JOBS[job]) for job in options),
        focus=Row.of(run, attention, head, rows[0][0]).focus(),
    )


def _elsewhere(run: Run, attention: Attention, head: int) -> str:
    """What is known of a head's job in other sentences."""
    known = known_heads(run.request.source)
    if known is not None and (attention.kind, attention.layer, head) in known.taught:
        return tr("The head was taught where to look: it does so in other sentences, too.")
    return tr("So it is in this sentence; in another one the head may do something else.")


def _showing(attention: Attention, head: int, job: str) -> list[tuple[int, int]]:
    """A few queries that show a head's job and fit no other, each with its key."""
    words = attention.without_pad()
    last = len(words.key_positions) - 1
    examples = []
    for at, query in enumerate(words.query_positions):
        keys = {
            "itself": at,
            "previous token": at - 1,
            "next token": at + 1,
            "first token": 0,
            "last token": last,
        }
        key = keys.pop(job)
        if not 0 <= key <= last or key in keys.values():
            continue
        best = clear_best(words.weights[head, at].tolist())
        if best == key and words.may_attend[at].sum() > 1:
            examples.append((query, words.key_positions[key]))
    return examples[:_ROWS_SHOWN]


@KINDS.add("paper", mark("Twice as many heads"))
def twice_the_heads(run: Run, rng: np.random.Generator) -> Question:
    """The width of a head if there are twice as many."""
    config = run.request.config
    require(config.d_kv is None, config.d_model % (2 * config.n_heads) == 0)
    d_k = config.d_k
    return Question(
        text=tr_n(
            "The model has d_model = {d_model} and {n:,} head, so each head has d_k = {d_k}. "
            "What is d_k with twice as many heads?",
            "The model has d_model = {d_model} and {n:,} heads, so each head has d_k = {d_k}. "
            "What is d_k with twice as many heads?",
            config.n_heads,
            d_model=config.d_model,
            d_k=d_k,
        ),
        hint=tr("The heads share d_model among themselves."),
        explanation=tr(
            "{d_model} ÷ {heads} = {d_k}. More heads are narrower heads: the number of parameters "
            "stays the same.",
            d_model=config.d_model,
            heads=2 * config.n_heads,
            d_k=d_k // 2,
        ),
        right=d_k // 2,
        focus=Focus(kind=config.attention_kinds[0]),
    )


@KINDS.add("builders", mark("The shape of the scores"))
def scores_shape(run: Run, rng: np.random.Generator) -> Question:
    """The shape of the scores of one attention."""
    kind = pick(rng, run.request.config.attention_kinds)
    layer = int(rng.integers(run.request.config.layers_of(kind)))
    attention = run.attention(kind, layer)
    shape = tuple(run.trace.attention(kind, layer).scores.shape)
    asked = tr("What is the shape of the scores in {where}?", where=where(attention))
    return Question(
        text=f"{_sentence_read(kind, shape[2], shape[3])} {asked}",
        hint=tr("The axes are: sentences, heads, queries, keys."),
        explanation=tr(
            "{shape}: in each of the {heads}, {queries} queries are compared with {keys} keys. "
            "d_model does not appear: it went into the dot products.",
            shape=shape,
            heads=counted_heads(shape[1]),
            queries=shape[2],
            keys=shape[3],
        ),
        right=shape,
        axes=axes_of_scores(),
        focus=Focus(kind=kind, layer=layer),
    )


def _sentence_read(kind: AttentionKind, queries: int, keys: int) -> str:
    """The sentence that an attention of this kind reads, in words."""
    if kind == "cross":
        return tr(
            "The model reads one sentence: a target of {tokens} that looks at a source of {keys}.",
            tokens=counted_tokens(queries),
            keys=keys,
        )
    if kind == "encoder":
        return tr_n(
            "The model reads one sentence: a source of {n:,} token.",
            "The model reads one sentence: a source of {n:,} tokens.",
            keys,
        )
    return tr_n(
        "The model reads one sentence: a target of {n:,} token.",
        "The model reads one sentence: a target of {n:,} tokens.",
        keys,
    )


@KINDS.add("tour", mark("The two sides of cross-attention"))
def cross_sides(run: Run, rng: np.random.Generator) -> Question:
    """Where queries, keys and values of cross-attention come from."""
    require("cross" in run.request.config.attention_kinds)
    layer = int(rng.integers(run.request.config.layers_of("cross")))
    trace = run.trace.attention("cross", layer)
    queries, keys = trace.q.shape[2], trace.k.shape[2]
    options, right = mixed(
        rng,
        tr("Queries from the decoder; keys and values from the encoder."),
        (
            tr("Queries and keys from the encoder; values from the decoder."),
            tr("Queries from the encoder; keys and values from the decoder."),
            tr("All three from the decoder."),
        ),
    )
    return Question(
        text=tr(
            "In {where}, where do queries, keys and values come from?",
            where=where(run.attention("cross", layer)),
        ),
        hint=tr("The target asks, the source answers."),
        explanation=tr(
            "There are {queries}, one for each target token, and {keys} and {values}, one for each "
            "source token. Some tutorials have it the other way round.",
            queries=tr_n("{n:,} query", "{n:,} queries", queries),
            keys=tr_n("{n:,} key", "{n:,} keys", keys),
            # Translators: a value vector of attention.
            values=tr_n("{n:,} value", "{n:,} values", keys),
        ),
        right=right,
        options=tuple(options),
        focus=Focus(kind="cross", layer=layer),
    )
