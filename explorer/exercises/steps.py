"""Questions about the steps of one attention, to be worked out with its own numbers."""

import math
from dataclasses import dataclass
from typing import Final

import numpy as np

from explorer.analysis.attention import Attention
from explorer.attention import AttentionTrace
from explorer.exercises.question import Focus, Question, number
from explorer.exercises.reading import (
    Kind,
    any_attention,
    as_array,
    bars,
    clear_best,
    count,
    mixed,
    names,
    pick,
    queries_with_choice,
    quoted,
    softmax,
    visible,
    where,
)
from explorer.runtime.engine import Run


@dataclass(frozen=True, slots=True)
class _Row:
    """One query of one head."""

    attention: Attention
    trace: AttentionTrace
    head: int
    query: int

    @property
    def place(self) -> str:
        """“In layer 1, head 2 of …”."""
        return f"In {where(self.attention, self.head)}"

    @property
    def word(self) -> str:
        """The query's word."""
        return quoted(self.attention.query_labels, self.query)

    def key_word(self, key: int) -> str:
        """A key's word."""
        return quoted(self.attention.key_labels, key)

    def seen(self) -> list[int]:
        """The keys that the query may attend to."""
        return visible(self.attention, self.query)

    def dots(self) -> np.ndarray:
        """q·k for every key."""
        q, k = (as_array(x[0, self.head]) for x in (self.trace.q, self.trace.k))
        found: np.ndarray = k @ q[self.query]
        return found

    def scores(self) -> np.ndarray:
        """The scores of every key."""
        return as_array(self.trace.scores[0, self.head, self.query])

    def weights(self) -> np.ndarray:
        """The weights of every key."""
        return as_array(self.trace.weights[0, self.head, self.query])

    def used(self) -> np.ndarray:
        """The weights that v is multiplied by: after dropout, where it is on."""
        dropped = self.trace.dropped
        return self.weights() if dropped is None else as_array(dropped[0, self.head, self.query])

    def focus(self, step: str, key: int | None = None) -> Focus:
        """The place that shows a step of it."""
        return Focus(
            kind=self.attention.kind,
            layer=self.attention.layer,
            head=self.head,
            query=self.query,
            key=key,
            step=step,
        )


def _row(run: Run, rng: np.random.Generator) -> _Row | None:
    """A query that has a choice of keys, in any head."""
    attention = any_attention(run, rng)
    queries = queries_with_choice(attention) if attention is not None else []
    if attention is None or not queries:
        return None
    trace = run.trace.attention(attention.kind, attention.layer)
    return _Row(attention, trace, int(rng.integers(attention.n_heads)), pick(rng, queries))


def score(run: Run, rng: np.random.Generator) -> Question | None:
    """From q·k to a score."""
    row = _row(run, rng)
    if row is None or not run.request.config.scale_scores or row.trace.bias is not None:
        return None
    key = pick(rng, row.seen())
    dot, right = float(row.dots()[key]), float(row.scores()[key])
    d_k = run.request.config.d_k
    return Question(
        text=f"{row.place}, the query of {row.word} and the key of {row.key_word(key)} have the "
        f"dot product q·k = {number(dot, 2)}; d_k = {d_k}. What is the score?",
        hint="Attention is called scaled: something is divided by a square root.",
        explanation=f"√d_k = √{d_k} = {number(math.sqrt(d_k))}, and {number(dot, 2)} ÷ "
        f"{number(math.sqrt(d_k))} = {number(right)}.",
        form="number",
        right=right,
        tolerance=max(0.02, 0.01 * abs(right)),
        focus=row.focus("scores", key),
    )


def softmax_of_two(run: Run, rng: np.random.Generator) -> Question | None:
    """The softmax of two scores."""
    row = _row(run, rng)
    if row is None:
        return None
    (first, second), _ = mixed(rng, pick(rng, row.seen()), row.seen(), 1)
    pair = row.scores()[[first, second]]
    right = float(softmax(pair)[0])
    only = len(row.seen()) == 2
    share = "weight" if only else "share of the weight that these two get together"
    grown = np.exp(pair - pair.max())
    return Question(
        text=f"{row.place}, {row.word} has a score of {number(float(pair[0]), 2)} with "
        f"{row.key_word(first)} and of {number(float(pair[1]), 2)} with {row.key_word(second)}. "
        f"Which {share} does {row.key_word(first)} get? (0 to 1)",
        hint="The softmax of two scores depends on their difference: 0 gives one half, 1 gives "
        "0.73, 2 gives 0.88, 3 gives 0.95.",
        explanation=f"The difference is {number(float(pair[0] - pair[1]), 2)}. With the larger "
        f"score taken away from both, e^s is {number(float(grown[0]))} and "
        f"{number(float(grown[1]))}: the first share is {number(right)}.",
        form="number",
        right=right,
        tolerance=0.05,
        bars=bars("share", [row.key_word(first), row.key_word(second)], [right, 1 - right]),
        focus=row.focus("softmax", first),
    )


def without_scaling(run: Run, rng: np.random.Generator) -> Question | None:
    """The largest weight if nothing is divided by √d_k."""
    row = _row(run, rng)
    if row is None or not run.request.config.scale_scores or row.trace.bias is not None:
        return None
    seen = row.seen()
    before = row.weights()[seen]
    after = softmax(row.dots()[seen])
    best = int(before.argmax())
    now, then = float(before[best]), float(after[best])
    flatter = now - (now - 1 / len(seen)) / 2
    if then - now < 0.05 or now - flatter < 0.02:
        return None
    said = {
        number(flatter, 2): "flatter",
        number(now, 2): "as before",
        number(then, 2): "sharper",
    }
    values = sorted(said)
    return Question(
        text=f"{row.place}, {row.word} looks most at {row.key_word(seen[best])}: "
        f"{number(now, 2)}. How large is this weight if q·k is not divided by √d_k?",
        hint="Without the division, the differences between the scores grow by √d_k.",
        explanation=f"Every score becomes {number(math.sqrt(run.request.config.d_k))} times as "
        f"large, so the differences grow and the weight goes from {number(now, 2)} to "
        f"{number(then, 2)}. Close to 1 a softmax hardly learns: this is why it is divided.",
        form="choice",
        right=values.index(number(then, 2)),
        options=tuple(f"{value}, {said[value]}" for value in values),
        bars=bars("largest weight", ("divided by √d_k", "not divided"), (now, then)),
        focus=row.focus("softmax", seen[best]),
    )


def contributes_most(run: Run, rng: np.random.Generator) -> Question | None:
    """Find the key that contributes most to the context."""
    row = _row(run, rng)
    if row is None or len(row.seen()) < 3:
        return None
    v = as_array(row.trace.v[0, row.head])
    lengths = np.linalg.norm(v, axis=1)
    used = row.used()
    parts = used * lengths
    best = clear_best(parts.tolist(), 0.05 * float(parts.max()))
    if best is None:
        return None
    drawn, right = mixed(rng, best, row.seen())
    keys = names(row.attention.key_labels)
    return Question(
        text=f"{row.place}, the context of {row.word} is the sum of weight × v over all keys"
        f"{'' if row.trace.dropped is None else ', with the weights that dropout leaves'}. "
        "Which of these keys contributes the longest vector?",
        hint="A large weight helps, but a long v helps as well.",
        explanation=f"{row.key_word(best)}: weight {number(float(used[best]))} times a v "
        f"of length {number(float(lengths[best]), 2)} is {number(float(parts[best]))}. "
        + _is_it_the_weight(row, best),
        form="choice",
        right=right,
        options=tuple(keys[key] for key in drawn),
        bars=bars("length of weight × v", [keys[key] for key in drawn], parts[drawn]),
        focus=row.focus("context", best),
    )


def _is_it_the_weight(row: _Row, best: int) -> str:
    heaviest = int(row.used().argmax())
    if heaviest == best:
        return "It also has the largest weight."
    return f"The largest weight is another key's, {row.key_word(heaviest)}, but its v is shorter."


def hidden_weight(run: Run, rng: np.random.Generator) -> Question | None:
    """The weight of a hidden key."""
    attention = any_attention(run, rng)
    if attention is None:
        return None
    hidden = [
        (query, key)
        for query in queries_with_choice(attention, 1)
        for key in np.flatnonzero(~attention.may_attend[query]).tolist()
    ]
    if not hidden:
        return None
    query, key = pick(rng, hidden)
    trace = run.trace.attention(attention.kind, attention.layer)
    row = _Row(attention, trace, int(rng.integers(attention.n_heads)), query)
    plain = float(row.scores()[key])
    why = "later than the query" if attention.key_is_word[key] else "PAD"
    return Question(
        text=f"{row.place}, the score of {row.word} with {row.key_word(key)} is "
        f"{number(plain, 2)}, but the key is hidden. Which weight does it get?",
        hint="The mask puts −∞ in the place of the score. What is e to the power of −∞?",
        explanation=f"The key is {why}, so −∞ takes the place of {number(plain, 2)}, and e^−∞ = 0. "
        f"The other {count(len(row.seen()), 'key')} {'has' if len(row.seen()) == 1 else 'share'} "
        "all of the weight.",
        form="number",
        right=float(row.weights()[key]),
        tolerance=0.0005,
        focus=row.focus("mask", key),
    )


def divisor(run: Run, rng: np.random.Generator) -> Question | None:
    """What q·k is divided by."""
    config = run.request.config
    if not config.scale_scores:
        return None
    kind = run.request.config.attention_kinds[0]
    d_k = run.trace.attention(kind, 0).q.shape[-1]
    heads = count(config.n_heads, "head")
    return Question(
        text=f"d_model is {config.d_model}, in {heads}. By which number is q·k divided?"
        if config.d_kv is None
        else f"d_model is {config.d_model}; each of {heads} has d_k = {d_k}. By which number is "
        "q·k divided?",
        hint="It is the square root of the width of one head.",
        explanation=f"d_k = {d_k}, and √{d_k} = {number(math.sqrt(d_k))}. A dot product of {d_k} "
        "pairs of numbers spreads √d_k times as wide as one pair does.",
        form="number",
        right=math.sqrt(d_k),
        tolerance=0.02,
        focus=Focus(kind=kind, step="scores"),
    )


def concat_width(run: Run, rng: np.random.Generator) -> Question | None:
    """The shape of the heads' results side by side."""
    row = _row(run, rng)
    if row is None:
        return None
    heads, length, d_k = row.trace.context.shape[1:]
    shape = (length, heads * d_k)
    return Question(
        text=f"In {where(row.attention)}, each of {count(heads, 'head')} writes {d_k} numbers for "
        f"each of {count(length, 'token')}. What is the shape of the heads side by side?",
        hint="One row for each token. The heads are put next to each other in it.",
        explanation=f"{shape}: {heads} × {d_k} = {heads * d_k} numbers a token. W_O mixes them, "
        f"and writes d_model = {run.request.config.d_model} numbers a token.",
        form="shape",
        right=shape,
        axes=("tokens", "numbers a token"),
        focus=row.focus("concat"),
    )


KINDS: Final = {
    "score": Kind("steps", "From q·k to a score", score),
    "softmax_of_two": Kind("steps", "The softmax of two scores", softmax_of_two),
    "without_scaling": Kind("steps", "Without ÷ √d_k", without_scaling),
    "contributes_most": Kind("steps", "What the context is made of", contributes_most),
    "hidden_weight": Kind("steps", "The weight of a hidden key", hidden_weight),
    "divisor": Kind("steps", "The divisor of the scores", divisor),
    "concat_width": Kind("steps", "The heads side by side", concat_width),
}
