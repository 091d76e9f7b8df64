"""The answers of a room as pictures: counts in their cells, and no word as markup."""

from explorer.drawing.labels import plain
from explorer.figures import rooms
from tests.figures.reading import array, heatmaps, of_plotly


def test_each_cell_has_its_share_and_the_right_ones_a_frame() -> None:
    counts = {(0, 1): 3, (1, 0): 1}
    hidden = rooms.marked_cells(["a", "<b>"], ["x", "y"], counts, 4)
    shown = rooms.marked_cells(["a", "<b>"], ["x", "y"], counts, 4, right={(0, 1)})
    (drawn,) = heatmaps(shown)
    assert array(drawn["z"]).tolist() == [[0, 0.75], [0.25, 0]]
    assert drawn["text"] == [["", "3"], ["1", ""]]
    assert (drawn["zmin"], drawn["zmax"]) == (0, 1)
    assert "&lt;b&gt;" in of_plotly(shown).layout.yaxis.ticktext[1]
    assert not of_plotly(hidden).layout.shapes
    (frame,) = of_plotly(shown).layout.shapes
    assert frame.x0 < 1 < frame.x1
    assert frame.y0 < 0 < frame.y1


def test_bars_tell_the_right_answer_only_once_it_is_shown() -> None:
    rows = [("<i>cat</i>", 2, True), ("dog", 5, False)]
    before = rooms.counted(rows, 7, revealed=False)
    after = rooms.counted(rows, 7, revealed=True)
    assert list(of_plotly(before).data[0].x) == [2, 5]
    assert not any("✓" in label for label in of_plotly(before).layout.yaxis.ticktext)
    assert len(set(of_plotly(before).data[0].marker.color)) == 1
    assert ["✓" in label for label in of_plotly(after).layout.yaxis.ticktext] == [True, False]
    assert "<i>" not in of_plotly(after).layout.yaxis.ticktext[0]
    long = "It moves every weight of the model a little, by the learning rate"
    (label,) = rooms.counted([(long, 1, True)], 1, revealed=False).axes[1].names or ()
    assert plain(label).strip() == long
    of_plotly(rooms.counted([], 0, revealed=True))
