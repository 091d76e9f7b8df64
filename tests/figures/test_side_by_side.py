"""Three pictures of one size: two heads on one scale, and their difference on a symmetric one."""

import numpy as np

from explorer.drawing.grid import level
from explorer.drawing.theme import LIGHT
from explorer.figures.attention import Heads
from explorer.figures.side_by_side import difference_panel, weights_panel
from tests.figures.reading import array, color, heatmaps, labels, of_plotly, read_cells, rgb

A = np.array([[[0.2, 0.8], [1.0, 0.0]]])
B = np.array([[[0.6, 0.4], [1.0, 0.0]]])
OPEN = np.array([[True, True], [True, False]])


def heads(weights: np.ndarray, *queries: str) -> Heads:
    return Heads(
        weights=weights, scores=None, may_attend=OPEN,
        query_labels=queries or ("x", "y"), key_labels=("u", "v"), writes=("y", "z"),
    )  # fmt: skip


def test_cells_have_the_values_and_rows_say_what_they_write() -> None:
    cells = read_cells(weights_panel(heads(A), 0, kind="cross", name="A"))
    assert cells["x → <i>y</i>", "v"] == [np.float32(0.8)]
    assert cells["y → <i>z</i>", "v"] == [0.0]  # masked


def test_the_scale_of_the_difference_is_symmetric_about_0() -> None:
    (trace,) = heatmaps(difference_panel(B[0] - A[0], heads(A)))
    np.testing.assert_allclose(array(trace["z"]), [[0.4, -0.4], [0.0, 0.0]], atol=1e-6)
    assert trace["text"] == [["+0.4", "−0.4"], ["", ""]]
    assert trace["zmin"] == -trace["zmax"]
    assert color(trace, 0.0) == rgb(dict(LIGHT.signed)[0.5])
    assert trace["zmax"] == np.float32(0.4)
    (same,) = heatmaps(difference_panel(np.full_like(A[0], 3e-3), heads(A)))
    assert (same["zmin"], same["zmax"]) == (-0.1, 0.1)  # next to nothing differs: it is pale


def test_all_three_have_one_size_and_one_room_for_labels() -> None:
    long = heads(B, "a word that is quite long", "y")
    drawn = [
        weights_panel(heads(A), 0, kind="cross", name="A"),
        weights_panel(long, 0, kind="cross", name="B"),
        difference_panel(B[0] - A[0], heads(A)),
    ]
    level(drawn)
    assert len({(one.height, one.room.left, one.room.right, one.room.top) for one in drawn}) == 1
    scales = [heatmaps(figure)[0] for figure in drawn[:2]]
    assert [(trace["zmin"], trace["zmax"]) for trace in scales] == [(0.0, 1.0)] * 2
    assert list(labels(drawn[0], "x").values()) == ["u", "v"]
    for figure in drawn:
        of_plotly(figure)  # plotly itself finds nothing wrong with it
