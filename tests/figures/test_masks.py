"""Pictures of masks: every cell with its reason and the colour that the legend gives it."""

from itertools import combinations
from typing import Any

import numpy as np
import torch

from explorer.drawing.theme import LIGHT, coloured
from explorer.figures.masks import additive_panels, mask_grid, mask_row
from explorer.masks import target_reasons
from explorer.text import Batch
from tests import test_masks
from tests.figures.reading import array, color, hatched, heatmaps, labels, of_plotly, rgb, spec

PAD = 1
TOY: list[list[int]] = test_masks.TOY.tolist()


def reason(ids: list[int], query: int, key: int) -> str:
    """The reason why a query may not attend to a key, from the sentence itself."""
    future, pad = key > query, ids[key] == PAD
    if future and pad:
        return "both"
    return "future" if future else "key is PAD" if pad else "may attend"


def reasons(ids: list[int]) -> list[list[str]]:
    return [[reason(ids, query, key) for key in range(len(ids))] for query in range(len(ids))]


def toy_batch() -> Batch:
    typed = [" ".join(map(str, row)) for row in TOY]
    return Batch.from_ids(typed, typed, pad_id=PAD)


def toy_codes() -> np.ndarray:
    return target_reasons(torch.tensor(TOY), PAD).numpy()


def legend(figure: Any) -> dict[str, tuple[tuple[int, int, int], int]]:
    """By name, the colour of every entry of the legend, and the hatch over it."""
    return {entry.name: (rgb(coloured(entry.color, LIGHT)), entry.code) for entry in figure.legend}


def looks(trace: Any) -> list[list[tuple[tuple[int, int, int], int]]]:
    """The colour of every cell, and the hatch over it."""
    return [
        [(color(trace, value), code) for value, code in zip(*rows, strict=True)]
        for rows in zip(array(trace["z"]).tolist(), hatched(trace).tolist(), strict=True)
    ]


def test_every_cell_of_the_toy_batch_has_its_reason_and_its_colour() -> None:
    batch = toy_batch()
    figure = mask_grid(toy_codes(), batch.tgt_in_labels, batch.tgt_in_labels, 5)
    colors = legend(figure)
    assert set(colors) == {"may attend", "future", "key is PAD", "both"}
    assert len(set(colors.values())) == 4
    drawn = heatmaps(figure)
    assert [trace["name"] for trace in drawn] == [str(number + 1) for number in range(8)]
    for ids, trace in zip(TOY, drawn, strict=True):
        assert trace["told"][0] == reasons(ids)
        assert looks(trace) == [[colors[why] for why in row] for row in reasons(ids)]


def test_masks_of_a_batch_stand_apart_and_the_one_on_show_is_framed() -> None:
    batch = toy_batch()
    figure = mask_grid(toy_codes(), batch.tgt_in_labels, batch.tgt_in_labels, 5)
    drawn = heatmaps(figure)
    places = [(trace["x0"], trace["y0"]) for trace in drawn]
    for (x, y), (u, v) in combinations(places, 2):
        assert abs(x - u) > 8 or abs(y - v) > 8  # there is a gap between two masks
    layout = of_plotly(figure).layout
    (left, right), (bottom, top) = layout.xaxis.range, layout.yaxis.range
    assert all(left < x < right - 7 and top < y < bottom - 7 for x, y in places)
    (frame,) = layout.shapes
    assert (frame.x0, frame.y0) == (drawn[5]["x0"] - 0.5, drawn[5]["y0"] - 0.5)
    assert (frame.x1, frame.y1) == (drawn[5]["x0"] + 7.5, drawn[5]["y0"] + 7.5)


def test_side_by_side_masks_carry_their_own_labels_and_titles() -> None:
    ids = TOY[5]  # 1 6 2 8 4 1 8 1: PAD at the start, inside and at the end
    words = toy_batch().tgt_in_labels[5]
    padding = np.array([[2 * (key == PAD) for key in ids]] * 8, dtype=np.uint8)
    figure = mask_row(
        [("padding mask", padding), ("target mask", toy_codes()[5])],
        words,
        words,
    )
    first, second = heatmaps(figure)
    assert [first["name"], second["name"]] == ["padding mask", "target mask"]
    assert {row[0] for row in first["told"][0]} == {"key is PAD"}
    assert second["told"][0] == reasons(ids)
    columns = labels(figure, "x")
    grey = f'<span style="color:{LIGHT.faint}">PAD</span>'
    wanted = [grey, "6", "2", "3 · 8", "4", grey, "6 · 8", grey]
    for trace in (first, second):
        assert [columns[trace["x0"] + key] for key in range(8)] == wanted
    assert list(labels(figure, "y").values()) == wanted
    written = [note["text"] for note in spec(figure)["layout"]["annotations"]]
    assert written == ["<b>padding mask</b>", "<b>target mask</b>"]


def test_rows_left_blank_are_blank_in_every_mask() -> None:
    words, codes, blank = toy_batch().tgt_in_labels[5], toy_codes()[5], np.arange(8) == 2
    for mask in mask_row([("a", codes), ("b", codes)], words, words, blank_rows=blank).cells:
        assert np.isnan(mask.drawn).all(axis=1).tolist() == blank.tolist()


def test_additive_mask_by_hand() -> None:
    scores = np.arange(9.0).reshape(3, 3)
    added = np.triu(np.full((3, 3), -np.inf), 1)
    figure = additive_panels(scores, added, scores + added)
    left, mask, right = heatmaps(figure)
    assert left["text"] == [["0", "1", "2"], ["3", "4", "5"], ["6", "7", "8"]]
    assert mask["text"] == [["0", "−∞", "−∞"], ["0", "0", "−∞"], ["0", "0", "0"]]
    assert right["text"] == [["0", "−∞", "−∞"], ["3", "4", "−∞"], ["6", "7", "8"]]
    np.testing.assert_array_equal(hatched(right), np.triu(np.ones((3, 3)), 1))
    assert not hatched(left).any()
