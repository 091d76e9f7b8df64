"""Two heads of attention and their difference: three pictures of the same size."""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from jaxtyping import Float

from explorer.drawing.drawing import Cells, Drawing, Quantity, Scale
from explorer.drawing.grid import MANY, Grid, Side, max_abs, signed_colors, weight_colors
from explorer.figures.attention import Heads, query_and_key
from explorer.languages import numeral, tr

MAX_NUMBERS: Final = 11  # keys: on a third of a page, the cells of more are too narrow for numbers
SAME: Final = 5e-4  # a difference below it is written as none


def weights_panel(heads: Heads, head: int, *, kind: str, name: str) -> Drawing:
    """One head of one run."""
    more: dict[str, Any] = {"hidden": heads.hidden(kind), "name": name}
    told = Quantity(tr("weight"), 4)
    return _panel(heads, heads.drawn(head), weight_colors(kind), told, digits=2, **more)


def difference_panel(difference: Float[np.ndarray, "query key"], heads: Heads) -> Drawing:
    """B − A, on a scale that is symmetric about 0; `heads` have its labels."""
    text = [list(map(_change, line)) for line in difference.tolist()]
    largest = max_abs(difference)
    scale = signed_colors(top=1.0 if largest < SAME else largest)
    told = Quantity("B − A", 4, plus="+")
    return _panel(heads, difference, scale, told, texts=text, name="difference")


def _panel(
    heads: Heads,
    values: np.ndarray,
    scale: Scale,
    told: Quantity,
    *,
    digits: int | None = None,
    texts: Sequence[Sequence[str]] | None = None,
    **more: Any,
) -> Drawing:
    n_rows, n_columns = values.shape
    numbers = n_columns <= MAX_NUMBERS and n_rows <= MANY
    rows, columns = heads.names()
    cells = Cells(
        values=values,
        colors=scale,
        hover=query_and_key(),
        tells=[told],
        pair="side by side",
        rows=rows,
        columns=columns,
        digits=digits if numbers else None,
        texts=texts if numbers else None,
        **more,
    )
    return Grid([cells], Side(), Side(), height=260, pitch=23 if numbers else None, bar="")


def _change(value: float) -> str:
    """A difference to one decimal; nothing where that would be 0."""
    return numeral(value, "+.1f") if abs(value) >= 0.05 else ""
