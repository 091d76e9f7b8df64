"""A picture is put together piece by piece, and knows where its axes have their numbers."""

from explorer.drawing.drawing import Axis, Drawing, Room


def test_a_picture_says_how_narrow_it_may_become() -> None:
    room = Room(height=100, left=10, right=20, across=120)
    assert Drawing(room=room, axes=(), parts=()).min_width == 150


def test_shares_count_from_the_left_and_from_the_top() -> None:
    across = Axis(letter="x", ends=(-0.5, 3.5))
    assert [across.share(value) for value in (-0.5, 1.5, 3.5)] == [0.0, 0.5, 1.0]
    down = Axis(letter="y", ends=(4, 0))
    assert [down.share(value) for value in (0, 4)] == [1.0, 0.0]
