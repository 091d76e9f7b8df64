"""Two heads of attention and their difference: three pictures of the same size."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from jaxtyping import Float

from explorer.drawing.drawing import Cells, Drawing, Quantity, Room, Scale
from explorer.drawing.grid import Grid, Side, max_abs, signed_colors, weight_colors
from explorer.drawing.labels import label_room, slanted_height
from explorer.figures.attention import Heads, query_and_key
from explorer.languages import numeral, tr

MAX_NUMBERS: Final = 11  # keys, beyond which the cells are too narrow for numbers


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """The labels of a picture, and the room that all three of them leave for theirs."""

    rows: Sequence[str]
    columns: Sequence[str]
    room: Room


def frames(sides: Sequence[Heads]) -> list[Frame]:
    """A frame for every picture; they have one size, so that nothing moves from one to the next."""
    labelled = [heads.names() for heads in sides]
    left = min(150, max(label_room(rows, size=11) for rows, _ in labelled)) + 6
    longest = max(label_room(columns, size=11) for _, columns in labelled)
    top = min(110, round(slanted_height(longest))) + 12
    most = max(len(rows) for rows, _ in labelled)
    room = Room(left=left, right=48, top=top, down=max(160, most * (20 if most <= 24 else 12)))
    return [Frame(rows=rows, columns=columns, room=room) for rows, columns in labelled]


def weights_panel(heads: Heads, head: int, frame: Frame, *, kind: str, name: str) -> Drawing:
    """One head of one run."""
    more: dict[str, Any] = {"hidden": heads.hidden(kind), "name": name}
    told = Quantity(tr("weight"), 4)
    return _panel(heads.drawn(head), weight_colors(kind), frame, told, digits=2, **more)


def difference_panel(difference: Float[np.ndarray, "query key"], frame: Frame) -> Drawing:
    """B − A, on a scale that is symmetric about 0."""
    text = [list(map(_change, line)) for line in difference.tolist()]
    told, scale = Quantity("B − A", 4, plus="+"), signed_colors(top=max_abs(difference))
    return _panel(difference, scale, frame, told, texts=text, name="difference")


def _panel(
    values: np.ndarray,
    scale: Scale,
    frame: Frame,
    told: Quantity,
    *,
    digits: int | None = None,
    texts: Sequence[Sequence[str]] | None = None,
    **more: Any,
) -> Drawing:
    n_rows, n_columns = values.shape
    numbers = n_columns <= MAX_NUMBERS and n_rows <= 24
    cells = Cells(
        values=values,
        colors=scale,
        hover=query_and_key(),
        tells=[told],
        pair="side by side",
        rows=frame.rows,
        columns=frame.columns,
        gap=(int(n_columns <= 40), int(n_rows <= 40)),
        digits=digits if numbers else None,
        texts=texts if numbers else None,
        size=10,
        **more,
    )
    side = Side(size=11)
    room = replace(frame.room, across=n_columns * (23 if numbers else 12))
    return Grid([cells], side, side, room, bar="")


def _change(value: float) -> str:
    """A difference to one decimal; nothing where that would be 0."""
    return numeral(value, "+.1f") if abs(value) >= 0.05 else ""
