"""The target twice, one step apart: what the decoder reads, and what it is asked for."""

from collections.abc import Sequence
from typing import Final

from explorer.drawing.drawing import Cells, Drawing, Line, Quantity, Stroke
from explorer.drawing.grid import Grid, Side
from explorer.drawing.labels import escape
from explorer.drawing.theme import INK
from explorer.figures.batch import QUIET, id_text, token_cells
from explorer.languages import tr
from explorer.names import PAD

DOWN: Final = 1.9  # rows from tgt_in to tgt_out
ROWS: Final = (("tgt_in", "tgt[:, :-1]"), ("tgt_out", "tgt[:, 1:]"))
MAX_ARROWS: Final = 40
# The strokes of an arrow to its tip, measured from the token that is read.
TIP: Final = (0.78, DOWN - 0.5)
STROKES: Final = ((0.22, 0.5), (0.75, DOWN - 0.7), (0.6, DOWN - 0.62))
Tokens = Sequence[tuple[str, int]]  # each with its id


def shift(tgt_in: Tokens, tgt_out: Tokens) -> Drawing:
    """`tgt_in` above `tgt_out`, both where they stand in `tgt`; an arrow leads to what comes next.

    All but the last token are read, all but the first are asked for; PAD is not.
    """
    length = len(tgt_in)
    many = length > MAX_ARROWS
    parts = []
    for offset, ((name, cut), tokens) in enumerate(zip(ROWS, (tgt_in, tgt_out), strict=True)):
        token_notes = [
            tr(
                "{token}, id {number}<br>position {position} of tgt",
                token=escape(label),
                number=number,
                position=position,
            )
            for position, (label, number) in enumerate(tokens, offset)
        ]
        cells = Cells(
            **token_cells([[label for label, _ in tokens]]),
            hover=[name],
            tells=[Quantity(tr("token"), values=[token_notes])],
            rows=[f"<b>{name}</b><br>{cut}"],
            columns=list(map(str, range(offset, offset + length))),
            x=offset,
            y=DOWN * offset,
            gap=2,
            texts=[[id_text(*token, words=True) for token in tokens]],
            size=12,
            name=name,
        )
        parts.append(cells)
    picture = Grid(parts, Side(), QUIET, height=178, pad=(0.05, 0.05))
    for position, (label, _) in enumerate(tgt_out):
        for x, y in () if label == PAD or many else STROKES:
            tip = position + TIP[0], TIP[1]
            picture.marks.append(Stroke(start=(position + x, y), end=tip, line=Line(INK.text, 1.6)))
    return picture
