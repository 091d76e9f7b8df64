"""Pictures of a batch: every id in its place, and PAD told apart from words."""

import numpy as np
import pytest

from explorer.figures.batch import ids_heatmap
from explorer.figures.theme import DARK, LIGHT, Theme
from explorer.names import SPECIALS
from explorer.text import Batch
from tests.figures.reading import array, color, heatmaps, rgb

PAD = 1
TOY = [[2, 3, 4, 5, 6, 7, 8, 9], [1, 6, 2, 8, 4, 1, 8, 1], [1, 1, 1, 1, 5, 1, 9, 1]]
THEMES = pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])


@THEMES
def test_batch_of_ids_shows_words_ids_and_padding(theme: Theme) -> None:
    batch = Batch.from_text(["<b> & cat", "cat"], ["x", "y"])
    ids = batch.src.numpy()
    (trace,) = heatmaps(ids_heatmap(ids, batch.src_labels, SPECIALS, theme))
    assert trace["text"] == [
        ["&lt;b&gt;<br><b>4</b>", "&amp;<br><b>5</b>", "cat<br><b>6</b>"],
        ["cat<br><b>6</b>", "PAD<br><b>0</b>", "PAD<br><b>0</b>"],
    ]
    shades = [[color(trace, value) for value in row] for row in array(trace["z"]).tolist()]
    assert shades[1][1] == shades[1][2] == rgb(theme.pad)
    assert len({*shades[0], shades[1][0]}) == 1  # a colour says nothing about the size of an id
    assert shades[0][0] != rgb(theme.pad)


@THEMES
def test_special_tokens_have_their_own_colour(theme: Theme) -> None:
    batch = Batch.from_text(["a"], ["x"])
    (trace,) = heatmaps(ids_heatmap(batch.tgt.numpy(), batch.tgt_labels, SPECIALS, theme))
    bos, word, eos = (color(trace, value) for value in array(trace["z"]).tolist()[0])
    assert bos == eos != word
    (own,) = heatmaps(ids_heatmap(batch.tgt.numpy(), batch.tgt_labels, ["x"], theme))
    assert color(own, array(own["z"])[0, 1]) == bos


def test_ids_that_stand_for_padding_need_not_be_0() -> None:
    typed = [" ".join(map(str, ids)) for ids in TOY]
    batch = Batch.from_ids(typed, typed, pad_id=PAD)
    (trace,) = heatmaps(ids_heatmap(np.array(TOY), batch.src_labels, SPECIALS, LIGHT))
    for row, ids in zip(array(trace["z"]).tolist(), TOY, strict=True):
        for value, number in zip(row, ids, strict=True):
            assert (color(trace, value) == rgb(LIGHT.pad)) == (number == PAD)
