"""Pictures of masks: one flat colour per reason, with a legend."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from jaxtyping import Bool, Float, UInt8

from explorer.drawing.drawing import REASON_NAMES, Cells, Drawing, Entry, Quantity, Scale
from explorer.drawing.grid import HIDDEN, Grid, Side, steps
from explorer.drawing.labels import tick_labels
from explorer.drawing.theme import INK
from explorer.figures.attention import query_and_key
from explorer.figures.batch import QUIET, sentences
from explorer.languages import numeral, tr


def mask_row(
    panels: Sequence[tuple[str, UInt8[np.ndarray, "query key"]]],
    query_labels: Sequence[str],
    key_labels: Sequence[str],
    *,
    kind: str | None = None,
    blank_rows: Bool[np.ndarray, " query"] | None = None,
) -> Drawing:
    """Masks of one sentence side by side, with tokens on both axes.

    A panel is a title and codes 0 … 3: may attend, future, key is PAD, both. `blank_rows` are left
    empty in every panel.
    """
    n_keys = len(key_labels)
    step = n_keys + max(1.5, 0.14 * n_keys)
    rows, columns = tick_labels(query_labels), tick_labels(key_labels)
    titles = [title for title, _ in panels]
    parts = [
        reason_cells(
            codes if blank_rows is None else np.where(blank_rows[:, None], np.nan, codes),
            kind,
            rows=rows,
            columns=columns,
            x=number * step,
            name=title,
        )
        for number, (title, codes) in enumerate(panels)
    ]
    legend = reason_entries(kind)
    picture = Grid(parts, Side(), Side(), height=400, over=28, legend=legend, pad=(0.05, 0.05))
    picture.titles(titles)
    return picture


def mask_grid(
    codes: UInt8[np.ndarray, "batch query key"],
    query_labels: Sequence[Sequence[str]],
    key_labels: Sequence[Sequence[str]],
    focus: int,
    *,
    across: int = 4,
) -> Drawing:
    """The masks of all sentences side by side; the one in focus is framed."""
    batch, n_queries, n_keys = codes.shape
    step_x, step_y = n_keys * 1.1, n_queries * 1.25
    parts = [
        reason_cells(
            codes[number],
            "decoder",
            rows=tick_labels(query_labels[number]),
            columns=tick_labels(key_labels[number]),
            x=(number % across) * step_x,
            y=(number // across) * step_y,
            name=str(number + 1),
        )
        for number in range(batch)
    ]
    picture = Grid(
        parts,
        HIDDEN,
        HIDDEN,
        height=60 + math.ceil(batch / across) * 190,
        over=24,
        pitch=100 / n_keys,
        legend=reason_entries("decoder"),
        pad=(0.2, 0.2),
        count=(across - 1) * step_x + n_keys,
    )
    picture.captions(sentences(batch), focus)
    return picture


def source_mask(allowed: Bool[np.ndarray, "batch key"]) -> Drawing:
    """The source masks, one row per sentence, because a mask is the same for every query."""
    batch, n_keys = allowed.shape
    cells = reason_cells(
        np.where(allowed, 0, 2),
        "encoder",
        hover=[tr("%{y}, position %{x}")],
        rows=sentences(batch),
        columns=list(map(str, range(n_keys))),
        name=tr("source mask"),
    )
    return Grid([cells], QUIET, QUIET, legend=reason_entries("encoder", codes=(0, 2)))


def additive_panels(
    scores: Float[np.ndarray, "query key"],
    mask: Float[np.ndarray, "query key"],
    masked: Float[np.ndarray, "query key"],
) -> Drawing:
    """Scores + additive mask = masked scores, as numbers in cells; −∞ is drawn as hidden."""
    size = len(mask)
    parts = []
    for number, values in enumerate((scores, mask, masked)):
        texts = [
            ["−∞" if v == -np.inf else numeral(v, "g") for v in row] for row in values.tolist()
        ]
        parts.append(
            Cells(
                values=np.zeros(values.shape, np.uint8),
                colors=steps((INK.amounts[0][1],)),
                hidden=np.isneginf(values),
                hover=query_and_key(),
                tells=[Quantity(values=texts)],
                x=number * (size + 1.5),
                texts=texts,
                size=12,
            )
        )
    picture = Grid(parts, HIDDEN, HIDDEN, height=360, over=28, pad=(0.05, 0.05))
    picture.titles([tr("scores"), tr("mask: 0 or −∞"), tr("scores + mask")])
    picture.signs(["+", "="])
    return picture


def reason_cells(
    codes: np.ndarray,
    kind: str | None,
    *,
    mask: str = "",
    hover: Sequence[str] = (),
    **more: Any,
) -> Cells:
    """Cells that say by their code what is hidden, and why; NaN is left empty.

    What may be attended to has the colour of the `kind` of attention, what may not is hatched.
    A `mask` beside others says its name.
    """
    names = np.array([*map(tr, REASON_NAMES), ""], dtype=object)
    why = names[np.nan_to_num(codes, nan=4).astype(int)].tolist()
    return Cells(
        values=codes,
        colors=reason_colors(kind),
        hidden=np.nan_to_num(codes),
        hatch=INK.lines[2],
        pair=kind or "",
        hover=[*([f"<b>{mask}</b>"] if mask else []), *(hover or query_and_key())],
        tells=[Quantity(values=why)],
        **more,
    )


def reason_colors(kind: str | None) -> Scale:
    """The colours of the codes 0 … 3."""
    return steps((INK.tint(kind), INK.masked, INK.masked, INK.masked))


def reason_entries(kind: str | None, codes: Sequence[int] = (0, 1, 2, 3)) -> list[Entry]:
    """The reasons in the legend."""
    return [
        Entry(name=tr(REASON_NAMES[code]), color=INK.masked if code else INK.tint(kind), code=code)
        for code in codes
    ]
