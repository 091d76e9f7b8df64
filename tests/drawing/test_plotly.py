"""A drawing as a chart of plotly's: plotly itself checks it; what is hidden says why."""

from dataclasses import replace

import numpy as np
import pytest

from explorer.drawing.drawing import REASON_NAMES
from explorer.drawing.plotly import figure
from explorer.drawing.theme import DARK, LIGHT, Theme
from explorer.figures.attention import one_head
from explorer.figures.side_by_side import weights_panel
from tests.figures.test_attention import numbered
from tests.render.drawings import drawings

WORDS = ["a", "b", "PAD"]
# The last key is PAD, which the last query sees as little as what comes later.
HEADS = replace(
    numbered(1, WORDS, WORDS), may_attend=np.tril(np.ones((3, 3), bool)) & ([True, True, False])
)


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_plotly_knows_every_word_of_the_pictures(theme: Theme) -> None:
    for _, drawing in drawings(["<b>", "%{z}", "PAD", "a&b"]):
        figure(drawing, theme)  # raises where something is not plotly's


def test_a_stroke_over_each_hidden_cell_and_its_reason() -> None:
    codes = HEADS.hidden("decoder")
    assert set(codes.ravel().tolist()) == {0, 1, 2, 3}
    shown = figure(one_head(HEADS, 0, kind="decoder"), LIGHT)
    names = [trace.name for trace in shown.data[1:]]
    assert names == [REASON_NAMES[code] for code in np.unique(codes[codes > 0])]
    for code, trace in zip(np.unique(codes[codes > 0]), shown.data[1:], strict=True):
        middles = {
            ((x0 + x1) / 2, (y0 + y1) / 2)
            for x0, x1, y0, y1 in zip(
                trace.x[::3], trace.x[1::3], trace.y[::3], trace.y[1::3], strict=True
            )
        }
        assert middles == {(column, row) for row, column in np.argwhere(codes == code).tolist()}


def test_a_hidden_cell_says_why_also_where_its_picture_does_not() -> None:
    panel = weights_panel(HEADS, 0, kind="decoder", name="A")
    (cells, *_) = figure(panel, LIGHT).data
    reasons = np.array([REASON_NAMES[code] if code else "" for code in range(4)])
    for told, reason in zip(cells.customdata, reasons[HEADS.hidden("decoder")], strict=True):
        assert all(text.endswith(why) for text, why in zip(told, reason, strict=True))
