"""Pictures of positional encodings."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from explorer.figures.drawing import Drawing, Picture
from explorer.figures.labels import label_room, tick_labels
from explorer.figures.theme import Theme, axis, color_bar
from explorer.languages import tr

NAMED_ROWS = 20  # more positions leave no room for the tokens that stand there
DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")


def encoding_heatmap(
    encoding: Float[np.ndarray, "length d_model"],
    theme: Theme,
    *,
    tokens: Sequence[str] = (),
    token: int | None = None,
    height: int = 340,
) -> Drawing:
    """Positions on the rows, dimensions on the columns, −1 … 1.

    The row of a `token` is framed. If there is room, the rows are named after the `tokens`.
    """
    length, d_model = encoding.shape
    named = bool(tokens) and length <= NAMED_ROWS
    labels = tick_labels([f"{at} · {token}" for at, token in enumerate(tokens[:length])], theme)
    picture = Picture(
        theme,
        height=height,
        left=min(180, label_room(labels)) if named else 56,
        right=60,
        top=8,
        bottom=44,
        cells=1,
        cell_width=280,
    )
    picture.heatmap(
        z=encoding.astype(np.float32),
        colorscale=theme.signed,
        zmin=-1,
        zmax=1,
        colorbar=color_bar(theme, tr("values")),
        hovertemplate=tr("position %{y}<br>dimension %{x}<br>%{z:.4f}") + "<extra></extra>",
    )
    if token is not None and token < length:
        picture.draw(
            type="rect",
            x0=-0.5,
            x1=d_model - 0.5,
            y0=token - 0.5,
            y1=token + 0.5,
            line={"color": theme.text, "width": 2},
        )
    rows = (
        {
            "tickvals": list(range(length)),
            "ticktext": [*labels, *(str(at) for at in range(len(labels), length))],
        }
        if named
        else {"title": {"text": tr("position"), "font": {"size": 13}}}
    )
    return picture.drawn(
        xaxis=axis(theme, title={"text": tr("dimension"), "font": {"size": 13}}),
        yaxis=axis(theme, autorange="reversed", **rows),
        uirevision=str(encoding.shape),
    )


def curves(
    encoding: Float[np.ndarray, "length d_model"],
    fine: Float[np.ndarray, "fine d_model"],
    fine_positions: Float[np.ndarray, " fine"],
    dimensions: Sequence[int],
    theme: Theme,
    *,
    marked: Sequence[float] = (),
    height: int = 330,
) -> Drawing:
    """One wave per dimension, with dots at the whole positions that the model uses."""
    picture = Picture(
        theme, height=height, left=48, right=8, top=34, bottom=44, cells=1, cell_width=420
    )
    for order, dimension in enumerate(dimensions):
        color, dash = theme.lines[order % len(theme.lines)], DASHES[order % len(DASHES)]
        wave = "sin" if dimension % 2 == 0 else "cos"
        picture.scatter(
            x=fine_positions,
            y=fine[:, dimension],
            mode="lines",
            hoverinfo="skip",
            line={"color": color, "dash": dash, "width": 2},
            name=tr("dimension {dimension} ({wave})", dimension=dimension, wave=wave),
        )
        picture.scatter(
            x=np.arange(len(encoding)),
            y=encoding[:, dimension],
            mode="markers",
            marker={"color": color, "size": 6},
            showlegend=False,
            hovertemplate=tr(
                "dimension {dimension}<br>position %{{x}}<br>%{{y:.4f}}", dimension=dimension
            )
            + "<extra></extra>",
        )
    for position in marked:
        picture.draw(
            type="line",
            x0=position,
            x1=position,
            y0=0,
            y1=1,
            yref="paper",
            line={"color": theme.muted, "dash": "dot", "width": 1},
        )
    return picture.drawn(
        showlegend=True,
        legend={"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom"},
        xaxis=axis(theme, title={"text": tr("position"), "font": {"size": 13}}),
        yaxis=axis(theme, range=[-1.08, 1.08], showgrid=True, gridcolor=theme.line),
        uirevision=f"{len(encoding)} {list(dimensions)}",
    )


def three_panels(
    panels: Sequence[tuple[str, Float[np.ndarray, "length d_model"]]],
    tokens: Sequence[str],
    theme: Theme,
    *,
    dense: bool = False,
    height: int = 360,
) -> Drawing:
    """Input, encoding and their sum on one scale, one row per token.

    In a `dense` picture the rows are thin, and only some of them are named.
    """
    length, width = panels[0][1].shape
    step = width * 1.08
    top = max(float(np.abs(values).max()) for _, values in panels) or 1.0
    labels = tick_labels(tokens, theme)
    every_row = 10 if dense else 1
    size = 13 if length <= 24 or dense else 10
    left = min(180, label_room(labels, size=size))
    numbers = length * width * len(panels) <= 120
    picture = Picture(
        theme,
        height=max(height, 60 + (4 if dense else 13) * length),
        left=left,
        right=60,
        top=30,
        bottom=40,
        cells=len(panels),
        cell_width=160,
    )
    ticks: dict[float, str] = {}
    every = max(1, width // 8)
    for number, (title, values) in enumerate(panels):
        x0 = number * step
        ticks |= {x0 + dim: str(dim) for dim in range(0, width, every)}
        picture.heatmap(
            z=values.astype(np.float32),
            x0=x0,
            dx=1,
            colorscale=theme.signed,
            zmin=-top,
            zmax=top,
            customdata=np.broadcast_to(np.arange(width), values.shape).astype(np.int16),
            showscale=number == len(panels) - 1,
            colorbar=color_bar(theme, tr("values")),
            texttemplate="%{z:.2f}" if numbers else None,
            textfont={"size": 11},
            hovertemplate=f"{title}<br>"
            + tr("<b>%{y}</b>, dimension %{customdata}<br>%{z:.4f}")
            + "<extra></extra>",
        )
        picture.annotate(
            x=x0 + (width - 1) / 2,
            y=1,
            yref="paper",
            text=f"<b>{title}</b>",
            yanchor="bottom",
            font={"size": 13},
        )
    return picture.drawn(
        xaxis=axis(
            theme,
            tickvals=list(ticks),
            ticktext=list(ticks.values()),
            tickangle=0,
            tickfont={"size": 11, "color": theme.muted},
            title={"text": tr("dimension"), "font": {"size": 13}},
            range=[-0.5, (len(panels) - 1) * step + width - 0.5],
        ),
        yaxis=axis(
            theme,
            tickvals=list(range(0, length, every_row)),
            ticktext=labels[::every_row],
            tickfont={"size": size, "color": theme.text},
            autorange="reversed",
        ),
        uirevision=f"{length}×{width}",
    )


def similarity_heatmap(
    similarity: Float[np.ndarray, "length length"], theme: Theme, *, height: int = 360
) -> Drawing:
    """PE(p)·PE(q) for every pair of positions."""
    top = float(np.abs(similarity).max())
    picture = Picture(
        theme, height=height, left=56, right=60, top=8, bottom=44, cells=1, cell_width=280
    )
    picture.heatmap(
        z=similarity.astype(np.float32),
        colorscale=theme.signed,
        zmin=-top,
        zmax=top,
        colorbar=color_bar(theme, tr("dot product")),
        hovertemplate=tr("positions %{y} and %{x}<br>%{z:.3f}") + "<extra></extra>",
    )
    return picture.drawn(
        xaxis=axis(theme, title={"text": tr("position q"), "font": {"size": 13}}),
        yaxis=axis(
            theme, title={"text": tr("position p"), "font": {"size": 13}}, autorange="reversed"
        ),
        uirevision=str(similarity.shape),
    )


def distances(
    panels: Sequence[tuple[str, Float[np.ndarray, "first second"]]],
    first: Sequence[str],
    second: Sequence[str],
    theme: Theme,
    *,
    height: int = 330,
) -> Drawing:
    """Distance from each output of one sentence to each output of another; 0 = the same vector."""
    rows, columns = tick_labels(first, theme), tick_labels(second, theme)
    step = len(columns) + 1.4
    top = max(float(values.max()) for _, values in panels) or 1.0
    above = min(120, label_room(columns)) + 28
    picture = Picture(
        theme,
        height=max(height, above + 30 * len(rows)),
        right=60,
        top=above,
        left=min(180, label_room(rows)),
        cells=len(columns) * len(panels),
        cell_width=30,
    )
    ticks: dict[float, str] = {}
    for number, (title, values) in enumerate(panels):
        x0 = number * step
        ticks |= dict(zip((x0 + np.arange(len(columns))).tolist(), columns, strict=True))
        picture.heatmap(
            z=values.astype(np.float32),
            x0=x0,
            dx=1,
            zmin=0,
            zmax=top,
            xgap=1,
            ygap=1,
            colorscale=[(1 - at, color) for at, color in reversed(theme.weights)],
            colorbar=color_bar(theme, tr("distance")),
            showscale=number == len(panels) - 1,
            texttemplate="%{z:.1f}" if len(rows) <= 12 else None,
            hovertemplate="%{y} / %{x}<br>" + tr("distance %{z:.6f}") + "<extra></extra>",
        )
        picture.annotate(
            x=x0 + (len(columns) - 1) / 2,
            y=1,
            yref="paper",
            yshift=above - 24,
            text=f"<b>{title}</b>",
            yanchor="bottom",
            font={"size": 13},
        )
    return picture.drawn(
        xaxis=axis(
            theme, side="top", tickvals=list(ticks), ticktext=list(ticks.values()), tickangle=-90
        ),
        yaxis=axis(theme, tickvals=list(range(len(rows))), ticktext=rows, autorange="reversed"),
    )
