"""Pictures of batches of ids: one row per sentence, one column per position."""

from collections.abc import Collection, Sequence

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Int

from explorer.figures.labels import PAD, elide, escape
from explorer.figures.theme import ColorScale, Picture, Theme, axis

ROW_HEIGHT = 40


def ids_heatmap(
    ids: Int[np.ndarray, "batch length"],
    labels: Sequence[Sequence[str]],
    specials: Collection[str],
    theme: Theme,
    *,
    words: bool = True,
) -> go.Figure:
    """A cell for every token, with token and id if there is room.

    The colour says what kind of token it is: PAD, another of the `specials`, or a word.
    """
    batch, length = ids.shape
    kinds = [[_kind(label, specials) for label in line] for line in labels]
    shade = np.array(kinds, np.float32).reshape(batch, length)
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
        colorscale=_kinds_scale(theme),
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


def _kind(label: str, specials: Collection[str]) -> float:
    """The place of a token's colour on the scale."""
    if label == PAD:
        return 0.0
    return 1.0 if label in specials else 0.5


def _kinds_scale(theme: Theme) -> ColorScale:
    """Grey for PAD, pale for words, stronger for the others; the text on top stays legible."""
    colors = theme.pad, theme.weights[1][1], theme.weights[2][1]
    return [(at, color) for n, color in enumerate(colors) for at in (n / 3, (n + 1) / 3)]
