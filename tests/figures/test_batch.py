"""Pictures of a batch: every id in its place, and PAD told apart from words."""

import numpy as np

from explorer.figures.batch import ids_heatmap
from explorer.text import Batch
from tests.figures.reading import array, hatched, heatmaps

PAD = 1
TOY = [[2, 3, 4, 5, 6, 7, 8, 9], [1, 6, 2, 8, 4, 1, 8, 1], [1, 1, 1, 1, 5, 1, 9, 1]]


def test_batch_of_ids_shows_words_ids_and_padding() -> None:
    batch = Batch.from_text(["<b> & cat", "cat"], ["x", "y"])
    ids = batch.src.numpy()
    (trace,) = heatmaps(ids_heatmap(ids, batch.src_labels))
    assert trace["text"] == [
        ["&lt;b&gt;<br><b>4</b>", "&amp;<br><b>5</b>", "cat<br><b>6</b>"],
        ["cat<br><b>6</b>", "PAD<br><b>0</b>", "PAD<br><b>0</b>"],
    ]
    assert hatched(trace).tolist() == [[0, 0, 0], [0, 2, 2]]
    assert len({*array(trace["z"])[hatched(trace) == 0].tolist()}) == 1  # no colour for a word


def test_ids_that_stand_for_padding_need_not_be_0() -> None:
    typed = [" ".join(map(str, ids)) for ids in TOY]
    batch = Batch.from_ids(typed, typed, pad_id=PAD)
    (trace,) = heatmaps(ids_heatmap(np.array(TOY), batch.src_labels))
    np.testing.assert_array_equal(hatched(trace) == 2, np.array(TOY) == PAD)
