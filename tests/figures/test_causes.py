"""Pictures of causes: sums begin where they should, and each method has colours of its own."""

import numpy as np

from explorer.figures.causes import Block, Words, blocks, by_words, waterfall
from explorer.figures.theme import LIGHT
from explorer.render.hover import hover


def test_each_bar_begins_where_the_one_above_ends() -> None:
    drawing = waterfall(["a", "b", "c"], np.array([2.0, -0.5, 1.0]), "sum", LIGHT)
    (bars,) = drawing.data
    assert bars["base"] == [0.0, 2.0, 1.5, 0.0]
    np.testing.assert_allclose(bars["x"], [2.0, -0.5, 1.0, 2.5])
    ends = [x for x, _ in hover(drawing)["points"][0]["at"]]
    assert ends[2] == ends[3] == max(ends[:1] + ends[2:])  # the last part ends at the sum
    assert ends[1] < ends[0]


def test_the_largest_of_each_method_has_the_strongest_colour() -> None:
    values = np.array([[8.0, -2.0], [0.1, 0.05]])
    side = Words(title="t", color="#000000", labels=["a", "b"], values=values, said=[["", ""]] * 2)
    (cells,) = by_words(["one", "two"], [side], LIGHT).data
    np.testing.assert_allclose(cells["z"], [[1.0, -0.25], [1.0, 0.5]])


def test_blocks_share_one_scale_and_their_rows() -> None:
    first = Block(name="a", title="a", columns=["1"], values=np.array([[3.0], [0.0], [0.0]]))
    second = Block(name="b", title="b", columns=["1"], values=np.array([[-1.0]]), first=2)
    a, b = blocks([first, second], ["x", "y", "z"], LIGHT, what="w").data
    assert (a["zmin"], a["zmax"]) == (b["zmin"], b["zmax"]) == (-3.0, 3.0)
    assert (a["y0"], b["y0"]) == (0, 2)


def test_what_is_small_is_pale() -> None:
    small = Block(name="a", title="a", columns=["1"], values=np.array([[0.02], [-0.02]]))
    (cells,) = blocks([small], ["x", "y"], LIGHT, what="w", least=0.1).data
    assert (cells["zmin"], cells["zmax"]) == (-0.1, 0.1)
