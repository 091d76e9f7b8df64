"""Pictures of batches of ids: one row per sentence, one column per position."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Int

from explorer.figures.labels import elide, escape
from explorer.figures.theme import ColorScale, Picture, Theme, axis

ROW_HEIGHT = 40


def ids_heatmap(
    ids: Int[np.ndarray, "batch length"],
    labels: Sequence[Sequence[str]],
    pad_id: int,
    theme: Theme,
    *,
    words: bool = True,
) -> go.Figure:
    """Ids in colour, with token and id in each cell if there is room; PAD is grey."""
    batch, length = ids.shape
    is_pad = ids == pad_id
    largest = max(1, int(ids.max()))
    shade = np.where(is_pad, 0.0, 0.15 + 0.85 * ids / largest).astype(np.float32)
    words = words and length <= 28
    most = max(3, 96 // length)
    cells = [
        [
            f"{escape(elide(word, most))}<br><b>{number}</b>"
            if words and word != str(number)
            else f"<b>{number}</b>"
            for word, number in zip(line, row, strict=True)
        ]
        for line, row in zip(labels, ids.tolist(), strict=True)
    ]
    names = [f"sentence {row + 1}" for row in range(batch)]
    picture = Picture(
        theme,
        height=28 + batch * ROW_HEIGHT,
        left=84,
        right=4,
        top=24,
        bottom=4,
        cells=length,
        cell_width=44 if words else 22 if length <= 40 else 9,
    )
    picture.heatmap(
        z=shade,
        text=cells,
        customdata=[
            [f"{escape(word)}, id {number}" for word, number in zip(line, row, strict=True)]
            for line, row in zip(labels, ids.tolist(), strict=True)
        ],
        texttemplate="%{text}" if length <= 40 else None,
        textfont={"size": 12 if length <= 28 else 10},
        hovertemplate="%{y}, position %{x}<br>token %{customdata}<extra></extra>",
        colorscale=_id_scale(theme),
        zmin=0.0,
        zmax=1.0,
        xgap=2 if length <= 40 else 0,
        ygap=2,
        showscale=False,
    )
    step = 1 if length <= 40 else 8
    return picture.figure(
        xaxis=axis(
            theme,
            side="top",
            tickvals=list(range(0, length, step)),
            tickfont={"size": 12, "color": theme.muted},
        ),
        yaxis=axis(
            theme,
            tickvals=list(range(batch)),
            ticktext=names,
            autorange="reversed",
            tickfont={"size": 12, "color": theme.muted},
        ),
        uirevision=f"{batch}×{length}",
    )


def _id_scale(theme: Theme) -> ColorScale:
    """Grey for PAD, then pale to half strength, so that the text on top stays legible."""
    return [
        (0.0, theme.pad),
        (0.1, theme.pad),
        (0.1001, theme.weights[0][1]),
        (1.0, theme.weights[2][1]),
    ]
