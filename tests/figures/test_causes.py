"""Pictures of causes: sums begin where they should, and each method has colours of its own."""

import numpy as np

from explorer.drawing.drawing import Bars
from explorer.drawing.theme import LIGHT
from explorer.figures.causes import Block, Words, blocks, by_words, deletion, waterfall
from explorer.render.hover import hover
from tests.figures.reading import spec


def test_each_bar_begins_where_the_one_above_ends() -> None:
    drawing = waterfall(["a", "b", "c"], np.array([2.0, -0.5, 1.0]), "sum")
    (bars,) = drawing.parts
    assert isinstance(bars, Bars)
    assert bars.begins == [0.0, 2.0, 1.5, 0.0]
    np.testing.assert_allclose(bars.values, [2.0, -0.5, 1.0, 2.5])
    ends = [x for x, _ in hover(drawing, LIGHT)["points"][0]["at"]]
    assert ends[2] == ends[3] == max(ends[:1] + ends[2:])  # the last part ends at the sum
    assert ends[1] < ends[0]


def test_methods_of_one_unit_have_one_scale() -> None:
    values = np.array([[8.0, -2.0], [4.0, 0.0], [0.1, 0.05]])
    side = Words(title="t", color="#000000", labels=["a", "b"], values=values, texts=[["", ""]] * 3)
    names, in_nats = ["one", "two", "three"], [True, True, False]
    (cells,) = by_words(names, [side], in_nats=in_nats).cells
    np.testing.assert_allclose(cells.values, [[1.0, -0.25], [0.5, 0.0], [1.0, 0.5]])
    (cells,) = by_words(names, [side], in_nats=in_nats, least=16.0).cells
    np.testing.assert_allclose(cells.values, [[0.5, -0.125], [0.25, 0.0], [1.0, 0.5]])  # pale


def test_of_one_method_the_largest_cell_is_framed() -> None:
    source, prefix = (
        Words(title="t", color="#000000", labels=["a", "b", "c"], values=values, texts=[[""] * 3])
        for values in (np.array([[0.5, 2.0, 1.0]]), np.array([[0.1, -3.0, 0.2]]))
    )
    for sides in ([source], [source, prefix]):
        drawing = by_words(["one"], sides, in_nats=[True])
        (frame,) = spec(drawing)["layout"]["shapes"]
        assert (frame["x0"] + frame["x1"]) / 2 == drawing.cells[-1].x + 1
    two = Words(title="t", color="#000000", labels=["a"], values=np.ones((2, 1)), texts=[[""]] * 2)
    assert not by_words(["one", "two"], [two], in_nats=[True] * 2).marks


def test_blocks_share_one_scale_and_their_rows() -> None:
    first = Block(name="encoder", title="a", columns=["1"], values=np.array([[3.0], [0.0], [0.0]]))
    second = Block(name="cross", title="b", columns=["1"], values=np.array([[-1.0]]), first=2)
    a, b = blocks([first, second], ["x", "y", "z"], what="w").cells
    assert (a.colors.low, a.colors.high) == (b.colors.low, b.colors.high) == (-3.0, 3.0)
    assert (a.y, b.y) == (0, 2)


def test_all_orders_that_are_best_are_framed_and_no_number_is_left_out() -> None:
    drawing = deletion(["a", "b", "c"], np.zeros((3, 2)), [0, 2], is_share=True)
    assert [round(one["y0"] + one["y1"]) for one in spec(drawing)["layout"]["shapes"]] == [0, 4]
    assert drawing.cells[0].texts == [["0.00"] * 2] * 3


def test_what_is_small_is_pale() -> None:
    small = Block(name="encoder", title="a", columns=["1"], values=np.array([[0.02], [-0.02]]))
    (cells,) = blocks([small], ["x", "y"], what="w", least=0.1).cells
    assert (cells.colors.low, cells.colors.high) == (-0.1, 0.1)
