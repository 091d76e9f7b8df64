"""Which part carries the difference between two sentences? What each patch changes."""

from collections.abc import Sequence

import numpy as np

from explorer.analysis.attention import KIND_NAMES, word_positions
from explorer.analysis.causes.asked import Asked, Effects, Head, by_head, head_in_words
from explorer.drawing.labels import tick_labels
from explorer.figures import causes as figures
from explorer.figures.causes import Block
from explorer.languages import arrow, between, tr
from explorer.views.picture import Picture
from explorer.views.why.heads import CHOOSES
from explorer.views.why.parts import code_of, grid_of_heads


def answer(asked: Asked, other: float, heads: Effects, at: Head, patched: float) -> tuple[str, str]:
    """The difference between the sentences, and how far a head of B moves A, in words."""
    apart = tr(
        "{measure}: {before} in A, {after} in B.",
        measure=asked.measure,
        before=asked.level(asked.question.answer),
        after=asked.level(other),
    )
    return apart, tr(
        "With {head} alone taken from B, A comes {percent:.0f}% of the way to B: {result}.",
        head=head_in_words(*at),
        percent=100 * by_head(heads)[at],
        result=asked.level(patched),
    )


def heads_picture(asked: Asked, heads: Effects, at: Head, other: str) -> Picture:
    """How far each head of B moves A towards B."""
    return grid_of_heads(
        heads,
        key="why_patch",
        title=tr("Each head taken from B"),
        what=tr("share of the way from A to B"),
        caption=tr(
            "0: as in A, 1: as in B. A head that others outvote moves little: 0 does not say that "
            "it plays no part."
        ),
        code=code_of(asked, "difference", 0, other=other),
        mark=at,
        click=CHOOSES,
    )


def positions_picture(asked: Asked, effects: Effects, other: str) -> Picture:
    """How far each position of each layer of B moves A towards B."""
    parts = []
    for kind, grid in effects.items():
        labels = asked.prefix if kind != "encoder" else asked.source
        shown = word_positions(labels)
        values = grid[:, shown]
        parts.append(
            Block(
                name=kind,
                title=tr(KIND_NAMES[kind]),
                columns=tick_labels([labels[at] for at in shown], positions=shown),
                values=values,
                first=int(kind == "cross"),
            )
        )
    deepest = max(part.first + len(part.values) for part in parts)
    rows = [tr("embedding"), *(tr("layer {layer}", layer=n) for n in range(1, deepest))]
    largest = []
    for part in parts:
        row, column = np.unravel_index(np.abs(part.values).argmax(), part.values.shape)
        largest.append(
            f"{part.title}: {part.columns[column]}, {rows[part.first + row]}, "
            f"{part.values[row, column]:.2f}"
        )
    return Picture(
        key="why_positions",
        title=tr("Each position taken from B"),
        drawing=figures.blocks(parts, rows, what=tr("share of the way from A to B")),
        alt=tr(
            "How far each position of each layer brings A to B. The largest: {words}.",
            words=between("; ").join(largest),
        ),
        caption=_caption("cross" in effects),
        code=code_of(asked, "difference", 1, other=other),
    )


def _caption(crosses: bool) -> str:
    if crosses:
        return tr(
            "The whole vector at one position, as each layer leaves it or cross-attention brings "
            "it: where does the difference travel?"
        )
    return tr(
        "The whole vector at one position, as each layer leaves it: where does the difference "
        "travel?"
    )


def answers(sources: Sequence[str], written: Sequence[str]) -> str:
    """The model's answers to A and to B, a line each."""
    a, b = map(arrow, sources, written)
    return tr("A: {a}\nB: {b}", a=a, b=b)


def lengths_differ(mine: int, its: int) -> str:
    """Why two sentences cannot be compared position by position."""
    return tr(
        "B must have as many pieces as A, which has {mine}, and it has {its}: choose another word "
        "of as many pieces.",
        mine=mine,
        its=its,
    )


def no_difference(asked: Asked, other: float) -> str:
    """Why no way from A to B is worth following."""
    return tr(
        "B changes next to nothing here: {before} in A, {after} in B. Change another word in B, or "
        "ask about another piece.",
        before=asked.level(asked.question.answer),
        after=asked.level(other),
    )
