"""The pictures of the lab: two attentions and their difference, in three places of one size."""

from collections.abc import Sequence
from dataclasses import replace

from explorer.analysis.attention import ATTENTION_NAMES, Attention
from explorer.analysis.side_by_side import WeightsApart
from explorer.drawing.grid import level
from explorer.drawing.labels import disambiguated, elide
from explorer.figures.attention import Heads
from explorer.figures.side_by_side import SAME, difference_panel, weights_panel
from explorer.languages import arrow, isolated, mark, tr
from explorer.views.looks import heads_of, in_words
from explorer.views.picture import Picture

_TITLES = {"a": mark("Lab a"), "b": mark("Lab b")}


def side_pictures(
    sides: Sequence[tuple[str, Attention]], head: int, apart: WeightsApart | None
) -> list[Picture]:
    """One head of two sides, each with its name, and their difference if there is one."""
    drawn = [heads_of(attention) for _, attention in sides]
    made = [
        Picture(
            key=f"lab_{side}",
            title=tr(_TITLES[side]),
            drawing=weights_panel(heads, head, kind=attention.kind, name=side.upper()),
            alt=tr(
                "{name}, {attention}, head {head}. {seen}",
                name=name,
                attention=tr(ATTENTION_NAMES[attention.kind]),
                head=head + 1,
                seen=in_words(attention, head),
            ),
        )
        for side, heads, (name, attention) in zip("ab", drawn, sides, strict=False)
    ]
    if apart is not None:
        made.append(
            Picture(
                key="lab_difference",
                title=tr("Lab difference"),
                drawing=difference_panel(apart.difference, _of_both(apart)),
                alt=tr("B − A, cell by cell: {largest}", largest=largest_in_words(apart)),
            )
        )
    level([picture.drawing for picture in made])
    return made


def largest_in_words(apart: WeightsApart) -> str:
    """The cell in which the two differ most."""
    heads, (query, key) = _of_both(apart), apart.where
    change = float(apart.difference[query, key])
    if abs(change) < SAME:
        return tr("no cell differs")
    read, looked = (
        disambiguated(labels, most=28, positions=positions)[at]
        for labels, positions, at in (
            (heads.query_labels, heads.query_positions, query),
            (heads.key_labels, heads.key_positions, key),
        )
    )
    if heads.writes is not None:
        read = arrow(read, elide(heads.writes[query], 12))
    values = {"query": read, "key": looked, "change": abs(change)}
    if change > 0:
        return tr("“{query}” looks at “{key}” {change:.3f} more in B than in A", **values)
    return tr("“{query}” looks at “{key}” {change:.3f} less in B than in A", **values)


def _of_both(apart: WeightsApart) -> Heads:
    """The labels of the difference: the words of both where they are not the same."""
    a, b = heads_of(apart.a), heads_of(apart.b)
    rows, columns = (
        [
            one if one == other else f"{isolated(elide(one, 7))} / {isolated(elide(other, 7))}"
            for one, other in zip(*labels, strict=True)
        ]
        for labels in ((a.query_labels, b.query_labels), (a.key_labels, b.key_labels))
    )
    writes = a.writes if a.writes == b.writes else None
    return replace(a, query_labels=rows, key_labels=columns, writes=writes)
