"""One query against every key, step by step, as a table with clickable rows."""

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
import streamlit as st

from explorer.analysis.head_steps import HeadSteps
from explorer.figures.arithmetic import signed_number
from explorer.figures.labels import elide
from explorer.figures.theme import Theme, evenly
from explorer.languages import numeral, tr
from explorer.names import AttentionKind
from explorer.ui.components.component import as_json
from explorer.ui.components.noted import note_table
from explorer.ui.components.table import show_table

STRIP: Final = 64  # cells of a strip: more could not be told apart
Cell = dict[str, Any] | str | None


def step_table(
    steps: HeadSteps,
    query: int,
    key: int,
    query_labels: Sequence[str],
    key_labels: Sequence[str],
    reasons: Sequence[str],
    theme: Theme,
    *,
    kind: AttentionKind | None,
    changed: HeadSteps | None = None,
    on_pick: Callable[[int], None],
) -> None:
    """Draw the table for `query`, with the row of `key` selected.

    `reasons` says why each key is hidden, or is empty for it; `changed` adds the scores and weights
    of a what-if; `on_pick` is called with the key of the selected row.
    """
    query_name = elide(query_labels[query])
    columns = [
        tr("key"),
        "k",
        "q·k",
        "÷ √d_k" if steps.divides and steps.bias is None else tr("score"),
        tr("mask"),
        "softmax",
        tr("weight × v"),
    ]
    start: list[Cell] | None = [
        tr("q of “{query}”", query=query_name), _strip(steps.q[query], steps.q), *[None] * 5
    ]  # fmt: skip
    total: list[Cell] = [
        tr("sum → context"),
        None,
        None,
        None,
        None,
        {"text": numeral(steps.weights[query].sum(), ".3f")},
        _strip(steps.context[query], *_addends(steps, query)),
    ]
    rows = _rows(steps, query, key_labels, reasons)
    if changed is not None:
        # These replace the vectors, for which there is no room.
        others = _rows(changed, query, key_labels, [""] * len(rows))
        columns = [tr("key"), *columns[2:6], tr("what if: score"), tr("what if: weight")]
        rows = [
            [row[0], *row[2:6], other[3], other[5]] for row, other in zip(rows, others, strict=True)
        ]
        start = None
        weight = numeral(changed.weights[query].sum(), ".3f")
        total = [tr("sum"), *total[2:6], None, {"text": weight}]
    data = as_json(
        {
            "css": "step-table",
            "header": columns,
            "query": start,
            "rows": rows,
            "total": total,
            "chosen": key,
            "caption": tr(
                "“{query}” (position {position}) against every key: violet is negative, gold "
                "positive. Click a row to see its numbers.",
                query=query_name,
                position=query,
            ),
            "scales": {
                "signed": evenly(theme.signed, 21),
                "weights": evenly(theme.weights(kind), 21),
            },
        }
    )

    def picked() -> None:
        on_pick(int(st.session_state.step_table.picked))

    show_table(key="step_table", data=data, on_picked_change=picked)
    note_table("step_table", "one-query", lambda: _numbers(steps, query, key_labels, reasons))


def _numbers(
    steps: HeadSteps, query: int, key_labels: Sequence[str], reasons: Sequence[str]
) -> list[list[object]]:
    """The table's numbers, for a file."""
    columns = (steps.dots[query], steps.scores[query], steps.weights[query])
    lines = zip(*(column.tolist() for column in columns), strict=True)
    return [
        [tr("position"), tr("key"), "q·k", tr("score"), tr("weight"), tr("hidden because")],
        *(
            [at, label, *numbers, reason]
            for at, (label, numbers, reason) in enumerate(
                zip(key_labels, lines, reasons, strict=True)
            )
        ),
    ]


def _rows(
    steps: HeadSteps, query: int, key_labels: Sequence[str], reasons: Sequence[str]
) -> list[list[Cell]]:
    dots, scores, weights = steps.dots[query], steps.scores[query], steps.weights[query]
    shares = steps.shares(query)
    largest = float(np.abs(dots).max()) or 1.0  # of both, to show what the division does
    return [
        [
            f"{at} · {elide(label)}",
            _strip(steps.k[at], steps.k),
            _signed(float(dots[at]), largest),
            _signed(float(scores[at]), largest),
            {"text": f"−∞ {reason}" if not allowed else "0", "quiet": True},
            {"text": numeral(weights[at], ".3f"), "at": float(weights[at]), "scale": "weights"},
            _strip(shares[at], *_addends(steps, query)),
        ]
        for at, (label, reason, allowed) in enumerate(
            zip(key_labels, reasons, steps.may_attend[query].tolist(), strict=True)
        )
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
