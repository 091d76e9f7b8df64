"""Two heads of attention and their difference: three pictures of the same size."""

from typing import Final

import numpy as np
from jaxtyping import Float

from explorer.drawing.drawing import Cells, Drawing, Quantity
from explorer.drawing.grid import MANY, Grid, Side, max_abs, signed_colors
from explorer.figures.attention import Heads, query_and_key
from explorer.languages import numeral

MAX_NUMBERS: Final = 11  # keys: on a third of a page, the cells of more are too narrow for numbers
SAME: Final = 5e-4  # a difference below it is written as none
LEAST: Final = 0.1  # the scale's end, at least: what no cell writes is pale


def weights_panel(heads: Heads, head: int, *, kind: str, name: str) -> Drawing:
    """One head of one run."""
    digits = 2 if _has_numbers(heads.weights[head]) else None
    return _panel(heads.cells(head, kind, pair="side by side", digits=digits, name=name))


def difference_panel(difference: Float[np.ndarray, "query key"], heads: Heads) -> Drawing:
    """B − A, on a scale that is symmetric about 0; `heads` have its labels."""
    rows, columns = heads.names()
    texts = [list(map(_change, line)) for line in difference.tolist()]
    return _panel(
        Cells(
            values=difference,
            colors=signed_colors(top=max(LEAST, max_abs(difference))),
            hover=query_and_key(),
            tells=[Quantity("B − A", 4, plus="+")],
            pair="side by side",
            rows=rows,
            columns=columns,
            texts=texts if _has_numbers(difference) else None,
            name="difference",
        )
    )


def _has_numbers(values: np.ndarray) -> bool:
    return len(values.T) <= MAX_NUMBERS and len(values) <= MANY


def _panel(cells: Cells) -> Drawing:
    pitch, bar = (23, None) if _has_numbers(cells.values) else (None, "")
    return Grid([cells], Side(), Side(), height=260, pitch=pitch, bar=bar)


def _change(value: float) -> str:
    """A difference to one decimal; nothing where that would be 0."""
    return numeral(value, "+.1f") if abs(value) >= 0.05 else ""
