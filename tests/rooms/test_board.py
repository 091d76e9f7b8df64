"""The board: curves without names, bounded, best first."""

import pytest

from explorer.rooms.board import (
    MAX_CURVE,
    MAX_POINTS,
    Curve,
    Setting,
    ranked,
    read_curve,
    thinned,
    write_curve,
)

SETTING = Setting(
    task="reverse", steps=10, rate=0.003, batch=64, d_model=64, heads=4, encoder_layers=2,
    decoder_layers=2,
)  # fmt: skip


def curve(accuracy: float, loss: float = 1.0) -> Curve:
    return Curve(
        setting=SETTING, step=9, steps=10, accuracies=((9, accuracy),), losses=((9, loss),)
    )


def test_the_best_come_first_and_the_loss_decides_between_equals() -> None:
    none = Curve(setting=SETTING, step=1, steps=10, accuracies=(), losses=())
    board = {"a": curve(0.5), "b": curve(0.9), "c": none, "d": curve(0.5, loss=0.2)}
    assert [person for person, _ in ranked(board)] == ["b", "d", "a", "c"]


def test_a_long_curve_keeps_its_ends_and_fits() -> None:
    points = [(step, 1 / (step + 1)) for step in range(20_000)]
    found = thinned(points)
    assert len(found) == MAX_POINTS
    assert (found[0][0], found[-1][0]) == (0, 19_999)
    full = Curve(setting=SETTING, step=1, steps=1, accuracies=found, losses=found)
    assert len(write_curve(full)) <= MAX_CURVE
    assert read_curve(write_curve(full)) == full


def test_fields_of_another_version_are_left_out() -> None:
    data = write_curve(curve(0.5)).replace(b'"step"', b'"running":true,"step"')
    assert read_curve(data) == curve(0.5)


@pytest.mark.parametrize(
    "data",
    [b"", b"[]", b"{}", b"\xff", b'{"setting": 1}', b'{"setting": "reverse"}', b"x" * 100_000],
)
def test_invalid_curves_are_none(data: bytes) -> None:
    assert read_curve(data) is None
