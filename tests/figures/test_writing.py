"""The model in one picture: each line goes from its key to its query, and looks go across."""

import numpy as np

from explorer.drawing.theme import LIGHT
from explorer.figures.writing import ACROSS, Words, writing
from tests.figures.reading import labels, spec


def words(texts: list[str], *lines: tuple[int, int, int], weight: float = 0.5) -> Words:
    return Words(
        words=texts,
        n_layers=2,
        places=np.array(lines, int).reshape(-1, 3),
        weights=np.full(len(lines), weight, np.float32),
    )


def test_lines_go_down_from_the_words_read_and_up_from_those_written() -> None:
    drawing = writing(
        words(["a", "b"], (1, 0, 1)), words(["x", "y", "z"], (0, 2, 1)), [(1, 0, 0.9)]
    )
    read, _, written, _, look, told = spec(drawing)["data"]
    # Two words stand in the middle of the room for three.
    assert labels(drawing, "x") == {1.0: "a", 2.0: "b"}
    bottom = 2 + ACROSS + 2
    for line, x, y in (
        (read, [2.0, 1.0], [1, 2]),
        (written, [1.5, 2.5], [bottom, bottom - 1]),
        (look, [1.0, 1.5], [2, 2 + ACROSS]),
    ):
        np.testing.assert_equal([line["x"], line["y"]], [[*x, np.nan], [*y, np.nan]])
    assert look["line"]["width"] > read["line"]["width"]  # its weight is larger
    colours = [part["line"]["color"] for part in (read, written, look)]
    assert colours == [LIGHT.encoder, LIGHT.decoder, LIGHT.cross]
    assert told["customdata"] == ["query y<br>key a<br>weight 0.90"]
    assert (told["mode"], told["x"], told["y"]) == ("none", [1.5], [2 + ACROSS])


def test_a_stack_alone() -> None:
    for read, written in ((words(["a"]), None), (None, words(["a"]))):
        assert spec(writing(read, written, []))["data"] == []
