"""The map as cells: the numbers of every part, one height for all."""

import numpy as np

from explorer.drawing.theme import LIGHT
from explorer.figures.model_map import LANE, Tile, model_map
from tests.figures.reading import array, color, heatmaps, rgb


def test_all_parts_of_a_lane_have_one_height_and_do_not_overlap() -> None:
    signed, empty = np.linspace(-1, 1, 8).reshape(2, 4), np.full((3, 3), np.nan)
    tiles = [
        Tile(name="a", shape="(1, 2, 4)", kind="signed", values=signed),
        Tile(name="b", shape="(1, 3, 3)", kind="cross", values=empty),
    ]
    figure = model_map([("one", "encoder", tiles), ("two", "decoder", tiles)])
    drawn = heatmaps(figure)
    boxes = []
    for trace in drawn:
        rows, columns = array(trace["z"]).shape
        left, top = trace["x0"] - trace["dx"] / 2, trace["y0"] - trace["dy"] / 2
        boxes.append((left, left + columns * trace["dx"], top, top + rows * trace["dy"]))
    wanted = [(lane * LANE, lane * LANE + 1) for lane in (0, 0, 1, 1)]
    np.testing.assert_allclose([box[2:] for box in boxes], wanted)
    assert boxes[0][1] < boxes[1][0]
    assert color(drawn[0], -1) == rgb(LIGHT.signed[0][1])
