"""Pictures of causes: words and parts, what each did for the word in question."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from jaxtyping import Float

from explorer.drawing.drawing import VALUE, Bars, Cells, Drawing, Quantity, Scale
from explorer.drawing.grid import Grid, Side, cell_pixels, max_abs, signed_colors
from explorer.drawing.labels import escape, label_room, tick_labels
from explorer.drawing.theme import INK
from explorer.figures.charts import axis_above, bar_chart
from explorer.languages import numeral, tr

MAX_NUMBERS: Final = 26  # columns with numbers in their cells


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """The numbers of some methods for the words of one side: a row for each method."""

    title: str
    color: str  # of the title
    labels: Sequence[str]
    values: Float[np.ndarray, "methods words"]
    texts: Sequence[Sequence[str]]  # the numbers as text
    positions: Sequence[int] | None = None  # of the labels, where some are left out


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """Numbers by layer and head, or by layer and word, of one attention or one stack."""

    name: str  # in a click
    title: str
    columns: Sequence[str]
    values: Float[np.ndarray, "layers columns"]
    first: int = 0  # the row at which it begins
    mark: tuple[int, int] | None = None  # the row and column that are framed


def by_words(
    methods: Sequence[str],
    sides: Sequence[Words],
    *,
    in_nats: Sequence[bool],
    least: float = 0.0,
) -> Drawing:
    """A row for each method, a column for each word read.

    The rows `in_nats` have one scale, up to the largest of their numbers or `least`; those of
    shares have another. If there is one row only, its largest cell is framed.
    """
    count = sum(len(side.labels) for side in sides)
    nats = np.array(in_nats)
    of_nats, of_shares = ([side.values[rows] for side in sides] for rows in (nats, ~nats))
    tops = np.where(nats, max_abs(*of_nats, np.array([least])), max_abs(*of_shares, np.zeros(1)))
    parts, x = [], 0.0
    for side in sides:
        exact = np.where(np.array(side.texts) == "–", np.nan, side.values)
        parts.append(
            Cells(
                values=side.values / tops[:, None],
                colors=Scale(INK.signed, -1.0, 1.0),
                hover=["<b>%{x}</b>"],
                tells=[Quantity(values=side.texts, exact=exact, around=f"%{{y}}: {VALUE}")],
                rows=[escape(method) for method in methods],
                columns=tick_labels(side.labels, positions=side.positions),
                x=x,
                texts=side.texts if count <= MAX_NUMBERS else None,
                size=11,
                name=side.title,
            )
        )
        x += len(side.labels) + 0.6
    row = 52 if len(methods) == 1 else 30
    pitch = max(14, *cell_pixels(parts))
    # A title may be longer than its few columns.
    beyond = round(1.1 * label_room([sides[-1].title]) - len(sides[-1].labels) * pitch)
    picture = Grid(parts, Side(), Side(), row=row, over=28, right=max(4, beyond), shrinks=True)
    for part, side in zip(parts, sides, strict=True):
        picture.title(part, escape(side.title), side.color, across=0.0)
    if len(methods) == 1:
        sizes = [np.abs(side.values[0]) for side in sides]
        most = int(np.argmax([size.max() for size in sizes]))
        at = parts[most].x + int(sizes[most].argmax())
        picture.frame((at, at), (0, 0))
    return picture


def deletion(
    methods: Sequence[str],
    left: Float[np.ndarray, "methods taken"],
    best: Sequence[int],
    *,
    is_share: bool,
) -> Drawing:
    """The measure after 0, 1, 2 … words were taken away, a row for each order; and its mean.

    The rows of the `best` orders are framed.
    """
    scale = Scale(INK.weights(None), 0.0, 1.0) if is_share else signed_colors(left)
    count = left.shape[1]
    about: dict[str, Any] = {
        "colors": scale,
        "rows": [escape(method) for method in methods],
        "tells": [Quantity(digits=3)],
    }
    mean = left.mean(axis=1, keepdims=True)
    taken = Cells(
        values=left,
        texts=_numbers(left),
        columns=[str(number) for number in range(count)],
        hover=["%{y}", tr("pieces taken away") + ": %{x}"],
        name=tr("pieces taken away"),
        **about,
    )
    means = Cells(
        values=mean,
        texts=_numbers(mean),
        columns=[tr("mean")],
        hover=["%{y}", "%{x}"],
        x=count + 0.3,
        name=tr("mean"),
        **about,
    )
    columns = Side(title=tr("pieces taken away"), title_color=INK.muted)
    picture = Grid([taken, means], Side(), columns)
    for row in best:
        picture.frame((0, count + 0.3), (row, row))
    return picture


def waterfall(names: Sequence[str], values: Float[np.ndarray, " parts"], total: str) -> Drawing:
    """A sum, part by part: each bar begins where the one above it ends; the last is the sum."""
    ends = np.cumsum(values)
    whole = float(ends[-1])
    rows = [*map(escape, names), f"<b>{escape(total)}</b>"]
    begins = [*np.concatenate([[0.0], ends[:-1]]).tolist(), 0.0]
    lengths = [*values.tolist(), whole]
    up, down = INK.signed[-2][1], INK.signed[1][1]
    bars = Bars(
        values=np.array(lengths),
        rows=rows,
        tells=Quantity(digits=3, plus="+", around=f"%{{y}}: {VALUE}"),
        begins=begins,
        width=0.7,
        colors=[up if length >= 0 else down for length in lengths[:-1]] + [INK.text],
        name=total,
    )
    places = [0.0, *ends.tolist()]
    low, high = min(places), max(places)
    span = high - low or 1.0
    across = axis_above((low, high + 0.12 * span), lines=True)
    picture = bar_chart([bars], across, "waterfall", row=18)
    # On the right of every bar: on the left stand the names.
    for row, (begin, length) in enumerate(zip(begins, lengths, strict=True)):
        label = signed(length)
        at = max(begin, begin + length)
        picture.annotate(label, at, row, size=12, across=0.0, shift=(4, 0))
    return picture


def blocks(
    parts: Sequence[Block],
    rows: Sequence[str],
    *,
    what: str,
    least: float = 0.0,
) -> Drawing:
    """Blocks side by side, with rows and one signed scale in common; `what` their numbers are.

    The scale reaches to the largest number, and to `least` at least. If there are few columns,
    their cells have numbers in them.
    """
    values = [part.values for part in parts]
    scale = signed_colors(top=max_abs(*values, np.array([least])))
    numbers = sum(len(part.columns) for part in parts) <= MAX_NUMBERS
    cells, x = [], 0.0
    for part in parts:
        deep, across = part.values.shape
        cells.append(
            Cells(
                values=part.values,
                colors=scale,
                hover=[escape(part.title), "%{y} · %{x}"],
                tells=[Quantity(what, 3, plus="+")],
                rows=rows[part.first : part.first + deep],
                columns=part.columns,
                x=x,
                y=part.first,
                texts=_shortly(part.values) if numbers else None,
                name=part.name,
            )
        )
        x += across + 0.7
    height = 300  # few layers are not flat
    picture = Grid(cells, Side(), Side(), height=height, over=28, bar=what, shrinks=True)
    for cell, part in zip(cells, parts, strict=True):
        picture.title(cell, escape(part.title), INK.hue(part.name))
        if part.mark is not None:
            row, column = part.mark
            picture.frame((x := cell.x + column, x), (row, row))
    return picture


def matrix(
    rows: Sequence[str],
    columns: Sequence[str],
    values: Float[np.ndarray, "rows columns"],
    *,
    titles: tuple[str, str],
) -> Drawing:
    """A product of two sums: what each pair of their parts put in."""
    numbers = len(columns) <= MAX_NUMBERS
    cells = Cells(
        values=values,
        colors=signed_colors(values),
        hover=["%{y}", "× %{x}"],
        tells=[Quantity(digits=3, plus="+")],
        rows=[escape(name) for name in rows],
        columns=[escape(name) for name in columns],
        texts=_shortly(values) if numbers else None,
    )
    beside, over = (Side(title=title, title_color=INK.muted) for title in titles)
    return Grid([cells], beside, over, height=220, bar=tr("score"), shrinks=True)


def _numbers(values: Float[np.ndarray, "rows columns"]) -> list[list[str]]:
    """Numbers as text, those that are almost 0, too."""
    return [[numeral(x, ".2f") for x in line] for line in values.tolist()]


def signed(value: float) -> str:
    """A number with two decimals and its sign, but for 0."""
    return numeral(value, "+.2f" if abs(value) >= 0.005 else "z.2f")


def _shortly(values: Float[np.ndarray, "rows columns"]) -> list[list[str]]:
    """The same of many, but empty where all digits would be 0."""
    return [[signed(x) if abs(x) >= 0.005 else "" for x in line] for line in values.tolist()]
