"""Pictures of batches of ids: one row per sentence, one column per position."""

import zlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from jaxtyping import Int

from explorer.figures.drawing import Drawing, Picture
from explorer.figures.labels import PAD, elide, escape
from explorer.figures.theme import Theme, axis
from explorer.languages import tr

ROW_HEIGHT = 40


def ids_heatmap(
    ids: Int[np.ndarray, "batch length"],
    labels: Sequence[Sequence[str]],
    colors: Mapping[str, int],
    theme: Theme,
    *,
    words: bool = True,
) -> Drawing:
    """A cell for every token, with token and id if there is room.

    The colour is the token, as `token_colors` has it.
    """
    batch, length = ids.shape
    places = [[colors[label] for label in line] for line in labels]
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
    names = [tr("sentence {number}", number=row) for row in range(1, batch + 1)]
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
        z=np.array(places, np.uint8).reshape(batch, length),
        text=cells,
        customdata=[
            [
                tr("{token}, id {number}", token=escape(word), number=number)
                for word, number in zip(line, row, strict=True)
            ]
            for line, row in zip(labels, ids.tolist(), strict=True)
        ],
        texttemplate="%{text}" if length <= 40 else None,
        textfont={"size": 12 if length <= 28 else 10},
        hovertemplate=tr("%{y}, position %{x}<br>token %{customdata}") + "<extra></extra>",
        **tokens_scale(theme),
        xgap=2 if length <= 40 else 0,
        ygap=2,
        showscale=False,
    )
    step = 1 if length <= 40 else 8
    return picture.drawn(
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


def token_colors(pictures: Iterable[Iterable[str]], theme: Theme) -> dict[str, int]:
    """The place of each token's colour: the same token has the same one; PAD has 0, grey.

    `pictures` are the tokens of each. Within one, different tokens have different colours as long
    as there are enough. While a person types, a token moves only if its colour is taken.
    """
    count = len(theme.tokens)
    places = {PAD: 0}
    for labels in pictures:
        tokens = dict.fromkeys(labels)
        taken = {places[token] for token in tokens if token in places}
        for token in tokens:
            if token in places:
                continue
            first = zlib.crc32(token.encode())
            wanted = [1 + (first + step) % count for step in range(count)]
            places[token] = next((at for at in wanted if at not in taken), wanted[0])
            taken.add(places[token])
    return places


def tokens_scale(theme: Theme) -> dict[str, Any]:
    """The colours of `token_colors` as the scale of a heatmap."""
    colors = theme.pad, *theme.tokens
    count = len(colors)
    steps = [(at / count, color) for n, color in enumerate(colors) for at in (n, n + 1)]
    return {"colorscale": steps, "zmin": -0.5, "zmax": count - 0.5}
