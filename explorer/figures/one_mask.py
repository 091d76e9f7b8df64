"""One mask, large: its cells with their reasons, and what it makes of the scores of one row."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from jaxtyping import Float, UInt8

from explorer.figures.drawing import Drawing, Picture
from explorer.figures.labels import label_room, row_labels, tick_labels
from explorer.figures.masks import flat_cells, reasons_legend
from explorer.figures.theme import SMALLEST_WEIGHT, Theme, axis, weight_scale
from explorer.languages import mark, numeral, tr

FACTOR: Final = 0.4  # the size of a cell of a factor; a cell of the mask has 1
GAP: Final = 0.09  # on each side of the sign =, as a share of the mask's width
COLUMNS: Final = (mark("score"), mark("mask"), mark("sum"), "softmax")
SIGNS: Final = ("+", "=", "→")


@dataclass(frozen=True, slots=True, kw_only=True)
class OneMask:
    """A mask of one sentence: codes 0 … 3, as in `REASON_NAMES`, and the words on its sides."""

    name: str
    codes: UInt8[np.ndarray, "query key"]
    query_labels: Sequence[str]
    key_labels: Sequence[str]
    writes: Sequence[str] | None = None  # by row of a decoder: the word it helps to write
    factors: Sequence[tuple[str, UInt8[np.ndarray, "query key"]]] = ()  # name and codes of each
    reasons: Sequence[int] = (0, 1, 2, 3)  # in the legend


def one_mask(mask: OneMask, cell: tuple[int, int], theme: Theme, *, height: int = 400) -> Drawing:
    """The mask with one cell and its row framed; small beside it, the masks it is a product of.

    `cell` is a query and a key.
    """
    n_queries, n_keys = mask.codes.shape
    numbered = max(n_queries, n_keys) <= 24
    size, room = (13, 17) if numbered else (11, 12) if n_keys <= 40 else (10, 11)
    rows = row_labels(mask.query_labels, mask.writes, theme)
    columns = tick_labels(mask.key_labels, theme)
    above = min(120, label_room(columns, size=size)) + 28
    right = _right_edge(mask)
    picture = Picture(
        theme,
        height=max(height, above + 34 + room * n_queries),
        left=min(200, label_room(rows, size=size)),
        right=8,
        top=above,
        bottom=30,
        cells=round(right + 0.5),
        cell_width=room,
    )
    # The mask is last, so that its name is that of the picture's newest trace.
    for at, (name, codes) in enumerate(mask.factors):
        _draw_factor(picture, mask, at, name, codes, theme)
    picture.heatmap(**flat_cells(mask.codes, theme, x0=0.0, y0=0.0, name=mask.name))
    picture.annotate(
        x=(n_keys - 1) / 2,
        y=1,
        yref="paper",
        yshift=above - 24,
        text=f"<b>{mask.name}</b>",
        yanchor="bottom",
        font={"size": 13},
    )
    _frame(picture, (-0.5, n_keys - 0.5), cell[0], theme.text, 2)
    _frame(picture, (cell[1] - 0.5, cell[1] + 0.5), cell[0], theme.text, 4)
    reasons_legend(picture, theme, mask.reasons)
    return picture.drawn(
        xaxis=axis(
            theme,
            side="top",
            tickangle=-90,
            tickvals=list(range(n_keys)),
            ticktext=columns,
            tickfont={"size": size, "color": theme.text},
            range=[-0.6, right],
        ),
        yaxis=axis(
            theme,
            tickvals=list(range(n_queries)),
            ticktext=rows,
            tickfont={"size": size, "color": theme.text},
            range=[n_queries - 0.4, -0.6],
        ),
        uirevision=f"{mask.name} {n_queries}×{n_keys}",
    )


def clicked_cell(mask: OneMask, point: dict[str, Any]) -> tuple[int, int]:
    """The query and the key of a click, on the mask or on one of its factors."""
    names = [name for name, _ in mask.factors]
    if point["name"] not in names:
        return round(point["y"]), round(point["x"])
    x0, y0 = _place(mask, names.index(str(point["name"])))
    return round((point["y"] - y0) / FACTOR), round((point["x"] - x0) / FACTOR)


def scores_to_weights(
    mask: OneMask,
    row: int,
    scores: Float[np.ndarray, " key"],
    weights: Float[np.ndarray, " key"],
    key: int,
    theme: Theme,
    *,
    height: int = 400,
) -> Drawing:
    """One row of the mask at work: score + mask = sum, whose softmax is the weight, key by key."""
    n_keys, codes = len(mask.key_labels), mask.codes[row]
    labels = tick_labels(mask.key_labels, theme)
    hidden = codes > 0
    top = float(np.abs(scores).max(initial=0.0)) or 1.0
    room = 18 if n_keys <= 24 else 15
    above = min(120, label_room(labels)) + 28  # as the mask, whose columns are the rows here
    picture = Picture(
        theme,
        height=max(height, above + 34 + room * n_keys),
        left=min(150, label_room(labels)),
        right=8,
        top=above,
        bottom=30,
        cells=len(COLUMNS),
        cell_width=64,
    )
    signed: dict[str, Any] = {"colorscale": theme.signed, "zmin": -top, "zmax": top}
    shown = [numeral(score, ".2f").replace("-", "−") for score in scores.tolist()]
    infinite = ["−∞"] * n_keys
    shares = [
        "0" if closed else numeral(weight, ".2f")
        for closed, weight in zip(hidden, weights, strict=True)
    ]
    flat = flat_cells(codes[:, None], theme, x0=1.0, y0=0.0, name="")
    reasons = {name: flat[name] for name in ("colorscale", "zmin", "zmax")}
    blank = {"colorscale": [(0, theme.background), (1, theme.background)], "zmin": 0, "zmax": 1}
    closed, open_keys = np.where(hidden, codes, np.nan), np.where(hidden, np.nan, 0.0)
    drawn = np.where(hidden, 0, np.maximum(weights, SMALLEST_WEIGHT))
    _numbers(picture, 0, scores, shown, **signed)
    _numbers(picture, 1, closed, infinite, **reasons)
    _numbers(picture, 1, open_keys, ["0"] * n_keys, **blank)
    _numbers(picture, 2, closed, infinite, **reasons)
    _numbers(picture, 2, scores + open_keys, shown, **signed)
    _numbers(picture, 3, drawn, shares, colorscale=weight_scale(theme), zmin=0.0, zmax=1.0)
    for at, sign in enumerate(SIGNS):
        picture.annotate(
            x=at + 0.5, y=1, yref="paper", yanchor="bottom", text=f"<b>{sign}</b>",
            font={"size": 15, "color": theme.text},
        )  # fmt: skip
    _frame(picture, (-0.5, 3.5), key, theme.text, 3)
    return picture.drawn(
        xaxis=axis(
            theme,
            side="top",
            tickvals=list(range(len(COLUMNS))),
            ticktext=[f"<b>{tr(name)}</b>" for name in COLUMNS],
            tickfont={"size": 12, "color": theme.text},
            range=[-0.55, len(COLUMNS) - 0.45],
        ),
        yaxis=axis(theme, tickvals=list(range(n_keys)), ticktext=labels,
                   range=[n_keys - 0.4, -0.6]),
        uirevision=f"{n_keys}",
    )  # fmt: skip


def _place(mask: OneMask, at: int) -> tuple[float, float]:
    """The centre of a factor's first cell: the factors stand one below the other."""
    n_queries, n_keys = len(mask.query_labels), len(mask.key_labels)
    x0 = n_keys - 0.5 + 2 * max(1.0, GAP * n_keys) + FACTOR / 2
    return x0, at * (1 - FACTOR) * n_queries - 0.5 + FACTOR / 2


def _right_edge(mask: OneMask) -> float:
    n_keys = len(mask.key_labels)
    if not mask.factors:
        return n_keys - 0.4
    return _place(mask, 0)[0] + FACTOR * (n_keys - 0.5) + 0.1


def _draw_factor(
    picture: Picture, mask: OneMask, at: int, name: str, codes: np.ndarray, theme: Theme
) -> None:
    """A factor of the mask, small; before it, the sign that leads to it."""
    n_queries, n_keys = codes.shape
    x0, y0 = _place(mask, at)
    labels = [
        [f"{query} → {key}" for key in tick_labels(mask.key_labels, theme)]
        for query in tick_labels(mask.query_labels, theme)
    ]
    flat = flat_cells(codes, theme, x0=x0, y0=y0, name=name, pairs=labels)
    gap = int(n_keys <= 16)
    picture.heatmap(**flat | {"dx": FACTOR, "dy": FACTOR, "xgap": gap, "ygap": gap})
    middle = x0 + FACTOR * (n_keys - 1) / 2
    picture.annotate(
        x=middle, y=y0 - FACTOR / 2, text=f"<b>{name}</b>", yanchor="bottom", font={"size": 12}
    )
    if at:
        x, y, sign = middle, (n_queries - 1) / 2 - 0.04 * n_queries, "×"
    else:
        x, y, sign = n_keys - 0.5 + max(1.0, GAP * n_keys), (n_queries - 1) / 2, "="
    picture.annotate(x=x, y=y, text=f"<b>{sign}</b>", font={"size": 24})


def _numbers(
    picture: Picture, column: int, values: np.ndarray, texts: Sequence[str], **scale: object
) -> None:
    """A column of numbers; nothing is drawn where the value is NaN."""
    name = tr(COLUMNS[column])
    picture.heatmap(
        z=np.asarray(values, np.float32)[:, None],
        text=[[text if cell == cell else ""] for text, cell in zip(texts, values, strict=True)],
        texttemplate="%{text}",
        textfont={"size": 12},
        x0=float(column),
        dx=1,
        showscale=False,
        hoverongaps=False,
        xgap=4,
        ygap=1,
        name=name,
        hovertemplate=tr("key <b>%{y}</b>") + f"<br>{name} %{{text}}<extra></extra>",
        **scale,
    )


def _frame(picture: Picture, across: tuple[float, float], row: int, color: str, width: int) -> None:
    picture.draw(
        type="rect", x0=across[0], x1=across[1], y0=row - 0.5, y1=row + 0.5,
        line={"color": color, "width": width},
    )  # fmt: skip
