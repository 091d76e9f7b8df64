"""One mask, large: its factors, the cell in focus, and its row at work."""

import numpy as np

from explorer.drawing.theme import LIGHT
from explorer.export.tables import picture_rows
from explorer.figures.one_mask import OneMask, one_mask, scores_to_weights
from tests.figures.reading import array, color, hatched, heatmaps, labels, of_plotly, rgb

WORDS = ("BOS", "x", "PAD")
PADDING = np.array([[0, 0, 2]] * 3, np.uint8)
CAUSAL = np.array([[0, 1, 1], [0, 0, 1], [0, 0, 0]], np.uint8)
TARGET = OneMask(
    name="target mask",
    kind="decoder",
    codes=PADDING | CAUSAL,
    query_labels=WORDS,
    key_labels=WORDS,
    factors=[("padding mask", PADDING), ("causal mask", CAUSAL)],
)


def test_the_mask_stands_beside_its_factors() -> None:
    figure = one_mask(TARGET, (1, 2))
    target, padding, causal = heatmaps(figure)
    assert [trace["name"] for trace in (target, padding, causal)] == [
        "target mask", "padding mask", "causal mask",
    ]  # fmt: skip
    for trace, codes in ((padding, PADDING), (causal, CAUSAL), (target, PADDING | CAUSAL)):
        np.testing.assert_array_equal(array(trace["z"]), codes)
    # The factors stand right of the mask, one below the other, inside the picture.
    right = target["x0"] + 2.5
    assert padding["x0"] == causal["x0"] > right
    assert padding["y0"] + 2 * padding["dy"] < causal["y0"]
    assert causal["x0"] + 2.5 * causal["dx"] <= of_plotly(figure).layout.xaxis.range[1]
    assert list(labels(figure, "x").values())[:2] == ["BOS", "x"]


def test_the_cell_in_focus_and_its_row_are_framed() -> None:
    row, cell = of_plotly(one_mask(TARGET, (1, 2))).layout.shapes
    assert (row.x0, row.x1, row.y0, row.y1) == (-0.5, 2.5, 0.5, 1.5)
    assert (cell.x0, cell.x1, cell.y0, cell.y1) == (1.5, 2.5, 0.5, 1.5)


def test_hidden_scores_become_minus_infinity_and_weights_of_0() -> None:
    scores, weights = np.array([1.0, -2.5, 7.0]), np.array([0.997, 0.003, 0.0])
    figure = scores_to_weights(TARGET, 1, scores, weights, 2)
    seen: dict[tuple[str, int], tuple[str, tuple[int, int, int]]] = {}
    for trace in heatmaps(figure):
        for key, value in enumerate(array(trace["z"])[:, 0].tolist()):
            if value == value:  # not NaN: it is drawn, and nothing else in its place
                assert (trace["name"], key) not in seen
                seen[trace["name"], key] = (trace["text"][key][0], color(trace, value))
            else:
                assert trace["text"][key][0] == ""
    for name, wanted in (
        ("score", ["1.00", "−2.50", "7.00"]),
        ("mask", ["0", "0", "−∞"]),
        ("sum", ["1.00", "−2.50", "−∞"]),
        ("softmax", ["1.00", "< 0.01", "0"]),
    ):
        assert [seen[name, key][0] for key in range(3)] == wanted
    closed = [(trace["name"], *hatched(trace)[:, 0].tolist()) for trace in heatmaps(figure)]
    assert [each for each in closed if any(each[1:])] == [
        (name, 0, 0, 3) for name in ("mask", "sum", "softmax")
    ]
    assert picture_rows(figure) == [
        ["", "score", "mask", "sum", "softmax"],
        ["BOS", 1.0, 0, 1.0, 0.997],
        ["x", -2.5, 0, -2.5, 0.003],
        ["PAD", 7.0, -np.inf, -np.inf, 0],
    ]
    assert seen["softmax", 2][1] == rgb(LIGHT.masked) != seen["softmax", 1][1]
