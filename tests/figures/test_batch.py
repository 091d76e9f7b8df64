"""Pictures of a batch: every id in its place, and PAD told apart from words."""

from itertools import chain
from typing import Any

import numpy as np
import pytest

from explorer.figures.batch import ids_heatmap, token_colors
from explorer.figures.theme import DARK, LIGHT, Theme
from explorer.text import Batch
from tests.figures.reading import array, color, heatmaps, rgb

PAD = 1
TOY = [[2, 3, 4, 5, 6, 7, 8, 9], [1, 6, 2, 8, 4, 1, 8, 1], [1, 1, 1, 1, 5, 1, 9, 1]]
THEMES = pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])


def colors_of(batch: Batch, theme: Theme) -> dict[str, int]:
    return token_colors([chain(*batch.src_labels), chain(*batch.tgt_labels)], theme)


def contrast(one: str, other: str) -> float:
    """As the Web Content Accessibility Guidelines measure it: from 1 to 21."""

    def luminance(text: str) -> float:
        parts = (part / 255 for part in rgb(text))
        r, g, b = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
        return 0.2126 * r + 0.7152 * g + 0.0722 * b

    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def drawn(trace: dict[str, Any]) -> list[list[tuple[int, int, int]]]:
    """The colour of every cell."""
    return [[color(trace, place) for place in row] for row in array(trace["z"]).tolist()]


@THEMES
def test_batch_of_ids_shows_words_ids_and_padding(theme: Theme) -> None:
    batch = Batch.from_text(["<b> & cat", "cat"], ["x", "y"])
    ids = batch.src.numpy()
    (trace,) = heatmaps(ids_heatmap(ids, batch.src_labels, colors_of(batch, theme), theme))
    assert trace["text"] == [
        ["&lt;b&gt;<br><b>4</b>", "&amp;<br><b>5</b>", "cat<br><b>6</b>"],
        ["cat<br><b>6</b>", "PAD<br><b>0</b>", "PAD<br><b>0</b>"],
    ]
    first, second = drawn(trace)
    assert second[1] == second[2] == rgb(theme.pad)
    assert second[0] == first[2]  # the same token
    assert len({*first, rgb(theme.pad)}) == 4  # different ones


@THEMES
def test_a_token_has_one_colour_in_source_and_target_whatever_its_id(theme: Theme) -> None:
    batch = Batch.from_text(["a b c"], ["c x"])  # c is 6 in the source and 4 in the target
    colors = colors_of(batch, theme)
    (source,) = heatmaps(ids_heatmap(batch.src.numpy(), batch.src_labels, colors, theme))
    (target,) = heatmaps(ids_heatmap(batch.tgt.numpy(), batch.tgt_labels, colors, theme))
    assert drawn(source)[0][2] == drawn(target)[0][1]


def test_typing_a_word_leaves_the_colours_of_the_others_alone() -> None:
    before = token_colors([["dog", "cat"]], LIGHT)
    after = token_colors([["dog", "bird", "cat"]], LIGHT)
    assert before.items() <= after.items()


def test_colours_repeat_in_a_picture_only_when_there_are_no_more() -> None:
    count = len(LIGHT.tokens)
    words = [f"w{number}" for number in range(count)]
    assert len(set(token_colors([words], LIGHT).values())) == count + 1  # and PAD
    others = [f"v{number}" for number in range(count)]
    two = token_colors([words, others], LIGHT)  # two pictures share the colours
    assert len({two[word] for word in others}) == count
    assert max(token_colors([words + others], LIGHT).values()) == count


@THEMES
def test_words_can_be_read_on_every_colour(theme: Theme) -> None:
    for fill in (*theme.tokens, theme.pad):
        assert max(contrast(fill, ink) for ink in ("#000000", "#FFFFFF")) >= 4.5


def test_ids_that_stand_for_padding_need_not_be_0() -> None:
    typed = [" ".join(map(str, ids)) for ids in TOY]
    batch = Batch.from_ids(typed, typed, pad_id=PAD)
    (trace,) = heatmaps(
        ids_heatmap(np.array(TOY), batch.src_labels, colors_of(batch, LIGHT), LIGHT)
    )
    for row, ids in zip(array(trace["z"]).tolist(), TOY, strict=True):
        for value, number in zip(row, ids, strict=True):
            assert (color(trace, value) == rgb(LIGHT.pad)) == (number == PAD)
