"""Questions about attention: who looks at whom?"""

from collections.abc import Callable
from typing import Final

import numpy as np

from explorer.analysis.attention import Attention
from explorer.exercises.question import Focus, Question, number
from explorer.exercises.reading import (
    Kind,
    any_attention,
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
    visible,
    where,
)
from explorer.languages import mark, tr, tr_n
from explorer.names import AttentionKind
from explorer.runtime.engine import Run

MARGIN: Final = 0.03  # by which the right weight must exceed the next one


def _reads(attention: Attention, query: int) -> str:
    """A query in words, with the word that it helps to write."""
    word = quoted(attention.query_labels, query)
    written = attention.writes[query]
    if not written:
        return word
    return tr("{word} (which helps to write “{written}”)", word=word, written=written.strip("“”"))


def _heads(attention: Attention) -> tuple[str, ...]:
    return tuple(tr("head {head}", head=head + 1) for head in range(attention.n_heads))


def looks_most(run: Run, rng: np.random.Generator) -> Question | None:
    """Find the key with the largest weight of a row."""
    attention = any_attention(run, rng)
    if attention is None:
        return None
    telling = [
        (head, query)
        for head in range(attention.n_heads)
        for query in queries_with_choice(attention)
        if clear_best(attention.weights[head, query].tolist(), MARGIN) is not None
    ]
    if not telling:
        return None
    head, query = pick(rng, telling)
    row, keys = attention.weights[head, query], names(attention.key_labels)
    best = int(row.argmax())
    seen = visible(attention, query)
    drawn, right = mixed(rng, best, seen)
    return Question(
        text=tr(
            "In {where}, which of these does {word} look at most?",
            where=where(attention, head),
            word=_reads(attention, query),
        ),
        hint=tr(
            "Think of what a head can do: look at the word itself, at a neighbour, at a word of "
            "the same meaning, or at a mark that carries little."
        ),
        explanation=tr(
            "It looks most at {key}, with weight {weight}. If it looked at all {keys} keys alike, "
            "each would get {mean}.",
            key=quoted(attention.key_labels, best),
            weight=number(float(row[best]), 2),
            keys=len(seen),
            mean=number(1 / len(seen), 2),
        ),
        form="choice",
        right=right,
        options=tuple(keys[key] for key in drawn),
        bars=bars(tr("weight"), [keys[key] for key in drawn], row[drawn]),
        focus=Focus(
            kind=attention.kind, layer=attention.layer, head=head, query=query, key=best
        ),
    )  # fmt: skip


def left_over(run: Run, rng: np.random.Generator) -> Question | None:
    """What one weight leaves for the other keys."""
    attention = any_attention(run, rng)
    queries = queries_with_choice(attention) if attention is not None else []
    if attention is None or not queries:
        return None
    query, head = pick(rng, queries), int(rng.integers(attention.n_heads))
    row = attention.weights[head, query].astype(np.float64)
    best = int(row.argmax())
    rest = float(row.sum() - row[best])
    others = len(visible(attention, query)) - 1
    largest = number(float(row[best]))
    total = tr("The weights of a row add up to {total}.", total=number(float(row.sum())))
    shared = tr_n(
        "So {n:,} other key shares 1 − {largest} = {rest}.",
        "So {n:,} other keys share 1 − {largest} = {rest}.",
        others,
        largest=largest,
        rest=number(rest),
    )
    return Question(
        text=tr(
            "In {where}, {query} gives {key} a weight of {largest}. How much is left for all other "
            "keys together?",
            where=where(attention, head),
            query=quoted(attention.query_labels, query),
            key=quoted(attention.key_labels, best),
            largest=largest,
        ),
        hint=tr("What does the softmax make of every row?"),
        explanation=f"{total} {shared}",
        form="number",
        right=rest,
        tolerance=0.005,
        focus=Focus(
            kind=attention.kind, layer=attention.layer, head=head, query=query, key=best
        ),
    )  # fmt: skip


def which_head(run: Run, rng: np.random.Generator) -> Question | None:
    """Find the head that connects two words."""
    attention = any_attention(run, rng)
    if attention is None or attention.n_heads < 2:
        return None
    found = [
        (query, key)
        for query in queries_with_choice(attention)
        for key in visible(attention, query)
        if clear_best(attention.weights[:, query, key].tolist(), 2 * MARGIN) is not None
    ]
    if not found:
        return None
    query, key = pick(rng, found)
    read, seen = (
        quoted(attention.query_labels, query),
        quoted(attention.key_labels, key),
    )
    return _about_heads(
        attention,
        rng,
        attention.weights[:, query, key],
        tr(
            "In {where}, which head connects {word} with {key} most?",
            where=where(attention),
            word=_reads(attention, query),
            key=seen,
        ),
        lambda head, weight: tr(
            "It is head {head}: its weight from {query} to {key} is {weight}.",
            head=head,
            query=read,
            key=seen,
            weight=weight,
        ),
        Focus(kind=attention.kind, layer=attention.layer, query=query, key=key),
    )


def previous_head(run: Run, rng: np.random.Generator) -> Question | None:
    """Find the head that looks at the previous word."""
    kinds = [kind for kind in run.request.config.attention_kinds if kind != "cross"]
    attention = any_attention(run, rng, kinds)
    if attention is None or attention.n_heads < 2:
        return None
    queries = [
        at for at in queries_with_choice(attention) if at and attention.may_attend[at, at - 1]
    ]
    if len(queries) < 2:
        return None
    shares = attention.weights[:, queries, [at - 1 for at in queries]].mean(axis=1)
    if clear_best(shares.tolist(), MARGIN) is None:
        return None
    return _about_heads(
        attention,
        rng,
        shares,
        tr("In {where}, which head looks most at the token just before?", where=where(attention)),
        lambda head, weight: tr_n(
            "It is head {head}: its mean weight on the token before, over {n:,} word, is {weight}.",
            "It is head {head}: its mean weight on the token before, over {n:,} words, is "
            "{weight}.",
            len(queries),
            head=head,
            weight=weight,
        ),
        Focus(kind=attention.kind, layer=attention.layer),
    )


def sharpest_head(run: Run, rng: np.random.Generator) -> Question | None:
    """Find the head that spreads its attention least."""
    attention = any_attention(run, rng)
    queries = queries_with_choice(attention) if attention is not None else []
    if attention is None or attention.n_heads < 2 or not queries:
        return None
    largest = attention.weights[:, queries].max(axis=2).mean(axis=1)  # (heads,)
    if clear_best(largest.tolist(), MARGIN) is None:
        return None
    return _about_heads(
        attention,
        rng,
        largest,
        tr(
            "In {where}, which head picks out one key most clearly: whose largest weights are the "
            "largest?",
            where=where(attention),
        ),
        lambda head, weight: tr_n(
            "It is head {head}: the mean of its largest weights, over {n:,} word, is {weight}.",
            "It is head {head}: the mean of its largest weights, over {n:,} words, is {weight}.",
            len(queries),
            head=head,
            weight=weight,
        ),
        Focus(kind=attention.kind, layer=attention.layer),
    )


def _about_heads(
    attention: Attention,
    rng: np.random.Generator,
    values: np.ndarray,
    text: str,
    it_is: Callable[[int, str], str],
    focus: Focus,
) -> Question:
    """A question whose answer is the head with the largest value; it offers up to four.

    `it_is` names the head, counted from 1, and its value.
    """
    best = int(values.argmax())
    drawn, _ = mixed(rng, best, range(attention.n_heads))
    drawn.sort()
    heads = _heads(attention)
    beside = tr(
        "Of all {heads} heads, the next one has {next}, and the mean is {mean}.",
        heads=attention.n_heads,
        next=number(float(np.sort(values)[-2]), 2),
        mean=number(float(values.mean()), 2),
    )
    return Question(
        text=text,
        hint=tr(
            "You cannot know this for sure. Guess, then look: heads of one layer share the work."
        ),
        explanation=f"{it_is(best + 1, number(float(values[best]), 2))} {beside}",
        form="choice",
        right=drawn.index(best),
        options=tuple(heads[head] for head in drawn),
        bars=bars(tr("weight"), [heads[head] for head in drawn], values[drawn]),
        focus=Focus(
            kind=focus.kind, layer=focus.layer, head=best, query=focus.query, key=focus.key
        ),
    )


def twice_the_heads(run: Run, rng: np.random.Generator) -> Question | None:
    """The width of a head if there are twice as many."""
    config = run.request.config
    if config.d_kv is not None or config.d_model % (2 * config.n_heads):
        return None
    d_k = run.trace.attention(run.request.config.attention_kinds[0], 0).q.shape[-1]
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
        hint=tr("The heads share d_model among them."),
        explanation=tr(
            "{d_model} ÷ {heads} = {d_k}. More heads are narrower heads: the number of parameters "
            "stays the same.",
            d_model=config.d_model,
            heads=2 * config.n_heads,
            d_k=d_k // 2,
        ),
        form="number",
        right=d_k // 2,
        whole=True,
        focus=Focus(kind=run.request.config.attention_kinds[0]),
    )


def scores_shape(run: Run, rng: np.random.Generator) -> Question | None:
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
        form="shape",
        right=shape,
        axes=axes_of_scores(),
        focus=Focus(kind=kind, layer=layer),
    )


def _sentence_read(kind: AttentionKind, queries: int, keys: int) -> str:
    """What an attention of this kind reads."""
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


def cross_sides(run: Run, rng: np.random.Generator) -> Question | None:
    """Where queries, keys and values of cross-attention come from."""
    if "cross" not in run.request.config.attention_kinds:
        return None
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
        form="choice",
        right=right,
        options=tuple(options),
        focus=Focus(kind="cross", layer=layer),
    )


KINDS: Final = {
    "looks_most": Kind("attention", mark("Where a head looks most"), looks_most),
    "left_over": Kind("attention", mark("What is left of a row"), left_over),
    "which_head": Kind("attention", mark("The head between two words"), which_head),
    "previous_head": Kind("attention", mark("The head of the token before"), previous_head),
    "sharpest_head": Kind("attention", mark("The sharpest head"), sharpest_head),
    "twice_the_heads": Kind("attention", mark("Twice as many heads"), twice_the_heads),
    "scores_shape": Kind("attention", mark("The shape of the scores"), scores_shape),
    "cross_sides": Kind("attention", mark("The two sides of cross-attention"), cross_sides),
}
