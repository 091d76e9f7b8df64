"""What each step of an attention shows: its matrices, its numbers written in, what it changed."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, TypeVar

import numpy as np

from explorer.figures.arithmetic import signed_number, softmax_by_hand, sum_of_products
from explorer.figures.equation import Matrix
from explorer.figures.labels import elide
from explorer.steps import HeadSteps, Output, Projection

Form = Literal["vector", "matrix"]
Which = Literal["q", "k", "v"]
SHOWN: Final = 64  # dimensions of a head: more would not be told apart, and are not sent
SHOWN_OF_X: Final = 32  # of d_model, whose matrices have as many rows
STEPS: Final = ("x", "q k v", "q·k", "÷ √d_k", "mask", "softmax", "× v", "concat", "× W_O")
BARE_STEPS: Final = STEPS[2:7]  # where q, k and v are given


@dataclass(frozen=True, slots=True, kw_only=True)
class Focus:
    """What is looked at: one head of one attention, one query, one key."""

    steps: HeadSteps
    query: int
    key: int
    query_labels: Sequence[str]
    key_labels: Sequence[str]
    reason: str  # why the key is hidden from the query, or nothing
    came_from: str  # where x comes from, in words
    head: int
    form: Form
    which: Which  # of q, k and v
    dropout: bool = False  # whether some of the weights were dropped on their way to the context


@dataclass(frozen=True, slots=True, kw_only=True)
class StepView:
    """One step, ready to be shown."""

    title: str
    formula: str  # LaTeX
    numbers: str  # the formula with the numbers of the query and key in focus
    changed: str  # since the step before
    matrices: list[Matrix]
    signs: list[str]


def step_view(name: str, focus: Focus) -> StepView:
    """The step with this name, one of `STEPS`."""
    return _VIEWS[name](focus)


def _inputs(focus: Focus) -> StepView:
    to_q, to_k = _required(focus.steps.to_q), _required(focus.steps.to_k)
    x_query, x_key = to_q.x, to_k.x
    same = x_query is x_key or (
        x_query.shape == x_key.shape and bool(np.array_equal(x_query, x_key))
    )
    query = Matrix(
        name="x_query",
        title="x of the query" if focus.form == "vector" else "X of the queries",
        **_rows(x_query, focus.query_labels, focus.query, focus.form, shown=SHOWN_OF_X),
    )
    keys = Matrix(
        name="x_key",
        title="X of the keys",
        values=x_key[:, :SHOWN_OF_X],
        rows=focus.key_labels,
        shape=_shape(x_key),
        frame=_row(focus.key),
    )
    shown = ", ".join(signed_number(float(value)) for value in x_query[focus.query][:8])
    return StepView(
        title="x: what comes in",
        formula=r"x \in \mathbb{R}^{d_\text{model}}",
        numbers=f"x of {_name(focus.query_labels, focus.query)} = "
        f"({shown}{', …' if x_query.shape[1] > 8 else ''})",
        changed=focus.came_from
        + (" Queries and keys are made from the same x: self-attention." if same else ""),
        matrices=[query, keys] if focus.form == "vector" or not same else [keys],
        signs=[""],
    )


def _projections(focus: Focus) -> StepView:
    steps, which = focus.steps, focus.which
    part = _required({"q": steps.to_q, "k": steps.to_k, "v": steps.to_v}[which])
    labels = focus.query_labels if which == "q" else focus.key_labels
    at = focus.query if which == "q" else focus.key
    letter = which.upper()
    whole = focus.form == "matrix"
    x = Matrix(
        name=f"x_{which}",
        title="X" if whole else f"x of {elide(labels[at])}",
        **_rows(part.x, labels, at, focus.form, shown=SHOWN_OF_X),
    )
    weights = Matrix(
        name=f"w_{which}",
        title=f"W_{letter}, head {focus.head + 1}",
        values=part.w[:SHOWN_OF_X, :SHOWN_OF_X],
        shape=_shape(part.w),
        frame=(slice(None), slice(0, 1)),
    )
    out = Matrix(
        name=which,
        title=letter if whole else which,
        **_rows(part.out, labels, at, focus.form, first_column=True, shown=SHOWN_OF_X),
    )
    return StepView(
        title=f"{which} = x · W_{letter} + b",
        formula=rf"{which} = x\,W_{letter} + b_{letter}",
        numbers=f"{which}[0] of {_name(labels, at)} = "
        + sum_of_products(part.x[at], part.w[:, 0], float(part.out[at, 0]), bias=float(part.b[0])),
        changed=f"{part.x.shape[1]} numbers a word became {part.out.shape[1]}: this head's own "
        "view of it. q asks, k answers, v is what is passed on.",
        matrices=[x, weights, out],
        signs=["×", "+ b ="],
    )


def _dots(focus: Focus) -> StepView:
    steps, query, key = focus.steps, focus.query, focus.key
    numbers = f"q·k for {_pair(focus)} = " + sum_of_products(
        steps.q[query], steps.k[key], float(steps.dots[query, key])
    )
    changed = (
        f"{len(steps.k)} keys, each against this query: one number each. The largest is "
        f"{_largest(steps.dots[query], focus.key_labels)}"
        + (
            "."
            if steps.may_attend[query, steps.dots[query].argmax()]
            else "; the mask will hide it."
        )
    )
    if focus.form == "matrix":
        q = Matrix(name="q", title="Q", **_rows(steps.q, focus.query_labels, query, "matrix"))
        k = Matrix(
            name="k_t",
            title="Kᵀ",
            values=steps.k[:, :SHOWN].T,
            columns=focus.key_labels,
            shape=(steps.k.shape[1], steps.k.shape[0]),
            frame=(slice(None), slice(key, key + 1)),
        )
        out = _scores(focus, "dots", "Q Kᵀ", steps.dots)
        return StepView(
            title="q · k",
            formula=r"Q K^\top",
            numbers=numbers,
            changed=changed,
            matrices=[q, k, out],
            signs=["×", "="],
        )
    products = steps.products(query)
    return StepView(
        title="q · k, dimension by dimension",
        formula=r"q \cdot k_j = \sum_{i=1}^{d_k} q_i\, k_{j,i}",
        numbers=numbers,
        changed=changed,
        matrices=[
            Matrix(
                name="keys",
                title="k",
                values=steps.k[:, :SHOWN],
                rows=focus.key_labels,
                shape=_shape(steps.k),
                frame=_row(key),
            ),
            Matrix(
                name="q",
                title="q",
                values=steps.q[query : query + 1, :SHOWN],
                rows=[focus.query_labels[query]],
                shape=(1, steps.q.shape[1]),
            ),
            Matrix(
                name="products",
                title="q ⊙ k",
                values=products[:, :SHOWN],
                rows=focus.key_labels,
                shape=_shape(products),
                frame=_row(key),
            ),
            _column(focus, "dots", "sum", steps.dots),
        ],
        signs=["⊙", "=", "Σ"],
    )


def _scaled(focus: Focus) -> StepView:
    steps, query, key = focus.steps, focus.query, focus.key
    d_k = steps.q.shape[1]
    before, after = steps.dots[query], steps.scores[query]
    ratio, usual = steps.divisor, math.isclose(steps.divisor, d_k**0.5)
    return StepView(
        title="÷ √d_k" if usual else f"÷ {ratio:.3g}",
        formula=r"\text{score}_j = \frac{q \cdot k_j}{\sqrt{d_k}}",
        numbers=f"score for {_pair(focus)} = {signed_number(float(before[key]))} ÷ √{d_k} = "
        f"{signed_number(float(before[key]))} ÷ {d_k**0.5:.3f} = {signed_number(float(after[key]))}"
        if usual
        else f"score for {_pair(focus)} = {signed_number(float(before[key]))} ÷ {ratio:.3f} = "
        f"{signed_number(float(after[key]))} (what if: not ÷ √{d_k} = {d_k**0.5:.3f})",
        changed=f"The scores' spread (standard deviation) went from {before.std():.3f} to "
        f"{after.std():.3f}; their order stayed."
        + (
            f" Sums of {d_k} products grow like √{d_k}; dividing keeps the softmax from growing "
            "sharper with d_k."
            if usual
            else ""
        ),
        matrices=_before_after(
            focus,
            ("dots", "q·k", steps.dots),
            ("scores", "score", steps.scores),
            top=float(np.abs(steps.dots).max()),
        ),
        signs=["÷ √d_k =" if usual else f"÷ {ratio:.3g} ="],
    )


def _masked(focus: Focus) -> StepView:
    steps, query, key = focus.steps, focus.query, focus.key
    hidden = int((~steps.may_attend[query]).sum())
    score = signed_number(float(steps.scores[query, key]))
    allowed = bool(steps.may_attend[query, key])
    return StepView(
        title="mask",
        formula=r"\text{score}_j \leftarrow \begin{cases}\text{score}_j & \text{may attend}\\"
        r" -\infty & \text{hidden}\end{cases}",
        numbers=f"{_pair(focus)}: {score} + 0 = {score} (may attend)"
        if allowed
        else f"{_pair(focus)}: {score} + (−∞) = −∞ ({focus.reason or 'hidden'})",
        changed=f"{hidden} of {len(steps.k)} keys are hidden from this query: their cells are grey."
        if hidden
        else "Nothing is hidden from this query: every score stays.",
        matrices=_before_after(
            focus, ("scores", "score", steps.scores), ("masked", "masked", steps.masked)
        ),
        signs=["+ mask ="],
    )


def _softmax(focus: Focus) -> StepView:
    steps, query, key = focus.steps, focus.query, focus.key
    weights = steps.weights[query]
    return StepView(
        title="softmax",
        formula=r"w_j = \frac{e^{\text{score}_j}}{\sum_i e^{\text{score}_i}}",
        numbers=f"weight for {_pair(focus)} = "
        + softmax_by_hand(steps.masked[query], key, float(weights[key])),
        changed=f"Scores became shares: together {weights.sum():.3f}. The largest is "
        f"{_largest(weights, focus.key_labels)}.",
        matrices=_before_after(
            focus,
            ("masked", "masked", steps.masked),
            ("weights", "weight", _where_allowed(steps)),
            scale="weights",
        ),
        signs=["softmax →"],
    )


def _context(focus: Focus) -> StepView:
    steps, query, key = focus.steps, focus.query, focus.key
    numbers = _context_by_hand(focus)
    changed = (
        f"{len(steps.v)} vectors became one: {_largest(steps.weights[query], focus.key_labels)} "
        "of it is the largest share."
    )
    if focus.form == "matrix":
        weights = replace(
            _scores(focus, "weights", "weights", _where_allowed(steps), scale="weights"),
            frame=_row(query),
        )
        v = Matrix(
            name="v",
            title="V",
            values=steps.v[:, :SHOWN],
            rows=focus.key_labels,
            shape=_shape(steps.v),
            frame=(slice(None), slice(0, 1)),
        )
        out = Matrix(
            name="context",
            title="context",
            **_rows(steps.context, focus.query_labels, query, "matrix", first_column=True),
        )
        return StepView(
            title="weights × V",
            formula=r"\text{context} = \text{weights} \cdot V",
            numbers=numbers,
            changed=changed,
            matrices=[weights, v, out],
            signs=["×", "="],
        )
    shares = steps.shares(query)
    return StepView(
        title="weight × v, then the sum",
        formula=r"\text{context} = \sum_j w_j\, v_j",
        numbers=numbers,
        changed=changed,
        matrices=[
            _column(focus, "weights", "weight", _where_allowed(steps), scale="weights"),
            Matrix(
                name="v",
                title="v",
                values=steps.v[:, :SHOWN],
                rows=focus.key_labels,
                shape=_shape(steps.v),
                frame=_row(key),
            ),
            Matrix(
                name="shares",
                title="weight × v",
                values=shares[:, :SHOWN],
                rows=focus.key_labels,
                shape=_shape(shares),
                frame=_row(key),
            ),
            Matrix(
                name="context",
                title="context",
                values=steps.context[query : query + 1, :SHOWN],
                rows=[focus.query_labels[query]],
                shape=(1, steps.context.shape[1]),
            ),
        ],
        signs=["×", "=", "Σ ="],
    )


def _context_by_hand(focus: Focus) -> str:
    """The sum of the shares; and what became of it where that is not the head's context."""
    steps, query = focus.steps, focus.query
    shares, context = float(steps.shares(query)[:, 0].sum()), float(steps.context[query, 0])
    numbers = f"context[0] of {_name(focus.query_labels, query)} = " + sum_of_products(
        steps.weights[query], steps.v[:, 0], shares
    )
    if not (steps.switched_off or focus.dropout):
        return numbers
    if steps.switched_off:
        return f"{numbers}\nThe head is switched off: its context is {signed_number(context)}."
    return (
        f"{numbers}\nDropout took some of the weights away and raised the others: the context is "
        f"{signed_number(context)}."
    )


def _concat(focus: Focus) -> StepView:
    output = _required(focus.steps.output)
    d_k = focus.steps.context.shape[1]
    n_heads = output.concat.shape[1] // d_k
    first, own = _window(focus.head * d_k, output.concat.shape[1]), focus.head * d_k
    concat = output.concat[:, first : first + SHOWN]
    inside = slice(own - first, own - first + min(d_k, SHOWN))
    one = focus.form == "vector"
    rows = slice(focus.query, focus.query + 1) if one else slice(None)
    return StepView(
        title="heads side by side",
        formula=r"\text{concat} = [\,\text{context}_1, \dots, \text{context}_h\,]",
        numbers=f"{n_heads} heads × {d_k} numbers = {n_heads * d_k} = d_model. Head "
        f"{focus.head + 1} fills places {own} to {own + d_k - 1}.",
        changed="Nothing is computed: every head puts its context beside those of the others."
        + (" This head is switched off: its places are 0." if focus.steps.switched_off else ""),
        matrices=[
            Matrix(
                name="concat",
                title=f"concat, from place {first}" if first else "concat",
                values=concat[rows],
                rows=[focus.query_labels[focus.query]] if one else focus.query_labels,
                shape=(1 if one else len(output.concat), output.concat.shape[1]),
                frame=(slice(None), inside),
            )
        ],
        signs=[],
    )


def _output(focus: Focus) -> StepView:
    output, query = _required(focus.steps.output), focus.query
    part = Projection(x=output.concat, w=output.w, b=output.b, out=output.out)
    norms = np.linalg.norm(output.concat[query]), np.linalg.norm(output.out[query])
    return StepView(
        title="out = concat · W_O + b",
        formula=r"\text{out} = \text{concat}\,W_O + b_O",
        numbers=f"out[0] of {_name(focus.query_labels, query)} = "
        + sum_of_products(
            part.x[query], part.w[:, 0], float(part.out[query, 0]), bias=float(part.b[0])
        ),
        changed=f"Now every number mixes all heads. Length of the vector: {norms[0]:.3f} before, "
        f"{norms[1]:.3f} after.",
        matrices=[
            Matrix(
                name="concat",
                title="concat",
                **_rows(part.x, focus.query_labels, query, focus.form, shown=SHOWN_OF_X),
            ),
            Matrix(
                name="w_o",
                title="W_O",
                values=part.w[:SHOWN_OF_X, :SHOWN_OF_X],
                shape=_shape(part.w),
                frame=(slice(None), slice(0, 1)),
            ),
            Matrix(
                name="out",
                title="out",
                **_rows(
                    part.out,
                    focus.query_labels,
                    query,
                    focus.form,
                    first_column=True,
                    shown=SHOWN_OF_X,
                ),
            ),
        ],
        signs=["×", "+ b ="],
    )


_VIEWS: Final[dict[str, Callable[[Focus], StepView]]] = dict(
    zip(
        STEPS,
        (
            _inputs,
            _projections,
            _dots,
            _scaled,
            _masked,
            _softmax,
            _context,
            _concat,
            _output,
        ),
        strict=True,
    )
)


def _rows(
    values: np.ndarray,
    labels: Sequence[str],
    at: int,
    form: Form,
    *,
    first_column: bool = False,
    shown: int = SHOWN,
) -> dict[str, Any]:
    """Of a matrix with a row a token: the row in focus, or all rows with that one framed."""
    column = slice(0, 1) if first_column else slice(None)
    if form == "vector":
        return {
            "values": values[at : at + 1, :shown],
            "rows": [labels[at]],
            "shape": (1, values.shape[1]),
            "frame": (slice(None), column) if first_column else None,
        }
    return {
        "values": values[:, :shown],
        "rows": labels,
        "shape": _shape(values),
        "frame": (slice(at, at + 1), column),
    }


def _before_after(
    focus: Focus,
    before: tuple[str, str, np.ndarray],
    after: tuple[str, str, np.ndarray],
    *,
    scale: Literal["signed", "weights"] = "signed",
    top: float | None = None,
) -> list[Matrix]:
    one = _scores if focus.form == "matrix" else _column
    return [
        replace(one(focus, *before), top=top),
        replace(one(focus, *after, scale=scale), top=top),
    ]


def _where_allowed(steps: HeadSteps) -> np.ndarray:
    """The weights, and nothing where the mask hides: that is more than a weight of 0."""
    allowed: np.ndarray = np.where(steps.may_attend, steps.weights, np.nan)
    return allowed


def _scores(
    focus: Focus,
    name: str,
    title: str,
    values: np.ndarray,
    *,
    scale: Literal["signed", "weights"] = "signed",
) -> Matrix:
    """Queries by keys, the cell in focus framed."""
    query, key = focus.query, focus.key
    return Matrix(
        name=name,
        title=title,
        values=values,
        rows=focus.query_labels,
        columns=focus.key_labels,
        scale=scale,
        frame=(slice(query, query + 1), slice(key, key + 1)),
    )


def _column(
    focus: Focus,
    name: str,
    title: str,
    values: np.ndarray,
    *,
    scale: Literal["signed", "weights"] = "signed",
) -> Matrix:
    """One number a key, for the query in focus."""
    return Matrix(
        name=name,
        title=title,
        values=values[focus.query][:, None],
        rows=focus.key_labels,
        scale=scale,
        frame=_row(focus.key),
    )


def _row(at: int) -> tuple[slice, slice]:
    return slice(at, at + 1), slice(None)


def _window(place: int, width: int) -> int:
    """Where to start so that `place` and what follows it is among the `SHOWN` columns."""
    return 0 if width <= SHOWN else min(place, width - SHOWN)


def _shape(values: np.ndarray) -> tuple[int, int]:
    return values.shape[0], values.shape[1]


def _name(labels: Sequence[str], at: int) -> str:
    """A word and its position; isolated, so that its direction leaves the sum around it alone."""
    return f"“\u2068{elide(labels[at])}\u2069” ({at})"


def _pair(focus: Focus) -> str:
    query, key = _name(focus.query_labels, focus.query), _name(focus.key_labels, focus.key)
    return f"{query} → {key}"


def _largest(row: np.ndarray, labels: Sequence[str]) -> str:
    at = int(row.argmax())
    alike = int(np.isclose(row, row[at], rtol=1e-6, atol=0.0).sum()) - 1
    others = f" (and {alike} more alike)" if alike else ""
    return f"{_name(labels, at)}, {signed_number(float(row[at]))}{others}"


P = TypeVar("P", Projection, Output)


def _required(part: P | None) -> P:
    if part is None:
        raise ValueError("this step needs an attention that makes its own q, k and v")
    return part
