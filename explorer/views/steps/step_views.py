"""The view of each step of an attention: its matrices, the worked numbers and what changed."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Final, TypeVar

import numpy as np

from explorer.analysis.head_steps import Output, Projection
from explorer.drawing.labels import disambiguated
from explorer.figures.arithmetic import (
    signed_number,
    softmax_written_out,
    sum_of_products,
)
from explorer.figures.describe import weight_in_words
from explorer.figures.equation import Matrix
from explorer.languages import mark, numeral, sentences, side_by_side, tr, tr_n
from explorer.views.steps.focus import SHOWN, SHOWN_OF_X, Focus, named, plain

STEP_NAMES: Final = {
    # Translators: names on buttons, each with a short word for what the step does.
    "x": mark("x: input"),
    "qkv": mark("q k v: project"),
    "dots": mark("q·k: compare"),
    "scores": mark("÷ √d_k: scale"),
    "mask": mark("mask: hide"),
    "softmax": mark("softmax: share"),
    "context": mark("× v: mix"),
    "concat": mark("concat: join"),
    "out": mark("× W_O: output"),
}
STEPS: Final = tuple(STEP_NAMES)
BARE_STEPS: Final = STEPS[2:7]  # where q, k and v are given
_SAYS: Final = {
    "q": mark("q says what “{word}” looks for."),
    "k": mark("k says by what “{word}” is found: the more it is like q, the higher the score."),
    "v": mark("v is what “{word}” hands over, as far as it is looked at."),
}
FIRST_COLUMN: Final = (slice(None), slice(0, 1))


@dataclass(frozen=True, slots=True, kw_only=True)
class StepView:
    """One step, ready to show."""

    title: str
    formula: str  # LaTeX
    numbers: str  # the formula with the numbers of the query and key in focus
    changed: str  # since the previous step
    matrices: list[Matrix]
    signs: list[str]


def step_view(name: str, focus: Focus) -> StepView:
    """The step with this name, one of `STEPS`."""
    return _VIEWS[name](focus)


def _inputs(focus: Focus) -> StepView:
    x_query, x_key = _required(focus.steps.to_q).x, _required(focus.steps.to_k).x
    same = np.array_equal(x_query, x_key)
    vector = focus.form == "vector"
    title = tr("x of the query") if vector else tr("X of the queries")
    query = focus.of_queries("x_query", title, x_query, shown=SHOWN_OF_X)
    keys = focus.all_keys("x_key", tr("X of the keys"), x_key, shown=SHOWN_OF_X)
    shown = [signed_number(float(value)) for value in x_query[focus.query][:8]]
    if x_query.shape[1] > 8:
        shown.append("…")
    came_from = [focus.came_from]
    if same:
        came_from.append(tr("Queries and keys come from the same x: self-attention."))
    return StepView(
        title=tr("x: the input"),
        formula=r"x \in \mathbb{R}^{d_\text{model}}",
        numbers=tr(
            "x of {word} = ({numbers})", word=focus.named_query(), numbers=side_by_side(shown)
        ),
        changed=sentences(*came_from),
        matrices=[query, keys] if vector or not same else [keys],
        signs=[""],
    )


def _projections(focus: Focus) -> StepView:
    steps, which = focus.steps, focus.which
    part = _required({"q": steps.to_q, "k": steps.to_k, "v": steps.to_v}[which])
    asked = which == "q"
    labels, at = (focus.query_labels, focus.query) if asked else (focus.key_labels, focus.key)
    draw = partial(focus.of_queries, of_keys=not asked)
    letter, whole = which.upper(), focus.form == "matrix"
    x_title = "X" if whole else tr("x of {word}", word=disambiguated(labels)[at])
    product = f"x · W_{letter}{'' if part.b is None else ' + b'}"
    formula = rf"x\,W_{letter}" + ("" if part.b is None else f" + b_{letter}")
    name, rotated = letter if whole else which, []
    computed = tr("{vector}[0] of {word}", vector=which, word=named(labels, at))
    changes = [
        tr(
            "{before} numbers per word became {after}: this head's own view of it.",
            before=part.x.shape[1],
            after=part.out.shape[1],
        ),
        tr(_SAYS[which], word=disambiguated(labels)[at]),
    ]
    if part.rotated is not None:
        # Translators: turned by an angle.
        title = tr("{vectors}, turned", vectors=name)
        rotated = [draw(f"turned_{which}", title, part.rotated, shown=SHOWN_OF_X)]
        product = tr("{vectors}, turned", vectors=product)
        formula = rf"R_\text{{pos}}\,({formula})"
        computed = tr("{vector}[0] of {word} before turning", vector=which, word=named(labels, at))
        changes.append(
            tr(
                "Rotary positions turn each pair of numbers by an angle that grows with the word's "
                "position."
            )
        )
    matrix = tr("{matrix}, head {head}", matrix=f"W_{letter}", head=focus.head + 1)
    return StepView(
        title=f"{which} = {product}",
        formula=f"{which} = {formula}",
        numbers=f"{computed} = "
        + sum_of_products(
            part.x[at], part.w[:, 0], float(part.out[at, 0]), bias=_first(part.b), whole=focus.whole
        ),
        changed=sentences(*changes),
        matrices=[
            draw(f"x_{which}", x_title, part.x, shown=SHOWN_OF_X),
            plain(f"w_{which}", matrix, part.w, FIRST_COLUMN, shown=SHOWN_OF_X),
            draw(which, name, part.out, shown=SHOWN_OF_X, first_column=True),
            *rotated,
        ],
        signs=["×", "=" if part.b is None else "+ b =", *("→" for _ in rotated)],
    )


def _first(bias: np.ndarray | None) -> float | None:
    return None if bias is None else float(bias[0])


def _dots(focus: Focus) -> StepView:
    steps, query, key = focus.steps, focus.query, focus.key
    dots = steps.dots[query]
    changes = [
        tr_n(
            "The query against {n} key: one number per key.",
            "The query against {n} keys: one number per key.",
            len(steps.k),
        )
    ]
    changes.append(tr("The largest is {largest}.", largest=focus.largest(dots)))
    computed = tr("q·k for {pair}", pair=focus.pair())
    view = StepView(
        title="q · k",
        formula=r"Q K^\top",
        numbers=f"{computed} = "
        + sum_of_products(steps.q[query], steps.k[key], float(dots[key]), whole=focus.whole),
        changed=sentences(*changes),
        matrices=[
            focus.of_queries("q", "Q", steps.q),
            replace(
                plain(
                    "k_t", "Kᵀ", steps.k.T, (slice(None), slice(key, key + 1)), shown=len(steps.k)
                ),
                values=steps.k[:, :SHOWN].T,
                columns=focus.key_labels,
            ),
            focus.cells("dots", "Q Kᵀ", steps.dots),
        ],
        signs=["×", "="],
    )
    if focus.form == "matrix":
        return view
    return replace(
        view,
        title=tr("q · k, dimension by dimension"),
        formula=r"q \cdot k_j = \sum_{i=1}^{d_k} q_i\, k_{j,i}",
        matrices=[
            focus.all_keys("keys", "k", steps.k),
            focus.of_queries("q", "q", steps.q),
            focus.all_keys("products", "q ⊙ k", steps.products(query)),
            focus.cells("dots", tr("sum"), steps.dots),
        ],
        signs=["⊙", "=", "Σ"],
    )


def _scaled(focus: Focus) -> StepView:
    steps, query, key = focus.steps, focus.query, focus.key
    if steps.bias is not None or not steps.divides:
        return _biased(focus)
    d_k, divisor = steps.q.shape[1], steps.divisor
    before, after = steps.dots[query], steps.scores[query]
    dot, score = signed_number(float(before[key])), signed_number(float(after[key]))
    top = float(np.abs(steps.dots).max())  # one scale for both, to show what the division does
    usual = math.isclose(divisor, d_k**0.5)
    title = "÷ √d_k" if usual else f"÷ {numeral(divisor, '.3g')}"
    computed = tr("score for {pair}", pair=focus.pair())
    divided = f"{dot} ÷ {numeral(divisor, '.3f')} = {score}"
    changes = [
        tr(
            "The spread of the scores (standard deviation) went from {before:.3f} to {after:.3f}; "
            "their order is the same.",
            before=before.std(),
            after=after.std(),
        )
    ]
    if usual:
        numbers = f"{computed} = {dot} ÷ √{d_k} = {divided}"
        changes.append(
            tr(
                "A sum of {d_k} independent products would spread √{d_k} times as wide as one of "
                "them; dividing keeps an untrained softmax from getting sharper with d_k.",
                d_k=d_k,
            )
        )
    else:
        otherwise = tr("(what if: not ÷ √{d_k} = {root:.3f})", d_k=d_k, root=d_k**0.5)
        numbers = f"{computed} = {divided} {otherwise}"
    return StepView(
        title=title,
        formula=r"\text{score}_j = \frac{q \cdot k_j}{\sqrt{d_k}}",
        numbers=numbers,
        changed=sentences(*changes),
        matrices=[
            focus.cells("dots", "q·k", steps.dots, top=top),
            focus.cells("scores", tr("score"), steps.scores, top=top),
        ],
        signs=[f"{title} ="],
    )


def _biased(focus: Focus) -> StepView:
    """The scores of a model with a bias for every distance, or that does not divide (T5)."""
    steps, query, key = focus.steps, focus.query, focus.key
    dots, bias = steps.dots, steps.bias
    divides = steps.divides or steps.divisor != 1.0
    dot, score = (signed_number(float(part[query, key])) for part in (dots, steps.scores))
    divided = f" ÷ {numeral(steps.divisor, '.3f')}" if divides else ""
    added = "" if bias is None else f" + {signed_number(float(bias[query, key]))}"
    top = float(np.abs(dots / steps.divisor).max())
    matrices = [focus.cells("dots", f"q·k{divided}", dots / steps.divisor, top=top)]
    signs, changes = ["="], []
    if bias is not None:
        matrices.append(focus.cells("bias", tr("bias of the distance"), bias, top=top))
        signs = ["+", "="]
        changes.append(
            tr(
                "This model knows the order by this bias: a number for each distance between query "
                "and key."
            )
        )
    if not steps.divides:
        changes.append(tr("It does not divide by √d_k."))
    matrices.append(focus.cells("scores", tr("score"), steps.scores, top=top))
    computed = tr("score for {pair}", pair=focus.pair())
    fraction = r"\frac{q \cdot k_j}{c}" if divides else r"q \cdot k_j"
    return StepView(
        title=tr("score") if bias is None else tr("+ position"),
        formula=rf"\text{{score}}_j = {fraction}" + ("" if bias is None else r" + b_{j - i}"),
        numbers=f"{computed} = {dot}{divided}{added} = {score}",
        changed=sentences(*changes),
        matrices=matrices,
        signs=signs,
    )


def _masked(focus: Focus) -> StepView:
    steps, query, key = focus.steps, focus.query, focus.key
    hidden = int((~steps.may_attend[query]).sum())
    score = signed_number(float(steps.scores[query, key]))
    if steps.may_attend[query, key]:
        numbers = f"{score} + 0 = {score}"
        # Translators: this query may attend to this key.
        why = tr("may attend")
    else:
        numbers = f"{score} + (−∞) = −∞"
        why = focus.reasons[key]
    allowed, hides = tr("may attend"), tr("hidden")
    cases = rf"\text{{score}}_j & \text{{{allowed}}}\\ -\infty & \text{{{hides}}}"
    return StepView(
        title=tr("mask"),
        formula=rf"\text{{score}}_j \leftarrow \begin{{cases}}{cases}\end{{cases}}",
        numbers=f"{focus.pair()}: {numbers} ({why})",
        changed=tr_n(
            "{hidden} of {n} key is hidden from this query: its cell is hatched.",
            "{hidden} of {n} keys are hidden from this query: their cells are hatched.",
            len(steps.k),
            hidden=hidden,
        )
        if hidden
        else tr("Nothing is hidden from this query: all scores stay the same."),
        matrices=[
            focus.cells("scores", tr("score"), steps.scores),
            focus.cells("masked", tr("masked"), steps.masked),
        ],
        signs=[tr("+ mask =")],
    )


def _softmax(focus: Focus) -> StepView:
    steps, query, key = focus.steps, focus.query, focus.key
    weights = steps.weights[query]
    weight = tr("weight for {pair}", pair=focus.pair())
    quotient = softmax_written_out(steps.masked[query], key, float(weights[key]), whole=focus.whole)
    return StepView(
        title="softmax",
        formula=r"w_j = \frac{e^{\text{score}_j}}{\sum_i e^{\text{score}_i}}",
        numbers=f"{weight} = {quotient}",
        changed=tr(
            "Scores became weights with a sum of {sum:.3f}. The largest is {largest}.",
            sum=weights.sum(),
            largest=focus.largest(weights, weight_in_words),
        ),
        matrices=[focus.cells("masked", tr("masked"), steps.masked), focus.weights()],
        signs=["softmax →"],
    )


def _context(focus: Focus) -> StepView:
    steps, query = focus.steps, focus.query
    view = StepView(
        title=tr("weights × V"),
        formula=r"\text{context} = \text{weights} \cdot V",
        numbers=_context_written_out(focus),
        changed=tr_n(
            "{n} vector became one. The largest share is that of {largest}.",
            "{n} vectors became one. The largest share is that of {largest}.",
            n,
            largest=focus.largest(steps.kept[query], weight_in_words),
        )
        if (n := int(steps.may_attend[query].sum()))
        else tr("No vector is read: the context is 0."),
        matrices=[
            focus.kept_weights(whole_row=True),
            replace(focus.all_keys("v", "V", steps.v), frame=FIRST_COLUMN),
            focus.of_queries("context", tr("context"), steps.context, first_column=True),
        ],
        signs=["×", "="],
    )
    if focus.form == "matrix":
        return view
    return replace(
        view,
        title=tr("weight × v, then the sum"),
        formula=r"\text{context} = \sum_j w_j\, v_j",
        matrices=[
            focus.kept_weights(),
            focus.all_keys("v", "v", steps.v),
            focus.all_keys("shares", tr("weight × v"), steps.shares(query)),
            focus.of_queries("context", tr("context"), steps.context),
        ],
        signs=["×", "=", "Σ ="],
    )


def _context_written_out(focus: Focus) -> str:
    """The sum of the shares, and the head's context where it is switched off."""
    steps, query = focus.steps, focus.query
    shares, context = float(steps.shares(query)[:, 0].sum()), float(steps.context[query, 0])
    computed = tr("context[0] of {word}", word=focus.named_query())
    written = sum_of_products(steps.kept[query], steps.v[:, 0], shares, whole=focus.whole)
    lines = [f"{computed} = {written}"]
    if focus.dropout:
        lines.append(tr("Dropout set some of the weights to 0 and raised the others."))
    if steps.switched_off:
        number = signed_number(context)
        lines.append(tr("The head is switched off: its context is {number}.", number=number))
    return "\n".join(lines)


def _concat(focus: Focus) -> StepView:
    output = _required(focus.steps.output)
    concat = output.concat
    is_d_model = " = d_model" if concat.shape[1] == output.out.shape[1] else ""
    d_k, d_model = focus.steps.context.shape[1], concat.shape[1]
    own = focus.head * d_k
    first = 0 if d_model <= SHOWN else min(own, d_model - SHOWN)  # so that this head is visible
    places = slice(own - first, own - first + min(d_k, SHOWN))
    title = tr("concat, from dimension {first}", first=first) if first else "concat"
    drawn = focus.of_queries("concat", title, concat[:, first:])
    heads = tr_n("{n} head", "{n} heads", d_model // d_k)
    numbers = tr_n("{n} number", "{n} numbers", d_k)
    filled = tr(
        "Head {head} fills dimensions {first} to {last}.",
        head=focus.head + 1,
        first=own,
        last=own + d_k - 1,
    )
    changes = [tr("Nothing is computed: the contexts of all heads are put side by side.")]
    if focus.steps.switched_off:
        changes.append(tr("This head is switched off: its dimensions are 0."))
    return StepView(
        title=tr("heads side by side"),
        formula=r"\text{concat} = [\,\text{context}_1, \dots, \text{context}_h\,]",
        numbers=f"{heads} × {numbers} = {d_model}{is_d_model}. {filled}",
        changed=sentences(*changes),
        matrices=[
            replace(drawn, shape=(len(drawn.values), d_model), frame=(slice(None), places)),
        ],
        signs=[],
    )


def _output(focus: Focus) -> StepView:
    output, query = _required(focus.steps.output), focus.query
    concat, out = output.concat, output.out
    computed = tr("out[0] of {word}", word=focus.named_query())
    return StepView(
        title=f"out = concat · W_O{'' if output.b is None else ' + b'}",
        formula=r"\text{out} = \text{concat}\,W_O" + ("" if output.b is None else " + b_O"),
        numbers=f"{computed} = "
        + sum_of_products(
            concat[query],
            output.w[:, 0],
            float(out[query, 0]),
            bias=_first(output.b),
            whole=focus.whole,
        ),
        changed=tr(
            "Now every number mixes all heads. Vector length: {before:.3f} before, {after:.3f} "
            "after.",
            before=np.linalg.norm(concat[query]),
            after=np.linalg.norm(out[query]),
        ),
        matrices=[
            focus.of_queries("concat", "concat", concat, shown=SHOWN_OF_X),
            plain("w_o", "W_O", output.w, FIRST_COLUMN, shown=SHOWN_OF_X),
            focus.of_queries("out", "out", out, shown=SHOWN_OF_X, first_column=True),
        ],
        signs=["×", "=" if output.b is None else "+ b ="],
    )


_VIEWS: Final[dict[str, Callable[[Focus], StepView]]] = dict(
    zip(
        STEPS,
        (_inputs, _projections, _dots, _scaled, _masked, _softmax, _context, _concat, _output),
        strict=True,
    )
)
P = TypeVar("P", Projection, Output)


def _required(part: P | None) -> P:
    if part is None:
        raise ValueError("this step needs an attention that makes its own q, k and v")
    return part
