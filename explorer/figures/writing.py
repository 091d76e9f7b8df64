"""The whole model in one picture: what is read, what is written, and lines from word to word."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from jaxtyping import Float, Int

from explorer.drawing.drawing import Axis, Curve, Drawing, Line, Quantity, Room
from explorer.drawing.labels import elide, escape, label_room, slanted_height
from explorer.drawing.theme import INK
from explorer.languages import tr

ACROSS: Final = 3.0  # layers' heights between the stacks
LAYER: Final = 42  # pixels
SHADES: Final = 6  # of the lines: weaker ones are thinner and paler
Ends = tuple[float, float, float, float]  # of a line: from x and y to x and y


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """The words of a stack, and the lines between them: layer, query and key of each."""

    words: Sequence[str]
    n_layers: int
    places: Int[np.ndarray, "line 3"]
    weights: Float[np.ndarray, " line"]


def writing(
    read: Words | None,
    written: Words | None,
    looks: Sequence[tuple[int, int, float]],
) -> Drawing:
    """The encoder reads downwards, the decoder writes upwards, and between them `looks` go across.

    A look is a row of the decoder, a key, and a weight.
    """
    count = max(len(side.words) for side in (read, written) if side is not None)
    deep = 0 if read is None else read.n_layers
    both = read is not None and written is not None
    down = deep + (ACROSS if both else 0.0) + (0 if written is None else written.n_layers)
    labels = [[] if side is None else _labels(side.words) for side in (read, written)]
    over = [round(slanted_height(label_room(names, size=13))) + 12 for names in labels]
    room = Room(left=24, right=24, top=over[0], bottom=over[1], across=count * 34,
                down=round(LAYER * down))  # fmt: skip
    places = [_centred(len(names), count) for names in labels]
    parts: list[Curve] = []
    if read is not None:
        parts += _stack(read, places[0], 0.0, 1.0, INK.encoder)
    if written is not None:
        parts += _stack(written, places[1], float(down), -1.0, INK.decoder)
    if read is not None and written is not None:
        ends = [
            (places[0][key], float(deep), places[1][row], deep + ACROSS) for row, key, _ in looks
        ]
        words = [(written.words[row], read.words[key]) for row, key, _ in looks]
        parts += _lines(ends, words, np.array([weight for *_, weight in looks]), INK.cross)
    above, below = (
        Axis(letter="x", ends=(0, count), places=at, names=names, top=top)
        for at, names, top in zip(places, labels, (True, False), strict=True)
    )
    axes = [above, below, Axis(letter="y", ends=(0, down), shown=False)]
    return Drawing(room=room, axes=axes, parts=parts)


def _labels(words: Sequence[str]) -> list[str]:
    return [escape(elide(word)) for word in words]


def _centred(count: int, room: int) -> list[float]:
    return [(room - count) / 2 + at + 0.5 for at in range(count)]


def _stack(
    side: Words, places: Sequence[float], begin: float, step: float, color: str
) -> Iterator[Curve]:
    """The lines of a stack whose layers go on by a step, down or up."""
    lines = side.places.tolist()
    ends = [
        (places[key], begin + step * layer, places[query], begin + step * (layer + 1))
        for layer, query, key in lines
    ]
    words = [(side.words[query], side.words[key]) for _, query, key in lines]
    layers = Quantity(tr("layer"), 0, side.places[:, 0] + 1)
    return _lines(ends, words, side.weights, color, layers)


def _lines(
    ends: Sequence[Ends],
    words: Sequence[tuple[str, str]],
    weights: Float[np.ndarray, " line"],
    color: str,
    *more: Quantity,
) -> Iterator[Curve]:
    """Lines of one colour, those of a like weight together.

    Where one ends, its words are told, query and key, and its weight.
    """
    shades = np.minimum((SHADES * weights).astype(int), SHADES - 1).tolist()
    of_shade: list[list[Ends]] = [[] for _ in range(SHADES)]
    for shade, line in zip(shades, ends, strict=True):
        of_shade[shade].append(line)
    for shade, lines in enumerate(of_shade):
        share = (shade + 0.5) / SHADES
        x = [place for x0, _, x1, _ in lines for place in (x0, x1, np.nan)]
        y = [place for _, y0, _, y1 in lines for place in (y0, y1, np.nan)]
        if lines:
            yield Curve(
                x=np.array(x),
                y=np.array(y),
                line=Line(color, round(0.6 + 6 * share, 1)),
                opacity=round(0.15 + 0.7 * share, 2),
            )
    if ends:
        queries, keys = ([escape(pair[side]) for pair in words] for side in (0, 1))
        names = Quantity(tr("query"), values=queries), Quantity(tr("key"), values=keys)
        yield Curve(
            x=np.array([x for _, _, x, _ in ends]),
            y=np.array([y for *_, y in ends]),
            tells=[*more, *names, Quantity(tr("weight"), 2, weights)],
        )
