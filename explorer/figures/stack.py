"""Pictures of the tensors inside the model, one row per token."""

from collections.abc import Sequence
from typing import Final, Literal

import numpy as np
from jaxtyping import Float

from explorer.drawing.drawing import Cells, Drawing, Quantity
from explorer.drawing.grid import Grid, Side, amount_colors, few, signed_colors
from explorer.drawing.labels import elide, escape, tick_labels
from explorer.drawing.theme import INK
from explorer.figures.describe import share_in_words
from explorer.languages import tr

SHOWN: Final = 64  # dimensions: more could not be told apart, so they are not sent


def token_heatmap(
    values: Float[np.ndarray, "length width"],
    tokens: Sequence[str],
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
    width = values.shape[1]
    names = [escape(elide(name, 14)) for name in columns or []]
    named = bool(names) and width <= 40
    cells = Cells(
        values=values,
        colors=signed_colors(values),
        hover=["%{y}", f"{what} %{{x}}"],
        tells=[Quantity(digits=4)],
        rows=tick_labels(tokens),
        columns=names,
        digits=2 if few(values) else None,
    )
    side = Side(
        color=INK.text if names else INK.muted,
        title="" if names else what,
        title_color=INK.muted,
        hidden=bool(names) and not named,
    )
    bar = tr("share") if scale == "weights" else tr("values")
    picture = Grid([cells], Side(), side, bar=bar, shrinks=True)
    if token is not None:
        picture.frame((0, width - 1), (token, token))
    return picture


def stream(
    values: Float[np.ndarray, "length stops"],
    tokens: Sequence[str],
    stops: Sequence[str],
    *,
    here: int | None,
) -> Drawing:
    """The residual stream: how alike each token's vector at each stop is to its first one.

    One row per token, one column per stop; `here` is framed.
    """
    measure = tr("likeness to the start")
    cells = Cells(
        values=values,
        colors=signed_colors(values, top=1.0),
        hover=["%{y}", "%{x}"],
        tells=[Quantity(measure, 4)],
        rows=tick_labels(tokens),
        columns=list(stops),
        digits=2 if few(values) else None,
    )
    picture = Grid([cells], Side(), Side(), bar=measure, shrinks=True)
    if here is not None:
        picture.frame((here, here), (0, len(values) - 1))
    return picture


def _guess(word: str, share: float, *, final: bool) -> str:
    """A word; if it is that of the last row, with the probability that its colour says."""
    shown = escape(elide(word, 9))
    return f"<b>{shown}</b><br>{escape(share_in_words(share))}" if final else shown


def lens(
    words: Sequence[Sequence[str]],
    sure: Float[np.ndarray, "stops length"],
    final: Float[np.ndarray, "stops length"],
    tokens: Sequence[str],
    stops: Sequence[str],
    *,
    token: int | None = None,
) -> Drawing:
    """One row per stop, one column per token read: the likeliest next word.

    A cell is coloured by the probability of the word of the last row, which is bold where it is the
    likeliest. `token` is framed.
    """
    agrees = np.array([[a == b for a, b in zip(line, words[-1], strict=True)] for line in words])
    columns = tick_labels(tokens)
    rows = [escape(stop) for stop in stops]
    cells = Cells(
        values=final,
        colors=amount_colors(),
        hover=[tr("%{y}, after reading %{x}")],
        tells=[
            Quantity(tr("likeliest"), values=[[escape(word) for word in line] for line in words]),
            Quantity(tr("probability"), 4, values=sure),
        ],
        rows=rows,
        columns=columns,
        size=12,
        texts=[
            [
                _guess(word, share, final=is_final)
                for word, share, is_final in zip(line, shares, finals, strict=True)
            ]
            for line, shares, finals in zip(words, sure.tolist(), agrees.tolist(), strict=True)
        ],
    )
    titled = Side(title=tr("words read"), title_color=INK.decoder)
    bar = tr("probability of the final word")
    picture = Grid([cells], Side(), titled, row=40, bar=bar, shrinks=True)
    if token is not None:
        picture.frame((token, token), (0, len(rows) - 1))
    return picture
