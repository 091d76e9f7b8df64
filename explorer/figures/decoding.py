"""Pictures of decoding: weights of the newest position, word probabilities, the search tree."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from jaxtyping import Bool, Float

from explorer.drawing.drawing import VALUE, Axis, Bars, Cells, Curve, Drawing, Line, Quantity, Room
from explorer.drawing.grid import Grid, Side, few, weight_colors
from explorer.drawing.labels import elide, escape, tick_labels
from explorer.drawing.theme import INK, SMALLEST_WEIGHT
from explorer.figures.arithmetic import signed_number
from explorer.figures.charts import axis_above, bar_chart
from explorer.figures.describe import share_in_words
from explorer.languages import tr

_STEP: Final = 80  # pixels from one step of the tree to the next
_ROW: Final = 23  # pixels from head to head, and from word to word


def newest(
    weights: Float[np.ndarray, "heads key"],
    may_attend: Bool[np.ndarray, " key"],
    keys: Sequence[str],
    *,
    kind: str,
    title: str,
    room: int = 0,
) -> Drawing:
    """The newest position's weights, one row per head.

    There are `room` columns at least: those beyond the words are of the future.
    """
    heads, n_keys = weights.shape
    count = max(n_keys, room)
    values = np.zeros((heads, count), np.float32)
    values[:, :n_keys] = np.where(may_attend, np.maximum(weights, SMALLEST_WEIGHT), 0.0)
    hidden = np.full((heads, count), 1)  # the future, in the codes of explorer.masks
    hidden[:, :n_keys] = np.where(may_attend, 0, 2)
    cells = Cells(
        values=values,
        colors=weight_colors(kind),
        hidden=hidden,
        hover=["%{y}", "%{x}"],
        tells=[Quantity(tr("weight"), 4)],
        rows=[tr("head {head}", head=head + 1) for head in range(heads)],
        columns=[*tick_labels(keys), *[""] * (count - n_keys)],
        digits=2 if few(values) else None,
    )
    return Grid([cells], Side(), Side(title=title, title_color=INK.hue(kind)))


def next_words(
    probabilities: Float[np.ndarray, " shown"],
    own: Float[np.ndarray, " shown"] | None,
    names: Sequence[str],
    chosen: int,
    *,
    rest: str = "",
    top: int = 30,
) -> Drawing:
    """The probabilities that a word is chosen by, as bars; with `own`, the model's own as outlines.

    `chosen` is the index of the chosen word. The last bar is what others have together, if it is
    called `rest`. The bars begin `top` pixels down.
    """
    labels = [escape(elide(name)) for name in names]
    colors = [INK.text if at == chosen else INK.tint(None) for at in range(len(names))]
    if rest:
        labels.append(f'<span style="color:{INK.muted}">{rest}</span>')
        colors.append(INK.line)
    labels = [f"<b>{label}</b>" if at == chosen else label for at, label in enumerate(labels)]
    bars = [
        Bars(
            values=probabilities.astype(np.float32),
            rows=labels,
            tells=Quantity(digits=4, around=f"%{{y}}<br>{VALUE}"),
            width=0.7,
            colors=colors,
            texts=[share_in_words(value, 3) for value in probabilities.tolist()],
            size=12,
            name=tr("probability"),
        )
    ]
    if own is not None:
        bars.append(
            Bars(
                values=own.astype(np.float32),
                rows=labels,
                tells=Quantity(digits=4, around=tr("%{}, the model's own")),
                width=0.88,
                outline=Line(INK.text, 1.5),
                name="the model's own",
            )
        )
    across = axis_above((0.0, 1.0), places=[0, 0.5, 1.0], lines=True)
    return bar_chart(bars, across, "bars", row=_ROW, top=top, count=8)


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


def tree(nodes: Sequence[Node], *, depth: int, width: int, at: int) -> Drawing:
    """One column per step, best on top; dropped words are faint, the answer's path is strong.

    The step `at` is framed; 1 has the first words.
    """
    rows, counts = _ranks(nodes)
    tallest = max(2 * width, 4)
    room = Room(
        height=60 + 34 * tallest, left=30, right=40, top=26, bottom=10, across=(depth + 1) * _STEP
    )
    ways = []
    shown = [(node, row) for node, row in zip(nodes, rows, strict=True) if row < tallest]
    texts = [_label(node) for node in nodes]
    for strong in (False, True):
        drawn = [
            row < tallest and node.best == strong for node, row in zip(nodes, rows, strict=True)
        ]
        x, y = _edges(nodes, rows, texts, drawn)
        line = Line(INK.text if strong else INK.tint(None), 2 if strong else 1)
        ways.append(Curve(x=x, y=y, name="way", line=line))
    named = [tr("start"), *(tr("word {n}", n=n) for n in range(1, depth + 1))]
    steps = axis_above((-0.3, depth + 0.9), places=range(depth + 1), names=named)
    picture = Drawing(
        room=room,
        axes=[steps, Axis(letter="y", ends=(-0.6, tallest - 0.4), shown=False)],
        parts=[*ways, _dots(nodes, shown)],
        kind=f"{depth}×{width}",
    )
    if at in counts:
        picture.frame((at + 0.36, at + 0.36), (0, min(counts[at], tallest) - 1), INK.muted, 1)
    return picture


def _ranks(nodes: Sequence[Node]) -> tuple[list[int], dict[int, int]]:
    """The rank of each node within its step, from 0, and how many nodes each step has."""
    ranks: list[int] = []
    counts: dict[int, int] = {}
    for node in nodes:  # within a step, best first
        ranks.append(counts.get(node.depth, 0))
        counts[node.depth] = ranks[-1] + 1
    return ranks, counts


def _label(node: Node) -> list[str]:
    return [elide(node.word, 10), signed_number(node.score, 2)]


def _dots(every: Sequence[Node], shown: Sequence[tuple[Node, int]]) -> Curve:
    """A dot for each node in its row, with its word and, if it was kept, its score."""
    nodes = [node for node, _ in shown]
    before = ["" if node.parent is None else every[node.parent].word for node in nodes]
    return Curve(
        x=np.array([node.depth for node in nodes]),
        y=np.array([row for _, row in shown]),
        tells=[
            Quantity(tr("word"), values=[escape(node.word) for node in nodes]),
            Quantity(tr("the word before"), values=list(map(escape, before))),
            Quantity(
                tr("probability of the sentence so far"), 4, [node.probability for node in nodes]
            ),
        ],
        sizes=[11 if node.kept else 6 for node in nodes],
        colors=[
            INK.text if node.best else INK.muted if node.kept else INK.tint(None) for node in nodes
        ],
        labels=["<br>".join(map(escape, _label(node)[: 2 if node.kept else 1])) for node in nodes],
        label_colors=[INK.text if node.kept else INK.muted for node in nodes],
        name="hypotheses",
    )


def _edges(
    nodes: Sequence[Node],
    rows: Sequence[int],
    texts: Sequence[Sequence[str]],
    drawn: Sequence[bool],
) -> tuple[np.ndarray, np.ndarray]:
    """Lines from parents to those children that are drawn.

    They begin where the texts of a parent have ended, and turn where all texts of its step have, by
    the usual width of a letter: so that they cross none.
    """
    ends = [(14 + 6.5 * max(map(len, text))) / _STEP for text in texts]
    bends: dict[int, float] = {}
    for node, end in zip(nodes, ends, strict=True):
        bends[node.depth] = max(end, bends.get(node.depth, 0.0))
    x: list[float] = []
    y: list[float] = []
    for node, row, is_drawn in zip(nodes, rows, drawn, strict=True):
        if node.parent is None or not is_drawn:
            continue
        before, row_before = nodes[node.parent].depth, rows[node.parent]
        x += [before + ends[node.parent], before + bends[before], float(node.depth), np.nan]
        y += [float(row_before), float(row_before), float(row), np.nan]
    return np.array(x), np.array(y)
