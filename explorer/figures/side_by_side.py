"""Two heads of attention and their difference: three pictures of the same size."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from jaxtyping import Float

from explorer.figures.attention import Heads
from explorer.figures.drawing import Drawing, Picture
from explorer.figures.labels import label_room, row_labels, tick_labels
from explorer.figures.theme import Theme, axis, color_bar, weight_scale
from explorer.languages import numeral, tr

MOST_NUMBERS: Final = 11  # keys, beyond which the cells are too narrow for numbers


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """The labels of a picture, and the room that all three of them leave for theirs."""

    rows: Sequence[str]
    columns: Sequence[str]
    left: int
    top: int
    height: int


def frames(sides: Sequence[Heads], theme: Theme) -> list[Frame]:
    """A frame for every picture; they have one size, so that nothing moves from one to the next."""
    labelled = [
        (
            row_labels(heads.query_labels, heads.writes, theme, positions=heads.query_positions),
            tick_labels(heads.key_labels, theme, positions=heads.key_positions),
        )
        for heads in sides
    ]
    left = min(150, max(label_room(rows, size=11) for rows, _ in labelled)) + 6
    top = min(110, max(label_room(columns, size=11) for _, columns in labelled)) + 6
    longest = max(len(rows) for rows, _ in labelled)
    height = top + 8 + max(160, longest * (20 if longest <= 24 else 10))
    return [
        Frame(rows=rows, columns=columns, left=left, top=top, height=height)
        for rows, columns in labelled
    ]


def weights_panel(
    heads: Heads, head: int, frame: Frame, theme: Theme, *, top: float = 1.0, name: str
) -> Drawing:
    """One head of one run; `top` is the weight with the strongest colour."""
    return _panel(
        heads.drawn(head),
        frame,
        theme,
        scale="weights",
        top=top,
        name=name,
        hover=tr("weight %{z:.4f}"),
    )


def difference_panel(
    difference: Float[np.ndarray, "query key"], frame: Frame, theme: Theme
) -> Drawing:
    """B − A, on a scale that is symmetric about 0."""
    return _panel(
        difference.astype(np.float32),
        frame,
        theme,
        scale="signed",
        top=float(np.abs(difference).max()) or 1.0,
        name="difference",
        hover="B − A %{z:+.4f}",
    )


def _panel(
    values: np.ndarray,
    frame: Frame,
    theme: Theme,
    *,
    scale: Literal["weights", "signed"],
    top: float,
    name: str,
    hover: str,
) -> Drawing:
    n_rows, n_columns = values.shape
    numbers = n_columns <= MOST_NUMBERS and n_rows <= 24
    size = 11 if max(n_rows, n_columns) <= 24 else 8
    picture = Picture(
        theme,
        height=frame.height,
        left=frame.left,
        right=48,
        top=frame.top,
        bottom=8,
        cells=n_columns,
        cell_width=21 if numbers else 9,
    )
    weights = scale == "weights"
    picture.heatmap(
        z=values,
        colorscale=weight_scale(theme) if weights else theme.signed,
        zmin=0.0 if weights else -top,
        zmax=top,
        xgap=int(n_columns <= 40),
        ygap=int(n_rows <= 40),
        text=[list(map(_change, line)) for line in values.tolist()]
        if numbers and not weights
        else None,
        texttemplate=("%{z:.2f}" if weights else "%{text}") if numbers else None,
        textfont={"size": 9},
        hovertemplate="<br>".join([tr("query <b>%{y}</b>"), tr("key <b>%{x}</b>"), hover])
        + "<extra></extra>",
        colorbar=color_bar(theme, "", thickness=8, x=1.01, xpad=2),
        name=name,
    )
    return picture.drawn(
        xaxis=_labelled(frame.columns, size, theme, side="top", tickangle=-90),
        yaxis=_labelled(frame.rows, size, theme, autorange="reversed"),
        uirevision=f"{n_rows}×{n_columns}",
    )


def _labelled(labels: Sequence[str], size: int, theme: Theme, **more: object) -> dict[str, object]:
    font = {"size": size, "color": theme.text}
    return axis(theme, tickvals=list(range(len(labels))), ticktext=labels, tickfont=font, **more)


def _change(value: float) -> str:
    """A difference to one decimal; nothing where that would be 0."""
    return numeral(value, "+.1f") if abs(value) >= 0.05 else ""
