"""The target twice, one step apart: what the decoder reads, and what it is asked for."""

from collections.abc import Sequence
from typing import Final

from explorer.figures.batch import id_text, numbered, token_cells, word_room
from explorer.figures.drawing import Drawing, Room
from explorer.figures.grid import TEXT, Cells, Grid, Side
from explorer.figures.labels import PAD, escape
from explorer.figures.theme import Theme
from explorer.languages import tr

DOWN: Final = 1.9  # rows from what is read to what is asked for
ROWS: Final = (("tgt_in", "tgt[:, :-1]"), ("tgt_out", "tgt[:, 1:]"))
MOST_ARROWS: Final = 40
# An arrow is drawn as strokes to its tip. Their places count from the token that is read.
TIP: Final = (0.78, DOWN - 0.5)
STROKES: Final = ((0.22, 0.5), (0.75, DOWN - 0.7), (0.6, DOWN - 0.62))
Tokens = Sequence[tuple[str, int]]  # each with its id


def shift(reads: Tokens, asked: Tokens, theme: Theme) -> Drawing:
    """`tgt_in` above `tgt_out`, both where they stand in `tgt`; an arrow leads to what comes next.

    All but the last token are read, all but the first are asked for; PAD is not.
    """
    length = len(reads)
    many = length > MOST_ARROWS
    parts = []
    for at, ((name, cut), tokens) in enumerate(zip(ROWS, (reads, asked), strict=True)):
        said = [
            tr(
                "{token}, id {number}<br>position {position} of tgt",
                token=escape(label),
                number=number,
                position=place,
            )
            for place, (label, number) in enumerate(tokens, at)
        ]
        cells = Cells(
            **token_cells([[label for label, _ in tokens]], theme),
            hover=[name, tr("token %{customdata}")],
            rows=[f"<b>{name}</b><br>{cut}"],
            columns=list(map(str, range(at, at + length))),
            x=at,
            y=DOWN * at,
            gap=2,
            written=TEXT,
            size=12,
            text=[[id_text(*token, words=True) for token in tokens]],
            customdata=[said],
            name=name,
        )
        parts.append(cells)
    room = Room(
        height=178,
        left=84,
        right=4,
        top=24,
        bottom=6,
        across=(length + 1) * word_room(label for label, _ in (*reads, *asked)),
    )
    picture = Grid(parts, Side(size=12), numbered(length, theme), theme, room, pad=(0.05, 0.05))
    for place, (label, _) in enumerate(asked):
        for x, y in () if label == PAD or many else STROKES:
            picture.stroke((place + x, y), (place + TIP[0], TIP[1]), theme.text, width=1.6)
    return picture.drawn()
