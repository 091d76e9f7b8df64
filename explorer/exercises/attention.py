"""Questions about attention: who looks at whom?"""

from typing import Final

import numpy as np

from explorer.analysis.attention import Attention
from explorer.exercises.question import Focus, Question, number
from explorer.exercises.reading import (
    Kind,
    any_attention,
    bars,
    clear_best,
    count,
    mixed,
    names,
    pick,
    queries_with_choice,
    quoted,
    visible,
    where,
)
from explorer.runtime.engine import Run

MARGIN: Final = 0.03  # by which the right weight must exceed the next one


def _reads(attention: Attention, query: int) -> str:
    """A query in words, with the word that it helps to write."""
    word = quoted(attention.query_labels, query)
    written = attention.writes[query]
    return f"{word} (which helps to write “{written.strip('“”')}”)" if written else word


def _heads(attention: Attention) -> tuple[str, ...]:
    return tuple(f"head {head + 1}" for head in range(attention.n_heads))


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
    drawn, right = mixed(rng, best, visible(attention, query))
    mean = 1 / len(visible(attention, query))
    return Question(
        text=f"In {where(attention, head)}, which of these does {_reads(attention, query)} look at "
        "most?",
        hint="Think of what a head can do: look at the word itself, at a neighbour, at a word of "
        "the same meaning, or at a mark that carries little.",
        explanation=f"It looks most at {quoted(attention.key_labels, best)}, with weight "
        f"{number(float(row[best]), 2)}. If it looked at all {len(visible(attention, query))} keys "
        f"alike, each would get {number(mean, 2)}.",
        form="choice",
        right=right,
        options=tuple(keys[key] for key in drawn),
        bars=bars("weight", [keys[key] for key in drawn], row[drawn]),
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
    return Question(
        text=f"In {where(attention, head)}, {quoted(attention.query_labels, query)} gives "
        f"{quoted(attention.key_labels, best)} a weight of {number(float(row[best]))}. How much is "
        "left for all other keys together?",
        hint="What does the softmax make of every row?",
        explanation=f"The weights of a row add up to {number(float(row.sum()))}. So "
        f"{count(others, 'other key')} {'shares' if others == 1 else 'share'} "
        f"1 − {number(float(row[best]))} = {number(rest)}.",
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
    weights = attention.weights[:, query, key]
    return _about_heads(
        attention,
        rng,
        weights,
        f"In {where(attention)}, which head connects {_reads(attention, query)} with "
        f"{quoted(attention.key_labels, key)} most?",
        f"its weight from {quoted(attention.query_labels, query)} to "
        f"{quoted(attention.key_labels, key)}",
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
        f"In {where(attention)}, which head looks most at the token just before?",
        f"its mean weight on the token before, over {count(len(queries), 'word')},",
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
        f"In {where(attention)}, which head picks out one key most clearly: whose largest "
        "weights are the largest?",
        f"the mean of its largest weights, over {count(len(queries), 'word')},",
        Focus(kind=attention.kind, layer=attention.layer),
    )


def _about_heads(
    attention: Attention,
    rng: np.random.Generator,
    values: np.ndarray,
    text: str,
    measure: str,
    focus: Focus,
) -> Question:
    """A question whose answer is the head with the largest value; it offers up to four."""
    best = int(values.argmax())
    drawn, _ = mixed(rng, best, range(attention.n_heads))
    drawn.sort()
    heads = _heads(attention)
    runner_up = float(np.sort(values)[-2])
    return Question(
        text=text,
        hint="Nobody can know this for sure. Guess, then look: heads of one layer share the work.",
        explanation=f"It is head {best + 1}: {measure} is {number(float(values[best]), 2)}. Of "
        f"all {attention.n_heads} heads, the next one has {number(runner_up, 2)}, and the mean is "
        f"{number(float(values.mean()), 2)}.",
        form="choice",
        right=drawn.index(best),
        options=tuple(heads[head] for head in drawn),
        bars=bars("weight", [heads[head] for head in drawn], values[drawn]),
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
        text=f"The model has d_model = {config.d_model} and {count(config.n_heads, 'head')}, so "
        f"each head has d_k = {d_k}. What is d_k with twice as many heads?",
        hint="The heads share d_model among them.",
        explanation=f"{config.d_model} ÷ {2 * config.n_heads} = {d_k // 2}. More heads are "
        "narrower heads: the number of parameters stays the same.",
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
    read = {
        "encoder": f"a source of {count(shape[3], 'token')}",
        "decoder": f"a target of {count(shape[3], 'token')}",
        "cross": f"a target of {count(shape[2], 'token')} that looks at a source of {shape[3]}",
    }[kind]
    return Question(
        text=f"The model reads one sentence: {read}. What is the shape of the scores in "
        f"{where(attention)}?",
        hint="The axes are: sentences, heads, queries, keys.",
        explanation=f"{shape}: in each of the {count(shape[1], 'head')}, {shape[2]} queries are "
        f"compared with {shape[3]} keys. d_model does not appear: it went into the dot products.",
        form="shape",
        right=shape,
        axes=("sentences", "heads", "queries", "keys"),
        focus=Focus(kind=kind, layer=layer),
    )


def cross_sides(run: Run, rng: np.random.Generator) -> Question | None:
    """Where queries, keys and values of cross-attention come from."""
    if "cross" not in run.request.config.attention_kinds:
        return None
    layer = int(rng.integers(run.request.config.layers_of("cross")))
    trace = run.trace.attention("cross", layer)
    queries, keys = trace.q.shape[2], trace.k.shape[2]
    true = "Queries from the decoder; keys and values from the encoder."
    options, right = mixed(
        rng,
        true,
        (
            "Queries and keys from the encoder; values from the decoder.",
            "Queries from the encoder; keys and values from the decoder.",
            "All three from the decoder.",
        ),
    )
    return Question(
        text=f"In {where(run.attention('cross', layer))}, where do queries, keys and values come "
        "from?",
        hint="The target asks, the source answers.",
        explanation=f"There are {count(queries, 'query', 'queries')}, one for "
        f"each target token, and {count(keys, 'key')} and {count(keys, 'value')}, one for each "
        "source token. Some tutorials have it the other way round.",
        form="choice",
        right=right,
        options=tuple(options),
        focus=Focus(kind="cross", layer=layer),
    )


KINDS: Final = {
    "looks_most": Kind("attention", "Where a head looks most", looks_most),
    "left_over": Kind("attention", "What is left of a row", left_over),
    "which_head": Kind("attention", "The head between two words", which_head),
    "previous_head": Kind("attention", "The head of the token before", previous_head),
    "sharpest_head": Kind("attention", "The sharpest head", sharpest_head),
    "twice_the_heads": Kind("attention", "Twice as many heads", twice_the_heads),
    "scores_shape": Kind("attention", "The shape of the scores", scores_shape),
    "cross_sides": Kind("attention", "The two sides of cross-attention", cross_sides),
}
