"""The grid under all heatmaps: names at their places, room for them, and what is around cells."""

from dataclasses import replace
from typing import Any

import numpy as np

from explorer.drawing.drawing import Cells, Drawing, Frame, Quantity, Scale
from explorer.drawing.grid import HIDDEN, MOST, Grid, Side, max_abs, signed_colors
from explorer.drawing.theme import LIGHT
from tests.figures.reading import labels, spec

NAMES = ["a", "b", "c", "d"]


def cells(rows: int = 2, columns: int = 4, *, x: float = 0, side: float = 1) -> Cells:
    return Cells(
        values=np.arange(rows * columns, dtype=float).reshape(rows, columns),
        colors=Scale(LIGHT.weights("encoder"), 0, 1),
        tells=[Quantity(digits=1)],
        rows=NAMES[:rows],
        columns=NAMES[:columns],
        x=x,
        side=side,
    )


PLAIN = Side()


def drawn(*parts: Cells, rows: Side = PLAIN, columns: Side = PLAIN, **more: Any) -> Drawing:
    return Grid(parts, rows, columns, **more)


def test_every_part_has_names_where_its_cells_are() -> None:
    figure = drawn(cells(), cells(x=5.0))
    assert labels(figure, "x") == {0: "a", 1: "b", 2: "c", 3: "d",
                                   5: "a", 6: "b", 7: "c", 8: "d"}  # fmt: skip
    assert labels(figure, "y") == {0: "a", 1: "b"}
    assert spec(figure)["layout"]["xaxis"]["range"] == [-0.5, 8.5]
    assert spec(figure)["layout"]["yaxis"]["range"] == [1.5, -0.5]


def test_of_many_names_some_are_written() -> None:
    assert labels(drawn(cells(), columns=Side(every=3)), "x") == {0: "a", 3: "d"}


def test_smaller_cells_stand_closer() -> None:
    assert labels(drawn(cells(side=0.5, x=2.0)), "x") == {2: "a", 2.5: "b", 3: "c", 3.5: "d"}
    assert cells(side=0.5, x=2.0).edges == (1.75, 3.75, -0.25, 0.75)


def test_names_have_room_as_far_as_it_is_given() -> None:
    def left(name: str, rows: Side = PLAIN) -> int:
        figure = drawn(replace(cells(1), rows=[name]), rows=rows)
        return int(spec(figure)["layout"]["margin"]["l"])

    assert left("word", HIDDEN) < left("word") < left("a longer word")
    assert left("a longer word" * 20) == left("", HIDDEN) + MOST[0]


def test_a_picture_is_as_high_as_its_rows_need() -> None:
    assert drawn(cells(), columns=HIDDEN, row=30, over=10, under=5).height == 75
    assert drawn(cells(), columns=HIDDEN, height=100).height == 100
    many = drawn(cells(4), columns=HIDDEN, height=60, over=10, under=5)
    assert many.height == 15 + 4 * 14  # names of 13 pixels need more
    numbers = drawn(replace(cells(4), digits=1), columns=HIDDEN, over=10, under=5, row=1)
    assert 4 * 11 < numbers.height - 15 < 4 * 24


def test_a_column_is_as_wide_as_what_is_written_in_it() -> None:
    def column(part: Cells, **more: Any) -> float:
        return drawn(part, **more).room.across / 4

    bare, texts = cells(), [["a longer word", *[""] * 3]] * 2
    assert column(bare, columns=HIDDEN) < column(bare) < column(replace(bare, digits=2))
    assert column(replace(bare, digits=2)) < column(replace(bare, texts=texts))
    assert column(bare, pitch=7) == 7


def test_a_sign_stands_in_the_middle_of_the_gap() -> None:
    picture = Grid([cells(), cells(x=5.0)], HIDDEN, HIDDEN)
    picture.signs(["×", "never drawn"])
    ((text, x, y),) = [(note.text, note.x, note.y) for note in picture.texts]
    assert (text, x, y) == ("<b>×</b>", 4.0, 0.5)


def test_the_caption_and_the_frame_of_the_part_in_focus() -> None:
    picture = Grid([cells(), cells(x=5.0)], HIDDEN, HIDDEN)
    picture.captions(["one", "two"], 1)
    assert [note.text for note in picture.texts] == ["one", "<b>two</b>"]
    (frame,) = picture.marks
    assert isinstance(frame, Frame)
    assert (*frame.across, *frame.down) == (4.5, 8.5, -0.5, 1.5)


def test_pictures_with_the_same_places_are_of_one_kind() -> None:
    kinds = [drawn(cells(2, n)).kind for n in (3, 3, 4)]
    assert kinds[0] == kinds[1] != kinds[2]


def test_colours_reach_as_far_as_the_numbers() -> None:
    assert max_abs(np.array([1.0, -3.0, -np.inf, np.nan]), np.array([2.0])) == 3.0
    assert max_abs(np.zeros(2)) == 1.0
    assert max_abs(np.zeros(0)) == 1.0
    found = signed_colors(np.array([0.5, -2.0]))
    assert (found.low, found.high) == (-2, 2)
