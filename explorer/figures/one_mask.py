"""One mask, large: its cells with their reasons, and what it makes of the scores of one row."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from jaxtyping import Float, UInt8

from explorer.drawing.drawing import VALUE, Cells, Drawing, Quantity, Scale
from explorer.drawing.grid import MANY, MOST, Grid, Side, signed_colors, weight_colors
from explorer.drawing.labels import label_room, row_labels, slanted_height, tick_labels
from explorer.drawing.theme import INK, SMALLEST_WEIGHT
from explorer.figures.describe import share_in_words
from explorer.figures.masks import reason_cells, reason_colors, reason_entries
from explorer.languages import mark, numeral, tr

HEIGHT: Final = 400  # pixels
FACTOR: Final = 0.4  # the size of a cell of a factor; a cell of the mask has 1
SPARE: Final = 10  # pixels beside a label, which a title above the last part does not need
GAP: Final = 0.09  # on each side of the sign =, as a share of the mask's width
COLUMNS: Final = (mark("score"), mark("mask"), mark("sum"), "softmax")
SIGNS: Final = ("+", "=", "→")


@dataclass(frozen=True, slots=True, kw_only=True)
class OneMask:
    """A mask of one sentence: codes 0 … 3, as in `REASON_NAMES`, and the words on its sides."""

    name: str
    kind: str
    codes: UInt8[np.ndarray, "query key"]
    query_labels: Sequence[str]
    key_labels: Sequence[str]
    writes: Sequence[str] | None = None  # by row of a decoder: the word it helps to write
    factors: Sequence[tuple[str, UInt8[np.ndarray, "query key"]]] = ()  # name and codes of each
    reasons: Sequence[int] = (0, 1, 2, 3)  # in the legend


def one_mask(mask: OneMask, cell: tuple[int, int]) -> Drawing:
    """The mask with one cell and its row framed; small beside it, its factor masks.

    `cell` is a query and a key.
    """
    n_queries, n_keys = mask.codes.shape
    rows = row_labels(mask.query_labels, mask.writes)
    columns = tick_labels(mask.key_labels)
    name = mask.name if mask.factors else ""
    whole = reason_cells(
        mask.codes, mask.kind, mask=name, rows=rows, columns=columns, name=mask.name
    )
    factors = _factors(mask)
    legend = reason_entries(mask.kind, mask.reasons)
    pitch = 12 if n_keys <= MANY else 9  # a dozen words fit a phone, and three dozen a laptop
    picture = Grid(
        [whole, *factors],
        Side(),
        Side(),
        height=HEIGHT,
        over=28,
        pitch=pitch,
        legend=legend,
        pad=(0.1, 0.1),
    )
    picture.title(whole, mask.name)
    over = max((label_room([name], size=11) for name, _ in mask.factors), default=0) - SPARE
    right = max(picture.room.right, (over - FACTOR * n_keys * pitch) // 2)
    picture.room = replace(picture.room, right=round(right))
    signs = [(n_keys - 0.5 + _gap(mask), (n_queries - 1) / 2, "=")]
    for at, part in enumerate(factors):
        title = f"<b>{part.name}</b>"
        picture.annotate(title, part.middle, part.edges[2], size=11, stands="above")
        if at:
            signs.append((part.middle, 0.46 * n_queries - 0.5, "×"))
    if mask.factors:
        for x, y, sign in signs:
            picture.annotate(f"<b>{sign}</b>", x, y, size=24)
    picture.frame((0, n_keys - 1), (cell[0], cell[0]))
    picture.frame((cell[1], cell[1]), (cell[0], cell[0]))
    return picture


def scores_to_weights(
    mask: OneMask,
    row: int,
    scores: Float[np.ndarray, " key"],
    weights: Float[np.ndarray, " key"],
    key: int,
) -> Drawing:
    """One row of the mask at work: score + mask = sum, whose softmax is the weight, key by key."""
    n_keys, codes = len(mask.key_labels), mask.codes[row]
    labels = tick_labels(mask.key_labels)
    hidden = codes > 0
    shown = [numeral(score, ".2f") for score in scores.tolist()]
    infinite = ["−∞"] * n_keys
    shares = [
        "0" if closed else share_in_words(weight)
        for closed, weight in zip(hidden, weights.tolist(), strict=True)
    ]
    signed = signed_colors(scores)
    blank = Scale([(0, INK.background), (1, INK.background)], 0, 1)
    reasons = reason_colors(mask.kind)
    closed, open_keys = np.where(hidden, codes, np.nan), np.where(hidden, np.nan, 0.0)
    drawn = np.where(hidden, 0, np.maximum(weights, SMALLEST_WEIGHT))
    parts = [
        _numbers(column, values, texts, scale, labels, hatched, exact)
        for column, values, texts, scale, hatched, exact in (
            (0, scores, shown, signed, None, scores),
            (1, closed, infinite, reasons, closed, -np.inf * closed),
            (1, open_keys, ["0"] * n_keys, blank, None, open_keys),
            (2, closed, infinite, reasons, closed, -np.inf * closed),
            (2, scores + open_keys, shown, signed, None, scores + open_keys),
            (3, drawn, shares, weight_colors(mask.kind), closed, weights),
        )
    ]
    picture = Grid(
        parts, Side(), Side(level=True), height=HEIGHT, under=32, pitch=64, pad=(0.05, 0.1)
    )
    # As the mask, whose columns are the rows here.
    slanted = slanted_height(label_room(labels, size=13 if n_keys <= MANY else 11))
    picture.room = replace(picture.room, top=min(MOST[1], round(slanted) + 6) + 28)
    for at, sign in enumerate(SIGNS):
        picture.annotate(f"<b>{sign}</b>", at + 0.5, 0, size=15, is_share=True, stands="above")
    picture.frame((0, len(COLUMNS) - 1), (key, key))
    return picture


def _gap(mask: OneMask) -> float:
    """From the edge of the mask to the middle of the sign that follows it."""
    return max(1.0, GAP * len(mask.key_labels))


def _factors(mask: OneMask) -> list[Cells]:
    """The factors of the mask, small, one below the other beside it."""
    n_queries, n_keys = len(mask.query_labels), len(mask.key_labels)
    return [
        reason_cells(
            codes,
            mask.kind,
            mask=name,
            rows=tick_labels(mask.query_labels),
            columns=tick_labels(mask.key_labels),
            beside="",
            x=n_keys - 0.5 + 2 * _gap(mask) + FACTOR / 2,
            y=at * (1 - FACTOR) * n_queries - 0.5 + FACTOR / 2,
            side=FACTOR,
            name=name,
        )
        for at, (name, codes) in enumerate(mask.factors)
    ]


def _numbers(
    column: int,
    values: np.ndarray,
    texts: Sequence[str],
    scale: Scale,
    rows: Sequence[str],
    hatched: np.ndarray | None,
    exact: np.ndarray,
) -> Cells:
    """A column of numbers, as they are drawn and as they are; where they are NaN, nothing is."""
    name = tr(COLUMNS[column])
    shown = [["" if np.isnan(cell) else text] for text, cell in zip(texts, values, strict=True)]
    return Cells(
        values=values[:, None],
        colors=scale,
        hidden=None if hatched is None else np.nan_to_num(hatched)[:, None],
        hover=[tr("key <b>%{y}</b>")],
        tells=[Quantity(values=shown, exact=exact[:, None], around=f"{name} {VALUE}")],
        rows=rows,
        columns=[f"<b>{name}</b>"],
        x=column,
        gap=2,
        texts=shown,
        size=12,
        name=name,
    )
