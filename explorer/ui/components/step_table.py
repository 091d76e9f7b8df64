"""One query against every key, step by step, as a table with clickable rows."""

from dataclasses import replace
from typing import Any, Final

import numpy as np

from explorer.analysis.head_steps import HeadSteps
from explorer.choices.parameters import Look
from explorer.drawing.labels import disambiguated, elide
from explorer.figures.arithmetic import signed_number
from explorer.figures.describe import weight_in_words
from explorer.languages import numbered, numeral, tr
from explorer.ui.components.component import theme_here
from explorer.ui.components.table import show_table
from explorer.ui.controls.choices import choose_clicked
from explorer.ui.taking.noted import note_rows
from explorer.views.steps.focus import Focus

STRIP: Final = 64  # cells of a strip: more could not be told apart
Cell = dict[str, Any] | str | None


def step_table(focus: Focus, changed: HeadSteps | None) -> None:
    """Draw the table for the query in focus, with the row of its key selected.

    `changed` adds the scores and weights of a what-if. A click on a row puts its key into focus.
    """
    theme, kind = theme_here(), None if focus.layer is None else focus.kind
    shown = _content(focus) if changed is None else _beside(focus, changed)
    caption = tr(
        "“{query}” (position {position}) against every key: violet is negative, gold positive.",
        query=elide(focus.query_labels[focus.query]),
        position=focus.query,
    )
    scales = {"signed": theme.signed, "weights": theme.weights(kind)}
    data = {"css": "step-table", "chosen": focus.key, "caption": caption, "scales": scales}

    def picked(row: Any) -> None:
        choose_clicked(Look.key, int(row))

    show_table(key="step_table", data=shown | data, on={"picked": picked})
    note_rows("step_table", "one-query", lambda: _numbers(focus))


def _content(focus: Focus) -> dict[str, Any]:
    steps, query = focus.steps, focus.query
    scaled = "÷ √d_k" if steps.divides and steps.bias is None else tr("score")
    begins = tr("q of “{query}”", query=disambiguated(focus.query_labels)[query])
    weight = {"text": numeral(steps.weights[query].sum(), ".4f")}
    context = _strip(steps.context[query], *_addends(steps, query))
    return {
        "header": [tr("key"), "k", "q·k", scaled, tr("mask"), "softmax", tr("weight × v")],
        "query": [begins, _strip(steps.q[query], steps.q), *[None] * 5],
        "rows": _rows(focus),
        "total": [tr("sum → context"), *[None] * 4, weight, context],
    }


def _beside(focus: Focus, changed: HeadSteps) -> dict[str, Any]:
    """The same with the changed scores and weights, in place of the vectors: there is no room."""
    own, others = _content(focus), _rows(replace(focus, steps=changed))
    weight = {"text": numeral(changed.weights[focus.query].sum(), ".4f")}
    return {
        "header": [tr("key"), *own["header"][2:6], tr("what if: score"), tr("what if: weight")],
        "query": None,
        "rows": [
            [row[0], *row[2:6], other[3], other[5]]
            for row, other in zip(own["rows"], others, strict=True)
        ],
        "total": [tr("sum"), *own["total"][2:6], None, weight],
    }


def _numbers(focus: Focus) -> list[list[object]]:
    """The table's numbers, for a file."""
    steps, query = focus.steps, focus.query
    columns = (steps.dots[query], steps.scores[query], steps.weights[query])
    lines = zip(*(column.tolist() for column in columns), strict=True)
    return [
        [tr("position"), tr("key"), "q·k", tr("score"), tr("weight"), tr("hidden because")],
        *(
            [at, label, *numbers, reason]
            for at, (label, numbers, reason) in enumerate(
                zip(focus.key_labels, lines, focus.reasons, strict=True)
            )
        ),
    ]


def _rows(focus: Focus) -> list[list[Cell]]:
    steps, query = focus.steps, focus.query
    dots, scores, weights = steps.dots[query], steps.scores[query], steps.weights[query]
    shares = steps.shares(query)
    largest = float(np.abs(dots).max()) or 1.0  # of both, to show what the division does
    return [
        [
            numbered(at, elide(label)),
            _strip(steps.k[at], steps.k),
            _signed(float(dots[at]), largest),
            _signed(float(scores[at]), largest),
            {"text": f"−∞ {reason}" if reason else "0", "quiet": True},
            {
                "text": weight_in_words(float(weights[at])),
                "at": float(weights[at]),
                "scale": "weights",
            },
            _strip(shares[at], *_addends(steps, query)),
        ]
        for at, (label, reason) in enumerate(zip(focus.key_labels, focus.reasons, strict=True))
    ]


def _addends(steps: HeadSteps, query: int) -> tuple[np.ndarray, np.ndarray]:
    """The values of the last column: the shares and their sum, on one scale."""
    return steps.shares(query), steps.context[query]


def _signed(value: float, largest: float) -> Cell:
    at = min(1.0, max(0.0, 0.5 + 0.5 * value / largest))
    return {"text": signed_number(value), "at": round(at, 3), "scale": "signed"}


def _strip(values: np.ndarray, *among: np.ndarray) -> Cell:
    """A vector in whole percent of the largest number in `among`."""
    largest = max(float(np.abs(array).max()) for array in among) or 1.0
    return {"strip": np.rint(100 * values[:STRIP] / largest).astype(int).tolist()}
