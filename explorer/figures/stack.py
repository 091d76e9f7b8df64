"""Pictures of the tensors inside the model, one row per token."""

from collections.abc import Sequence
from typing import Final, Literal

import numpy as np
from jaxtyping import Float

from explorer.figures.drawing import Drawing, Picture
from explorer.figures.labels import elide, escape, label_room, tick_labels
from explorer.figures.theme import Theme, axis, color_bar
from explorer.languages import numeral, tr

SHOWN: Final = 64  # dimensions: more could not be told apart, so they are not sent


def token_heatmap(
    values: Float[np.ndarray, "length width"],
    tokens: Sequence[str],
    theme: Theme,
    *,
    columns: Sequence[str] | None = None,
    what: str = "",
    scale: Literal["signed", "weights"] = "signed",
    token: int | None = None,
) -> Drawing:
    """One row per token, one column per dimension; `token` is framed.

    `columns` are the names of the columns; without names they are numbered, with the title `what`
    (by default, dimension).
    """
    what = what or tr("dimension")
    length, width = values.shape
    rows = tick_labels(tokens, theme)
    size = 13 if length <= 24 else 9
    names = [escape(elide(name, 14)) for name in columns or []]
    named = bool(names) and width <= 40
    numbers = width <= 16 and length <= 24
    above = label_room(names, size=11) if named else 34
    largest = float(np.abs(values).max()) if values.size else 0.0
    picture = Picture(
        theme,
        height=round(above + 12 + length * (24 if length <= 24 else 10)),
        left=min(170, label_room(rows, size=size)),
        right=70,
        top=above,
        bottom=12,
        cells=width,
        cell_width=34 if numbers else 5,
    )
    colors = (
        {"colorscale": theme.weights, "zmin": 0.0, "zmax": largest or 1.0}
        if scale == "weights"
        else {"colorscale": theme.signed, "zmin": -(largest or 1.0), "zmax": largest or 1.0}
    )
    picture.heatmap(
        z=values.astype(np.float32),
        **colors,
        xgap=1 if width <= 64 else 0,
        ygap=1 if length <= 40 else 0,
        texttemplate="%{z:.2f}" if numbers else None,
        textfont={"size": 10},
        hovertemplate=f"%{{y}}<br>{what} %{{x}}<br>%{{z:.4f}}<extra></extra>",
        colorbar=color_bar(theme, tr("share") if scale == "weights" else tr("values")),
    )
    if token is not None:
        picture.draw(
            type="rect",
            x0=-0.5,
            x1=width - 0.5,
            y0=token - 0.5,
            y1=token + 0.5,
            line={"color": theme.text, "width": 2},
        )
    ticks = {"tickvals": list(range(width)), "ticktext": names, "tickangle": -90} if names else {}
    return picture.drawn(
        xaxis=axis(
            theme,
            side="top",
            showticklabels=named or not names,
            tickfont={"size": 11, "color": theme.text if names else theme.muted},
            title={"text": "" if names else what, "font": {"size": 12, "color": theme.muted}},
            **ticks,
        ),
        yaxis=axis(
            theme,
            tickvals=list(range(length)),
            ticktext=rows,
            tickfont={"size": size, "color": theme.text},
            autorange="reversed",
        ),
        uirevision=f"{length}×{width}",
    )


def stream(
    values: Float[np.ndarray, "length stops"],
    tokens: Sequence[str],
    stops: Sequence[str],
    theme: Theme,
    *,
    measure: str,
    signed: bool = False,
    here: int | None,
) -> Drawing:
    """The residual stream: one row per token, one column per stop; `here` is framed.

    `signed` values are between −1 and 1, others are at least 0.
    """
    length, count = values.shape
    rows = tick_labels(tokens, theme)
    size = 13 if length <= 24 else 9
    above = label_room(stops, size=11)
    largest = 1.0 if signed else float(values.max()) or 1.0
    numbers = count <= 20 and length <= 24
    picture = Picture(
        theme,
        height=round(above + 10 + length * (24 if length <= 24 else 10)),
        left=min(170, label_room(rows, size=size)),
        right=70,
        top=above,
        bottom=8,
        cells=count,
        cell_width=30,
    )
    picture.heatmap(
        z=values.astype(np.float32),
        colorscale=theme.signed if signed else theme.weights,
        zmin=-largest if signed else 0.0,
        zmax=largest,
        xgap=2,
        ygap=1,
        texttemplate="%{z:.2f}" if numbers else None,
        textfont={"size": 10},
        hovertemplate=f"%{{y}}<br>%{{x}}<br>{measure} %{{z:.4f}}<extra></extra>",
        colorbar=color_bar(theme, measure),
    )
    if here is not None:
        picture.draw(
            type="rect",
            x0=here - 0.5,
            x1=here + 0.5,
            y0=-0.5,
            y1=length - 0.5,
            line={"color": theme.text, "width": 2},
        )
    return picture.drawn(
        xaxis=axis(
            theme,
            side="top",
            tickvals=list(range(count)),
            ticktext=list(stops),
            tickangle=-90,
            tickfont={"size": 11, "color": theme.text},
        ),
        yaxis=axis(
            theme,
            tickvals=list(range(length)),
            ticktext=rows,
            tickfont={"size": size, "color": theme.text},
            autorange="reversed",
        ),
        uirevision=f"{length}×{count}",
    )


def _guess(word: str, share: float, *, final: bool) -> str:
    """A word and, below it, its probability."""
    shown = escape(elide(word, 9))
    return f"{f'<b>{shown}</b>' if final else shown}<br>{numeral(share, '.2f')}"


def lens(
    words: Sequence[Sequence[str]],
    sure: Float[np.ndarray, "stops length"],
    tokens: Sequence[str],
    stops: Sequence[str],
    theme: Theme,
    *,
    token: int | None = None,
) -> Drawing:
    """One row per stop, one column per token read: the likeliest next word, coloured by how sure.

    A word that is also that of the last row is bold. `token` is framed.
    """
    columns = tick_labels(tokens, theme)
    rows = [escape(stop) for stop in stops]
    above = min(130, label_room(columns, size=13)) + 26
    picture = Picture(
        theme,
        height=above + 12 + 40 * len(rows),
        left=label_room(rows, size=13),
        right=76,
        top=above,
        bottom=12,
        cells=len(columns),
        cell_width=56,
    )
    picture.heatmap(
        z=sure.astype(np.float32),
        text=[
            [
                _guess(word, share, final=word == last)
                for word, share, last in zip(line, shares, words[-1], strict=True)
            ]
            for line, shares in zip(words, sure.tolist(), strict=True)
        ],
        customdata=[[escape(word) for word in line] for line in words],
        texttemplate="%{text}",
        textfont={"size": 12},
        colorscale=theme.weights,
        zmin=0.0,
        zmax=1.0,
        xgap=1,
        ygap=1,
        hovertemplate=tr(
            "%{y}, after reading %{x}<br>likeliest: <b>%{customdata}</b><br>probability %{z:.4f}"
        )
        + "<extra></extra>",
        colorbar=color_bar(theme, tr("probability")),
    )
    if token is not None:
        picture.draw(
            type="rect",
            x0=token - 0.5,
            x1=token + 0.5,
            y0=-0.5,
            y1=len(rows) - 0.5,
            line={"color": theme.decoder, "width": 3},
        )
    return picture.drawn(
        xaxis=axis(
            theme,
            side="top",
            tickvals=list(range(len(columns))),
            ticktext=columns,
            tickangle=-90,
            title={
                "text": tr("words read"),
                "font": {"size": 13, "color": theme.hue("decoder")},
                "standoff": 6,
            },
        ),
        yaxis=axis(theme, tickvals=list(range(len(rows))), ticktext=rows, autorange="reversed"),
        uirevision=f"{len(rows)}×{len(columns)}",
    )
