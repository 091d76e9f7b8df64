"""All heads as cells: every weight of every head once, and one head framed."""

import numpy as np

from explorer.drawing.theme import LIGHT
from explorer.figures.attention import Heads
from explorer.figures.heads import Stack, every_head
from explorer.render.hover import hover
from tests.figures.reading import spec
from tests.figures.test_attention import numbered

SOURCE, TARGET = ["a", "b", "c"], ["x", "y"]


def stack(kind: str, layers: list[Heads], focus: tuple[int, int] | None = None) -> Stack:
    return Stack(title=kind, short=kind, kind=kind, layers=layers, focus=focus)


def test_every_weight_is_told_with_its_words() -> None:
    layers = [numbered(2, SOURCE, SOURCE), numbered(2, SOURCE, SOURCE)]
    cross = numbered(2, TARGET, SOURCE)
    drawing = every_head([stack("encoder", layers), stack("cross", [cross], (0, 1))])
    maps = hover(drawing, LIGHT)["maps"]
    wanted = [head for heads in (*layers, cross) for head in heads.weights]
    assert len(maps) == len(wanted)
    for told, weights in zip(maps, wanted, strict=True):
        numbers = np.array(told["fields"]["z"]["numbers"]).reshape(weights.shape) / 1e4
        np.testing.assert_allclose(numbers, weights, atol=1e-4)
    names = [[told["fields"][side]["words"] for side in "yx"] for told in maps]
    assert [rows for rows, _ in names] == [SOURCE] * 4 + [TARGET] * 2
    assert "encoder, layer 2, head 1" in maps[2]["template"]


def test_the_frame_is_around_the_head_in_focus() -> None:
    layers = [numbered(2, SOURCE, SOURCE)] * 2
    figure = spec(every_head([stack("encoder", layers, (1, 0))]))
    (frame,) = figure["layout"]["shapes"]
    framed = figure["data"][2]
    assert (frame["x0"], frame["y0"]) == (framed["x0"] - 0.5, framed["y0"] - 0.5)
    assert (frame["x1"], frame["y1"]) == (framed["x0"] + 2.5, framed["y0"] + 2.5)
