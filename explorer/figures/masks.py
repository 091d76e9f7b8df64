"""Pictures of masks: one flat colour per reason, with a legend."""

import math
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from jaxtyping import Bool, Float, UInt8

from explorer.figures.batch import ROW_HEIGHT
from explorer.figures.drawing import Drawing, Picture
from explorer.figures.labels import label_room, tick_labels
from explorer.figures.theme import Theme, axis
from explorer.languages import mark, numeral, tr

REASON_NAMES: Final = (
    mark("may attend"),
    mark("future"),
    mark("key is PAD"),
    # Translators: two reasons at once, future and PAD
    mark("both"),
)


def mask_row(
    panels: Sequence[tuple[str, UInt8[np.ndarray, "query key"]]],
    query_labels: Sequence[str],
    key_labels: Sequence[str],
    theme: Theme,
    *,
    signs: Sequence[str] = (),
    blank_rows: Bool[np.ndarray, " query"] | None = None,
    legend: Sequence[int] = (0, 1, 2, 3),
    height: int = 400,
) -> Drawing:
    """Masks of one sentence side by side, with tokens on both axes and `signs` between them.

    A panel is a title and codes 0 … 3: may attend, future, key is PAD, both. `blank_rows` are left
    empty in every panel.
    """
    n_queries, n_keys = panels[0][1].shape
    step = n_keys + max(1.5, 0.14 * n_keys)
    size, cell = (13, 15) if n_keys <= 20 else (11, 12) if n_keys <= 30 else (10, 11)
    rows, columns = tick_labels(query_labels, theme), tick_labels(key_labels, theme)
    left = min(180, label_room(rows, size=size))
    above = min(120, label_room(columns, size=size)) + 28
    picture = Picture(
        theme,
        height=max(height, above + 34 + cell * n_queries),
        left=left,
        right=4,
        top=above,
        bottom=30,
        cells=n_keys * len(panels),
        cell_width=cell,
    )
    ticks: dict[float, str] = {}
    for number, (title, codes) in enumerate(panels):
        x0 = number * step
        ticks |= dict(zip((x0 + np.arange(n_keys)).tolist(), columns, strict=True))
        picture.heatmap(
            **flat_cells(codes, theme, x0=x0, y0=0.0, name=title, blank_rows=blank_rows)
        )
        picture.annotate(
            x=x0 + (n_keys - 1) / 2,
            y=1,
            yref="paper",
            yshift=above - 24,
            text=f"<b>{title}</b>",
            yanchor="bottom",
            font={"size": 13},
        )
        if number < len(signs):
            picture.annotate(
                x=x0 + n_keys - 1 + (step - n_keys + 1) / 2,
                y=(n_queries - 1) / 2,
                text=f"<b>{signs[number]}</b>",
                font={"size": 24},
            )
    reasons_legend(picture, theme, legend)
    return picture.drawn(
        xaxis=axis(
            theme,
            side="top",
            tickangle=-90,
            tickvals=list(ticks),
            ticktext=list(ticks.values()),
            tickfont={"size": size, "color": theme.text},
            range=[-0.55, (len(panels) - 1) * step + n_keys - 0.45],
        ),
        yaxis=axis(
            theme,
            tickvals=list(range(n_queries)),
            ticktext=rows,
            tickfont={"size": size, "color": theme.text},
            range=[n_queries - 0.45, -0.55],
        ),
        uirevision=f"{len(panels)}×{n_queries}×{n_keys}",
    )


def mask_grid(
    codes: UInt8[np.ndarray, "batch query key"],
    query_labels: Sequence[Sequence[str]],
    key_labels: Sequence[Sequence[str]],
    focus: int,
    theme: Theme,
    *,
    across: int = 4,
) -> Drawing:
    """The masks of all sentences side by side; the one in focus is framed."""
    batch, n_queries, n_keys = codes.shape
    down = math.ceil(batch / across)
    step_x, step_y = n_keys * 1.1, n_queries * 1.25
    picture = Picture(
        theme,
        height=60 + down * 190,
        left=2,
        right=2,
        top=24,
        bottom=32,
        cells=across,
        cell_width=110,
    )
    for sentence in range(batch):
        x0, y0 = (sentence % across) * step_x, (sentence // across) * step_y
        labels = [
            [f"{query} → {key}" for key in tick_labels(key_labels[sentence], theme)]
            for query in tick_labels(query_labels[sentence], theme)
        ]
        picture.heatmap(
            **flat_cells(codes[sentence], theme, x0=x0, y0=y0, name=str(sentence + 1), pairs=labels)
        )
        picture.annotate(
            x=x0 - 0.5,
            y=y0 - 0.5,
            text=tr("sentence {number}", number=sentence + 1),
            xanchor="left",
            yanchor="bottom",
            font={"size": 12, "color": theme.text if sentence == focus else theme.muted},
        )
        if sentence == focus:
            picture.draw(
                type="rect",
                x0=x0 - 0.5,
                x1=x0 + n_keys - 0.5,
                y0=y0 - 0.5,
                y1=y0 + n_queries - 0.5,
                line={"color": theme.text, "width": 3},
            )
    reasons_legend(picture, theme)
    return picture.drawn(
        xaxis=axis(theme, showticklabels=False, range=[-0.7, (across - 1) * step_x + n_keys - 0.3]),
        yaxis=axis(
            theme, showticklabels=False, range=[(down - 1) * step_y + n_queries - 0.3, -0.7]
        ),
        uirevision=f"{batch}×{n_queries}×{n_keys}",
    )


def source_mask(allowed: Bool[np.ndarray, "batch key"], theme: Theme) -> Drawing:
    """The source masks, one row per sentence, because a mask is the same for every query."""
    batch, n_keys = allowed.shape
    picture = Picture(
        theme,
        height=60 + batch * ROW_HEIGHT,
        left=84,
        right=4,
        top=24,
        bottom=36,
        cells=n_keys,
        cell_width=22 if n_keys <= 40 else 9,
    )
    codes, keys = np.where(allowed, 0, 2), range(n_keys)
    places = [
        [tr("sentence {number}, position {position}", number=row, position=key) for key in keys]
        for row in range(1, batch + 1)
    ]
    name = tr("source mask")
    picture.heatmap(**flat_cells(codes, theme, x0=0.0, y0=0.0, name=name, pairs=places))
    reasons_legend(picture, theme, codes=(0, 2))
    return picture.drawn(
        xaxis=axis(
            theme,
            side="top",
            tickvals=list(range(0, n_keys, 1 if n_keys <= 40 else 8)),
            tickfont={"size": 12, "color": theme.muted},
            range=[-0.5, n_keys - 0.5],
        ),
        yaxis=axis(
            theme,
            tickvals=list(range(batch)),
            ticktext=[tr("sentence {number}", number=row) for row in range(1, batch + 1)],
            tickfont={"size": 12, "color": theme.muted},
            range=[batch - 0.5, -0.5],
        ),
        uirevision=f"{batch}×{n_keys}",
    )


def additive_panels(
    scores: Float[np.ndarray, "query key"],
    mask: Float[np.ndarray, "query key"],
    masked: Float[np.ndarray, "query key"],
    theme: Theme,
    *,
    height: int = 360,
) -> Drawing:
    """Scores + additive mask = masked scores, as numbers in cells; −∞ is drawn as hidden."""
    size = len(mask)
    step = size + 1.5
    picture = Picture(
        theme, height=height, left=4, right=4, top=30, bottom=4, cells=3 * size, cell_width=24
    )
    panels = (
        (tr("scores"), scores, "+"),
        (tr("mask: 0 or −∞"), mask, "="),
        (tr("scores + mask"), masked, ""),
    )
    for number, (title, values, sign) in enumerate(panels):
        x0 = number * step
        hidden = np.isneginf(values)
        text = [
            ["−∞" if v == -np.inf else numeral(v, "g") for v in line] for line in values.tolist()
        ]
        picture.heatmap(
            z=np.where(hidden, 1, 0).astype(np.uint8),
            text=text,
            texttemplate="%{text}",
            x0=x0,
            dx=1,
            colorscale=[(0, theme.weights[0][1]), (1, theme.future)],
            zmin=0,
            zmax=1,
            showscale=False,
            xgap=1,
            ygap=1,
            textfont={"size": 12},
            hovertemplate=tr("query %{y}: %{text}") + "<extra></extra>",
        )
        picture.annotate(
            x=x0 + (size - 1) / 2,
            y=1,
            yref="paper",
            text=f"<b>{title}</b>",
            yanchor="bottom",
            font={"size": 13},
        )
        if sign:
            picture.annotate(
                x=x0 + size + 0.25,
                y=(size - 1) / 2,
                text=f"<b>{sign}</b>",
                font={"size": 24},
            )
    return picture.drawn(
        xaxis=axis(theme, showticklabels=False, range=[-0.55, 2 * step + size - 0.45]),
        yaxis=axis(theme, showticklabels=False, range=[size - 0.45, -0.55]),
    )


def flat_cells(
    codes: np.ndarray,
    theme: Theme,
    *,
    x0: float,
    y0: float,
    name: str,
    pairs: list[list[str]] | None = None,
    blank_rows: np.ndarray | None = None,
) -> dict[str, Any]:
    """A heatmap of codes: the colour of a cell is its reason."""
    colors = (theme.may_attend, theme.future, theme.pad, theme.both)
    steps = [(edge / 4, color) for code, color in enumerate(colors) for edge in (code, code + 1)]
    reasons = np.array([tr(name) for name in REASON_NAMES], dtype=object)[codes]
    where = tr("query <b>%{y}</b><br>key <b>%{x}</b>") if pairs is None else "%{text}"
    return dict(
        z=codes.astype(np.uint8)
        if blank_rows is None
        else np.where(blank_rows[:, None], np.nan, codes).astype(np.float32),
        hoverongaps=False,
        customdata=reasons.tolist(),
        text=pairs,
        x0=x0,
        y0=y0,
        dx=1,
        dy=1,
        zmin=-0.5,
        zmax=3.5,
        colorscale=steps,
        showscale=False,
        name=name,
        xgap=int(codes.shape[1] <= 30),
        ygap=int(codes.shape[1] <= 30),
        hovertemplate=f"{where}<br>%{{customdata}}<extra></extra>",
    )


def reasons_legend(picture: Picture, theme: Theme, codes: Sequence[int] = (0, 1, 2, 3)) -> None:
    """Name the reasons below a picture."""
    colors = (theme.may_attend, theme.future, theme.pad, theme.both)
    for name, color in ((REASON_NAMES[code], colors[code]) for code in codes):
        picture.scatter(
            x=[None],
            y=[None],
            mode="markers",
            name=tr(name),
            hoverinfo="skip",
            marker={"symbol": "square", "size": 13, "color": color},
        )
    picture.layout.update(
        showlegend=True,
        legend={
            "orientation": "h",
            "x": 0,
            "y": 0,
            "yanchor": "top",
            "yref": "paper",
            "itemclick": False,
            "itemdoubleclick": False,
            "bgcolor": "rgba(0,0,0,0)",
        },
    )
