"""The target twice, one step apart: what the decoder reads, and what it is asked for."""

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from explorer.figures.batch import tokens_scale
from explorer.figures.drawing import Drawing, Picture
from explorer.figures.labels import PAD, elide, escape
from explorer.figures.theme import Theme, axis
from explorer.languages import tr

DOWN: Final = 1.9  # rows from what is read to what is asked for
ROWS: Final = (("tgt_in", "tgt[:, :-1]"), ("tgt_out", "tgt[:, 1:]"))
MOST_ARROWS: Final = 40
Tokens = Sequence[tuple[str, int]]  # each with its id


def shift(reads: Tokens, asked: Tokens, colors: Mapping[str, int], theme: Theme) -> Drawing:
    """`tgt_in` above `tgt_out`, both where they stand in `tgt`; an arrow leads to what comes next.

    All but the last token are read, all but the first are asked for; PAD is not.
    """
    length = len(reads)
    words = length <= 28
    picture = Picture(
        theme,
        height=178,
        left=84,
        right=4,
        top=24,
        bottom=6,
        cells=length + 1,
        cell_width=50 if words else 22 if length <= MOST_ARROWS else 9,
    )
    token = tr("token %{customdata}")
    for at, ((name, _), tokens) in enumerate(zip(ROWS, (reads, asked), strict=True)):
        picture.heatmap(
            z=np.array([[colors[label] for label, _ in tokens]], np.uint8),
            x0=float(at),
            y0=DOWN * at,
            dx=1,
            dy=1,
            text=[[_text(label, number, length) for label, number in tokens]],
            customdata=[
                [
                    tr(
                        "{token}, id {number}<br>position {position} of tgt",
                        token=escape(label),
                        number=number,
                        position=place,
                    )
                    for place, (label, number) in enumerate(tokens, at)
                ]
            ],
            texttemplate="%{text}" if length <= MOST_ARROWS else None,
            textfont={"size": 12 if words else 10},
            hovertemplate=f"{name}<br>{token}<extra></extra>",
            xgap=2,
            ygap=2,
            showscale=False,
            name=name,
            **tokens_scale(theme),
        )
    if length <= MOST_ARROWS:
        _draw_arrows(picture, [place for place, (label, _) in enumerate(asked) if label != PAD])
    step = 1 if length <= MOST_ARROWS else 8
    return picture.drawn(
        xaxis=axis(
            theme,
            side="top",
            tickvals=list(range(0, length + 1, step)),
            tickfont={"size": 12, "color": theme.muted},
            range=[-0.55, length + 0.55],
        ),
        yaxis=axis(
            theme,
            tickvals=[0, DOWN],
            ticktext=[f"<b>{name}</b><br>{cut}" for name, cut in ROWS],
            tickfont={"size": 12, "color": theme.text},
            range=[DOWN + 0.55, -0.55],
        ),
        uirevision=f"{length}",
    )


def _draw_arrows(picture: Picture, places: Sequence[int]) -> None:
    """From each token that is read to the one that should follow it."""
    for place in places:
        picture.annotate(
            x=place + 0.78,
            y=DOWN - 0.5,
            ax=place + 0.22,
            ay=0.5,
            xref="x",
            yref="y",
            axref="x",
            ayref="y",
            text="",
            showarrow=True,
            arrowhead=2,
            arrowsize=1,
            arrowwidth=1.6,
            arrowcolor=picture.layout["font"]["color"],
        )


def _text(label: str, number: int, length: int) -> str:
    """A token and its id, as far as there is room."""
    if length > 28 or label == str(number):
        return f"<b>{number}</b>"
    return f"{escape(elide(label, max(3, 96 // length)))}<br><b>{number}</b>"
