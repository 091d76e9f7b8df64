"""Pictures of batches of ids: one row per sentence, one column per position."""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from jaxtyping import Int

from explorer.drawing.drawing import Cells, Drawing, Quantity
from explorer.drawing.grid import Grid, Side, steps
from explorer.drawing.labels import elide, escape
from explorer.drawing.theme import INK
from explorer.languages import tr
from explorer.names import PAD

QUIET: Final = Side(color=INK.muted)  # of position numbers


def ids_heatmap(
    ids: Int[np.ndarray, "batch length"],
    labels: Sequence[Sequence[str]],
    *,
    words: bool = True,
) -> Drawing:
    """A cell for every token, with token and id if there is room; PAD is hatched."""
    batch, length = ids.shape
    many = length > 40 and not words
    named = [
        list(zip(line, row, strict=True)) for line, row in zip(labels, ids.tolist(), strict=True)
    ]
    texts = [
        [tr("{token}, id {number}", token=escape(word), number=number) for word, number in line]
        for line in named
    ]
    cells = Cells(
        **token_cells(labels),
        hover=[tr("%{y}, position %{x}")],
        tells=[Quantity(tr("token"), values=texts)],
        rows=sentences(batch),
        columns=list(map(str, range(length))),
        gap=0 if many else 2,
        texts=None
        if many
        else [[id_text(*token, words=words) for token in line] for line in named],
        size=12,
    )
    return Grid([cells], QUIET, QUIET)


def sentences(count: int) -> list[str]:
    """The names of the sentences of a batch."""
    return [tr("sentence {number}", number=row) for row in range(1, count + 1)]


def id_text(token: str, number: int, *, words: bool) -> str:
    """A token and its id."""
    if not words or token == str(number):
        return f"<b>{number}</b>"
    return f"{escape(elide(token))}<br><b>{number}</b>"


def token_cells(labels: Sequence[Sequence[str]]) -> dict[str, Any]:
    """The fields of `Cells` that show tokens: all alike, because a colour would mean nothing."""
    is_pad = np.array([[label == PAD for label in line] for line in labels])
    return {
        "values": is_pad.astype(np.uint8),
        "colors": steps((INK.amounts[1][1], INK.masked)),
        "hidden": 2 * is_pad,  # the code of PAD in `explorer.masks`
        "alike": labels,
    }
