"""Pictures of attention: one head large, or all heads at once.

Masked keys have their own colour, which tells a hidden key from a very small weight.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from jaxtyping import Bool, Float

from explorer.figures.drawing import Drawing, Picture
from explorer.figures.labels import PAD, label_room, row_labels, tick_labels
from explorer.figures.theme import SMALLEST_WEIGHT, Theme, axis, color_bar, weight_scale
from explorer.languages import tr

GAP: Final = 0.12  # between two small pictures, as a share of their size


@dataclass(frozen=True, slots=True, kw_only=True)
class Heads:
    """The heads of one attention layer for one sentence pair."""

    weights: Float[np.ndarray, "heads query key"]
    scores: Float[np.ndarray, "heads query key"] | None
    may_attend: Bool[np.ndarray, "query key"]
    query_labels: Sequence[str]
    key_labels: Sequence[str]
    query_positions: Sequence[int] | None = None  # where some of the sentence is left out
    key_positions: Sequence[int] | None = None
    writes: Sequence[str] | None = None  # by row of a decoder: the word it helps to write

    def drawn(self, head: int) -> Float[np.ndarray, "query key"]:
        """The weights for `weight_scale`: exactly 0 only where masked."""
        hidden_or_more = np.where(self.may_attend, SMALLEST_WEIGHT, 0.0)
        drawn: np.ndarray = np.maximum(self.weights[head], hidden_or_more).astype(np.float32)
        return drawn


def one_head(
    heads: Heads,
    head: int,
    theme: Theme,
    *,
    kind: str,
    top: float = 1.0,
    cell: tuple[int, int] | None = None,
    height: int = 408,
    compact: bool = False,
    row: str | None = None,
    row_title: str | None = None,
) -> Drawing:
    """Weights of one head: query tokens on the rows, key tokens on the columns.

    `top` is the weight with the strongest colour; `kind` picks the hue of the titles; `cell`, a
    query and a key, is framed. A `compact` picture has neither numbers nor a colour bar. If the
    rows are not queries, `row` names one of them and `row_title` all of them.
    """
    n_queries, n_keys = len(heads.query_labels), len(heads.key_labels)
    rows = row_labels(heads.query_labels, heads.writes, theme, positions=heads.query_positions)
    columns = tick_labels(heads.key_labels, theme, positions=heads.key_positions)
    longest = max(n_queries, n_keys)
    numbers = longest <= 16 and not compact
    size, cell_width = (13, 13) if longest <= 24 else (11, 11) if longest <= 40 else (10, 11)
    left = min(225 if heads.writes else 190, label_room(rows, size=size)) + 24
    above = min(130, label_room(columns, size=size)) + 26
    picture = Picture(
        theme,
        height=max(height, above + 10 + n_queries * cell_width),
        left=left,
        right=10 if compact else 76,
        top=above,
        bottom=10,
        cells=n_keys,
        cell_width=27 if numbers else cell_width,
    )
    hidden = None if heads.may_attend.all() else _why_masked(heads, kind)
    picture.heatmap(
        z=heads.drawn(head),
        text=hidden,
        customdata=None if heads.scores is None else heads.scores[head].astype(np.float32),
        colorscale=weight_scale(theme),
        zmin=0.0,
        zmax=top,
        xgap=int(longest <= 40),
        ygap=int(longest <= 40),
        texttemplate="%{z:.2f}" if numbers else None,
        textfont={"size": 11 if longest <= 12 else 10},
        hovertemplate=(tr("query <b>%{y}</b>") if row is None else f"{row} <b>%{{y}}</b>")
        + "<br>"
        + tr("key <b>%{x}</b>")
        + "<br>"
        + tr("weight %{z:.4f}")
        + ("" if heads.scores is None else "<br>" + tr("score %{customdata:.3f}"))
        + ("" if hidden is None else "%{text}")
        + "<extra></extra>",
        showscale=not compact,
        colorbar=color_bar(theme, tr("weight")),
        name=str(head + 1),
    )
    if cell is not None:
        query, key = cell
        picture.draw(
            type="rect",
            x0=key - 0.5,
            x1=key + 0.5,
            y0=query - 0.5,
            y1=query + 0.5,
            line={"color": theme.hue(kind), "width": 3},
        )
    title = {"size": 13, "color": theme.hue(kind)}
    return picture.drawn(
        xaxis=axis(
            theme,
            tickvals=list(range(n_keys)),
            ticktext=columns,
            tickangle=-90,
            tickfont={"size": size, "color": theme.text},
            side="top",
            title={"text": tr("keys (looked at)"), "font": title, "standoff": 6},
        ),
        yaxis=axis(
            theme,
            tickvals=list(range(n_queries)),
            ticktext=rows,
            tickfont={"size": size, "color": theme.text},
            autorange="reversed",
            title={
                "text": tr("queries (looking)") if row_title is None else row_title,
                "font": title,
                "standoff": 6,
            },
        ),
        uirevision=f"{n_queries}×{n_keys}",
    )


def all_heads(
    heads: Heads,
    focus: int,
    theme: Theme,
    *,
    kind: str,
    top: float = 1.0,
    height: int = 408,
    cell_width: int = 80,
) -> Drawing:
    """All heads as small pictures on one pair of axes; the head in focus is framed."""
    count, n_queries, n_keys = heads.weights.shape
    across = grid_width(count)
    down = math.ceil(count / across)
    step_x, step_y = n_keys * (1 + GAP), n_queries * (1 + GAP) + n_queries * 0.16
    picture = Picture(
        theme, height=height, left=2, right=2, top=22, bottom=2, cells=across, cell_width=cell_width
    )
    x_ticks: dict[float, str] = {}
    y_ticks: dict[float, str] = {}
    rows = row_labels(heads.query_labels, heads.writes, theme, positions=heads.query_positions)
    columns = tick_labels(heads.key_labels, theme, positions=heads.key_positions)
    about = tr("query <b>%{y}</b>"), tr("key <b>%{x}</b>"), tr("weight %{z:.4f}")
    for head in range(count):
        named = tr("head {head}", head=head + 1)
        x0, y0 = round((head % across) * step_x, 2), round((head // across) * step_y, 2)
        x, y = x0 + np.arange(n_keys), y0 + np.arange(n_queries)
        x_ticks |= dict(zip(x.tolist(), columns, strict=True))
        y_ticks |= dict(zip(y.tolist(), rows, strict=True))
        picture.heatmap(
            z=heads.drawn(head),
            x0=x0,
            y0=y0,
            dx=1,
            dy=1,
            colorscale=weight_scale(theme),
            zmin=0.0,
            zmax=top,
            showscale=False,
            hovertemplate="<br>".join([named, *about]) + "<extra></extra>",
            name=str(head + 1),
        )
        in_focus = head == focus
        picture.annotate(
            x=x0 - 0.5,
            y=y0 - 0.5,
            text=f"<b>{named}</b>" if in_focus else named,
            font={"size": 12, "color": theme.hue(kind) if in_focus else theme.muted},
            xanchor="left",
            yanchor="bottom",
            yshift=1,
        )
        if in_focus:
            picture.draw(
                type="rect",
                x0=x0 - 0.5,
                x1=x0 + n_keys - 0.5,
                y0=y0 - 0.5,
                y1=y0 + n_queries - 0.5,
                line={"color": theme.hue(kind), "width": 3},
            )
    return picture.drawn(
        xaxis=axis(
            theme,
            tickvals=list(x_ticks),
            ticktext=list(x_ticks.values()),
            showticklabels=False,
            range=[-0.7, (across - 1) * step_x + n_keys - 0.3],
        ),
        yaxis=axis(
            theme,
            tickvals=list(y_ticks),
            ticktext=list(y_ticks.values()),
            showticklabels=False,
            range=[(down - 1) * step_y + n_queries - 0.3, -0.7],
        ),
        uirevision=f"{count}×{n_queries}×{n_keys}",
    )


def _why_masked(heads: Heads, kind: str) -> list[list[str]]:
    """For every cell the line of its hover text that says why it is masked; empty if it is not."""
    queries = heads.query_positions or range(len(heads.query_labels))
    keys = heads.key_positions or range(len(heads.key_labels))
    return [
        [
            "" if allowed else _why(label == PAD, kind == "decoder" and key > query)
            for allowed, label, key in zip(row, heads.key_labels, keys, strict=True)
        ]
        for row, query in zip(heads.may_attend.tolist(), queries, strict=True)
    ]


def _why(is_pad: bool, is_future: bool) -> str:
    if is_pad and is_future:
        return "<br>" + tr("masked: the key is in the future and is PAD")
    if is_future:
        return "<br>" + tr("masked: the key is in the future")
    return "<br>" + (tr("masked: the key is PAD") if is_pad else tr("masked"))


def grid_width(count: int) -> int:
    """The number of small pictures in a row."""
    return 8 if count > 16 else 4 if count > 4 else 2 if count > 1 else 1
