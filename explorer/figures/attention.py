"""Pictures of attention: one head large, or all heads at once.

Masked keys have their own colour, which tells a hidden key from a very small weight.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from jaxtyping import Bool, Float, Int

from explorer.drawing.drawing import Cells, Drawing, Quantity
from explorer.drawing.grid import HIDDEN, Grid, Side, few, weight_colors
from explorer.drawing.labels import row_labels, tick_labels
from explorer.drawing.theme import INK, SMALLEST_WEIGHT
from explorer.languages import tr
from explorer.names import PAD

HEIGHT: Final = 408  # pixels
GAP: Final = 0.12  # between two small pictures, as a share of their size


@dataclass(frozen=True, slots=True, kw_only=True)
class Heads:
    """The heads of one attention layer for one sentence pair."""

    weights: Float[np.ndarray, "heads query key"]  # NaN in a row that is not written yet
    scores: Float[np.ndarray, "heads query key"] | None
    may_attend: Bool[np.ndarray, "query key"]
    query_labels: Sequence[str]
    key_labels: Sequence[str]
    query_positions: Sequence[int] | None = None  # where some of the sentence is left out
    key_positions: Sequence[int] | None = None
    writes: Sequence[str] | None = None  # by row of a decoder: the word it helps to write
    row: str | None = None  # what one row is, if it is no query
    rows: str | None = None  # what all rows are, if they are no queries

    def drawn(self, head: int) -> Float[np.ndarray, "query key"]:
        """The weights for `weight_scale`: exactly 0 only where masked."""
        hidden_or_more = np.where(self.may_attend, SMALLEST_WEIGHT, 0.0)
        drawn: np.ndarray = np.maximum(self.weights[head], hidden_or_more)
        return drawn

    def hidden(self, kind: str) -> Int[np.ndarray, "query key"]:
        """Why a key is hidden, by the codes of `explorer.masks`; 0 where it is not."""
        queries = np.array(self.query_positions or range(len(self.query_labels)))
        keys = np.array(self.key_positions or range(len(self.key_labels)))
        future = (keys > queries[:, None]) & (kind == "decoder")
        is_pad = np.array([label == PAD for label in self.key_labels])
        # What is hidden, and not because it comes later, is PAD.
        codes: np.ndarray = np.where(self.may_attend, 0, future + 2 * (is_pad | ~future))
        codes[np.isnan(self.weights[0]).all(1)] = 1
        return codes

    def names(self) -> tuple[list[str], list[str]]:
        """The labels of its rows and columns."""
        return (
            row_labels(self.query_labels, self.writes, positions=self.query_positions),
            tick_labels(self.key_labels, positions=self.key_positions),
        )

    def cells(self, head: int, kind: str, top: float = 1.0, **more: Any) -> Cells:
        """The weights of one head; `top` is the weight with the strongest colour."""
        rows, columns = self.names()
        about: dict[str, Any] = {
            "pair": kind,
            "hover": query_and_key(self.row),
            "tells": [Quantity(tr("weight"), 4)],
            "rows": rows,
            "columns": columns,
            "name": str(head + 1),
        }
        colors, hidden = weight_colors(kind, top), self.hidden(kind)
        return Cells(values=self.drawn(head), colors=colors, hidden=hidden, **(about | more))


def one_head(
    heads: Heads,
    head: int,
    *,
    kind: str,
    top: float = 1.0,
    cell: tuple[int, int] | None = None,
    small: int | None = None,
) -> Drawing:
    """Weights of one head: query tokens on the rows, key tokens on the columns.

    `top` is the weight with the strongest colour; `kind` picks the hue of the titles; `cell`, a
    query and a key, is framed. A picture with a `small` height has neither numbers nor a colour
    bar; one with numbers needs none.
    """
    numbers = few(heads.weights[head]) and small is None
    tells = [Quantity(tr("weight"), 4)]
    if heads.scores is not None:
        tells.append(Quantity(tr("score"), 3, heads.scores[head].astype(np.float32)))
    digits = 2 if numbers else None
    cells = heads.cells(head, kind, top, reasons=why_masked(), tells=tells, digits=digits)
    looking = tr("queries: word read → word written") if heads.writes else tr("queries (looking)")
    rows, columns = (
        Side(title=title, title_color=INK.hue(kind))
        for title in (heads.rows or looking, tr("keys (looked at)"))
    )
    bar = None if numbers or small else tr("weight")
    picture = Grid([cells], rows, columns, height=small or HEIGHT, bar=bar)
    if cell is not None:
        picture.frame((cell[1], cell[1]), (cell[0], cell[0]))
    return picture


def query_and_key(row: str | None = None) -> list[str]:
    """The lines that name a cell's query, or what its `row` is, and its key."""
    query = tr("query <b>%{y}</b>") if row is None else f"{row} <b>%{{y}}</b>"
    return [query, tr("key <b>%{x}</b>")]


def all_heads(
    heads: Heads,
    focus: int,
    *,
    kind: str,
    top: float = 1.0,
    small: int | None = None,
) -> Drawing:
    """All heads as small pictures on one pair of axes; the head in focus is framed.

    A picture with a `small` height is narrower, too.
    """
    count, n_queries, n_keys = heads.weights.shape
    across = grid_width(count)
    step_x, step_y = n_keys * (1 + GAP), n_queries * (1 + GAP + 0.16)
    titles = [tr("head {head}", head=head + 1) for head in range(count)]
    parts = [
        heads.cells(
            head,
            kind,
            top,
            hover=[title, *query_and_key()],
            x=round((head % across) * step_x, 2),
            y=round((head // across) * step_y, 2),
            gap=0,
        )
        for head, title in enumerate(titles)
    ]
    pitch = max((40 if small else 80) / n_keys, 2)
    picture = Grid(
        parts, HIDDEN, HIDDEN, height=small or HEIGHT, over=22, pitch=pitch, pad=(0.2, 0.2)
    )
    picture.captions(titles, focus)
    return picture


def why_masked() -> list[str]:
    """By code of `explorer.masks`, why a cell is masked."""
    return ["", tr("masked: the key is in the future"), tr("masked: the key is PAD"),
            tr("masked: the key is in the future and is PAD")]  # fmt: skip


def grid_width(count: int) -> int:
    """The number of small pictures in a row."""
    return 8 if count > 16 else 4 if count > 4 else 2 if count > 1 else 1
