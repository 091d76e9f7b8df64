"""Pictures of decoding: weights of the newest position, word probabilities, the search tree."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float

from explorer.figures.arithmetic import signed_number
from explorer.figures.drawing import Drawing, Picture
from explorer.figures.labels import elide, escape, label_room, tick_labels
from explorer.figures.theme import SMALLEST_WEIGHT, Theme, axis, weight_scale
from explorer.languages import numeral, tr


def newest(
    weights: Float[np.ndarray, "heads key"],
    may_attend: Bool[np.ndarray, " key"],
    keys: Sequence[str],
    theme: Theme,
    *,
    kind: str,
    title: str,
    room: int,
    widest: int = 13,
) -> Drawing:
    """The newest position's weights, one row per head; `room` columns are reserved for more words.

    With more than `widest` columns, there is no room for the numbers.
    """
    heads, n_keys = weights.shape
    columns = tick_labels(keys, theme)
    columns_room = max(n_keys, room)
    numbers = columns_room <= widest
    above = min(110, label_room(columns, size=12)) + 24
    weight = tr("weight")
    picture = Picture(
        theme,
        height=above + 22 * heads + 8,
        left=60,
        right=8,
        top=above,
        bottom=8,
        cells=columns_room,
        cell_width=24 if numbers else 12,
    )
    picture.heatmap(
        z=np.where(may_attend, np.maximum(weights, SMALLEST_WEIGHT), 0.0).astype(np.float32),
        colorscale=weight_scale(theme),
        zmin=0.0,
        zmax=1.0,
        xgap=1,
        ygap=1,
        showscale=False,
        texttemplate="%{z:.2f}" if numbers else None,
        textfont={"size": 10},
        hovertemplate=f"%{{y}}<br>%{{x}}<br>{weight} %{{z:.4f}}<extra></extra>",
    )
    return picture.drawn(
        xaxis=axis(
            theme,
            side="top",
            range=[-0.5, columns_room - 0.5],
            tickvals=list(range(n_keys)),
            ticktext=columns,
            tickangle=-90,
            tickfont={"size": 12, "color": theme.text},
            title={"text": title, "font": {"size": 13, "color": theme.hue(kind)}, "standoff": 6},
        ),
        yaxis=axis(
            theme,
            tickvals=list(range(heads)),
            ticktext=[tr("head {head}", head=head + 1) for head in range(heads)],
            tickfont={"size": 12, "color": theme.text},
            autorange="reversed",
        ),
        uirevision=f"{heads}×{columns_room}",
    )


def next_words(
    probabilities: Float[np.ndarray, " shown"],
    own: Float[np.ndarray, " shown"] | None,
    names: Sequence[str],
    chosen: int,
    theme: Theme,
    *,
    height: int = 300,
) -> Drawing:
    """The probabilities that a word is chosen by, as bars; with `own`, the model's own as outlines.

    `chosen` is the index of the chosen word.
    """
    labels = [escape(elide(name)) for name in names]
    picture = Picture(
        theme, height=height, left=label_room(labels, size=13) + 8, right=52, top=30, bottom=8
    )
    places = list(range(len(names)))
    picture.traces.append(
        {
            "type": "bar",
            "orientation": "h",
            "x": probabilities.astype(np.float32),
            "y": places,
            "marker": {
                "color": [theme.lines[1] if at == chosen else theme.lines[0] for at in places]
            },
            "text": [share_in_words(value) for value in probabilities.tolist()],
            "textposition": "outside",
            "cliponaxis": False,
            "textfont": {"size": 12, "color": theme.text},
            "hovertemplate": "%{x:.4f}<extra></extra>",
            "name": "probability",
            "width": 0.7,
        }
    )
    if own is not None:
        picture.traces.append(
            {
                "type": "bar",
                "orientation": "h",
                "x": own.astype(np.float32),
                "y": places,
                "marker": {
                    "color": "rgba(0,0,0,0)",
                    "line": {"color": theme.text, "width": 1.5},
                },
                "hovertemplate": tr("%{x:.4f}, the model's own") + "<extra></extra>",
                "name": "the model's own",
                "width": 0.88,
            }
        )
    return picture.drawn(
        barmode="overlay",
        xaxis=axis(
            theme,
            range=[0, 1.0],
            side="top",
            tickvals=[0, 0.5, 1.0],
            tickfont={"size": 11, "color": theme.muted},
            showgrid=True,
            gridcolor=theme.line,
        ),
        yaxis=axis(
            theme,
            tickvals=places,
            ticktext=[
                f"<b>{label}</b>" if at == chosen else label for at, label in enumerate(labels)
            ],
            tickfont={"size": 13, "color": theme.text},
            range=[max(len(names), 8) - 0.5, -0.5],
        ),
        uirevision="bars",
    )


def share_in_words(share: float) -> str:
    """A probability with three decimals; one that is too small for them is not 0."""
    return f"< {numeral(0.001, '.3f')}" if 0.0 < share < 0.0005 else numeral(share, ".3f")


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """One hypothesis of a beam search, ready to draw."""

    parent: int | None  # index in the list of nodes
    depth: int
    word: str
    score: float
    probability: float  # of the sentence so far
    kept: bool
    best: bool  # on the path to the answer


def tree(nodes: Sequence[Node], theme: Theme, *, depth: int, width: int) -> Drawing:
    """One column per step, best on top; dropped words are faint, the answer's path is strong."""
    rows: list[int] = []
    counts: dict[int, int] = {}
    for node in nodes:  # within a step, best first
        rows.append(counts.get(node.depth, 0))
        counts[node.depth] = rows[-1] + 1
    tallest = max(2 * width, 4)
    picture = Picture(
        theme, height=60 + 34 * tallest, left=30, right=40, top=26, bottom=10,
        cells=depth + 1, cell_width=84,
    )  # fmt: skip
    for strong in (False, True):
        x: list[float | None] = []
        y: list[float | None] = []
        for node, row in zip(nodes, rows, strict=True):
            if node.parent is not None and node.best == strong and row < tallest:
                x += [nodes[node.parent].depth, node.depth, None]
                y += [rows[node.parent], row, None]
        picture.scatter(
            x=x, y=y, mode="lines", hoverinfo="skip", name="way",
            line={"color": theme.lines[1] if strong else theme.line, "width": 3 if strong else 1},
        )  # fmt: skip
    shown = [(node, row) for node, row in zip(nodes, rows, strict=True) if row < tallest]
    picture.scatter(
        x=[node.depth for node, _ in shown],
        y=[row for _, row in shown],
        mode="markers+text",
        marker={
            "size": [11 if node.kept else 6 for node, _ in shown],
            "color": [
                theme.lines[1] if node.best else theme.lines[0] if node.kept else theme.faint
                for node, _ in shown
            ],
        },
        text=[
            f"{escape(elide(node.word, 10))}<br>{signed_number(node.score, 2)}"
            if node.kept
            else escape(elide(node.word, 10))
            for node, _ in shown
        ],
        textposition="middle right",
        textfont={
            "size": 11,
            "color": [theme.text if node.kept else theme.muted for node, _ in shown],
        },
        customdata=[node.probability for node, _ in shown],
        hovertemplate=tr("probability of the sentence so far %{customdata:.4f}")
        + "<extra></extra>",
        name="hypotheses",
    )
    return picture.drawn(
        xaxis=axis(
            theme,
            range=[-0.3, depth + 0.9],
            side="top",
            tickvals=list(range(depth + 1)),
            ticktext=[tr("start"), *(tr("word {n}", n=n) for n in range(1, depth + 1))],
            tickfont={"size": 11, "color": theme.muted},
        ),
        yaxis=axis(theme, range=[tallest - 0.4, -0.6], showticklabels=False),
        uirevision=f"{depth}×{width}",
    )
