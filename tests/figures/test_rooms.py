"""What a room has answered, as pictures: counts where they belong, and no word as markup."""

import plotly.graph_objects as go
import pytest

from explorer.figures import rooms
from explorer.figures.theme import DARK, LIGHT, Theme
from tests.figures.reading import array, heatmaps

THEMED = pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])


@THEMED
def test_each_cell_has_its_share_and_the_right_ones_a_frame(theme: Theme) -> None:
    counts = {(0, 1): 3, (1, 0): 1}
    hidden = rooms.marked_cells(["a", "<b>"], ["x", "y"], counts, 4, theme)
    shown = rooms.marked_cells(["a", "<b>"], ["x", "y"], counts, 4, theme, right={(0, 1)})
    (drawn,) = heatmaps(shown.to_plotly_json())
    assert array(drawn["z"]).tolist() == [[0, 0.75], [0.25, 0]]
    assert drawn["text"] == [["", "3"], ["1", ""]]
    assert (drawn["zmin"], drawn["zmax"]) == (0, 1)
    assert "&lt;b&gt;" in shown.layout.yaxis.ticktext[1]
    assert not hidden.layout.shapes
    (frame,) = shown.layout.shapes
    assert frame.x0 < 1 < frame.x1
    assert frame.y0 < 0 < frame.y1
    go.Figure(shown.to_dict())


@THEMED
def test_bars_tell_the_right_answer_only_once_it_is_shown(theme: Theme) -> None:
    rows = [("<i>cat</i>", 2, True), ("dog", 5, False)]
    before = rooms.counted(rows, 7, theme, revealed=False)
    after = rooms.counted(rows, 7, theme, revealed=True)
    assert list(before.data[0].x) == [2, 5]
    assert not any("✓" in label for label in before.layout.yaxis.ticktext)
    assert len(set(before.data[0].marker.color)) == 1
    assert ["✓" in label for label in after.layout.yaxis.ticktext] == [True, False]
    assert "<i>" not in after.layout.yaxis.ticktext[0]
    go.Figure(rooms.counted([], 0, theme, revealed=True).to_dict())


@THEMED
def test_the_board_names_the_best_and_ones_own(theme: Theme) -> None:
    curves = [[(0, 0.0), (10, 1 - number / 60)] for number in range(50)]
    figure = rooms.board(curves, 7, 600, theme)
    assert len(figure.data) == rooms.MOST_CURVES
    said = [note.text for note in figure.layout.annotations]
    assert {"1", "2", "3", "8, yours"} <= set(said)
    assert "9" not in said
    assert figure.data[7].line.width > figure.data[0].line.width
    assert list(figure.data[0].y) == [0, 100]
    assert figure.layout.xaxis.range[1] >= 600  # where the longest training ends
    go.Figure(figure.to_dict())
    rooms.board([[]], None, 1, theme)
