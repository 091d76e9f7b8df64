"""Pictures of attention: the numbers and colours of their cells."""

from dataclasses import replace

import numpy as np
import pytest

from explorer.drawing.theme import LIGHT
from explorer.figures.attention import Heads, all_heads, one_head
from tests.figures.reading import (
    array,
    color,
    hatched,
    heatmaps,
    labels,
    of_plotly,
    read_cells,
    rgb,
)

PHONE = 350  # pixels that a picture gets on a small screen; below its own least it scrolls
TARGET = ["BOS", "er", "schlief"]
SOURCE = ["the", "cat", "slept", "PAD"]


def heads(
    weights: np.ndarray, queries: list[str], keys: list[str], may_attend: np.ndarray | None = None
) -> Heads:
    """Heads that may attend to every key by default."""
    everywhere = np.ones((len(queries), len(keys)), dtype=bool)
    return Heads(
        weights=weights,
        scores=weights * 10 - 3,
        may_attend=everywhere if may_attend is None else may_attend,
        query_labels=queries,
        key_labels=keys,
    )


def numbered(count: int, queries: list[str], keys: list[str]) -> Heads:
    """Every cell of every head another value between 0 and 1, none of them 0."""
    size = count * len(queries) * len(keys)
    weights = (np.arange(1, size + 1) / (size + 1)).reshape(count, len(queries), len(keys))
    return heads(weights, queries, keys)


def words(count: int) -> list[str]:
    return [f"unremarkable{number}" for number in range(count)]


def test_rows_that_are_not_written_yet_are_hatched() -> None:
    weights = np.full((2, 3, 4), 0.25)
    weights[:, 2] = np.nan
    (cells,) = heatmaps(one_head(heads(weights, TARGET, SOURCE), 0, kind="cross"))
    assert hatched(cells).tolist() == [[0] * 4, [0] * 4, [1] * 4]


def test_rows_need_not_be_the_queries() -> None:
    shown = replace(numbered(1, TARGET, SOURCE), row="after", rows="words so far")
    figure = one_head(shown, 0, kind="cross")
    assert of_plotly(figure).layout.yaxis.title.text == "words so far"
    (trace,) = heatmaps(figure)
    assert trace["customdata"][0][0].startswith("after <b>BOS</b>")
    assert "query" not in trace["customdata"][0][0]


def test_what_is_drawn_is_the_array() -> None:
    shown = numbered(3, TARGET, SOURCE)
    for head in range(3):
        (drawn,) = heatmaps(one_head(shown, head, kind="cross"))
        np.testing.assert_allclose(array(drawn["z"]), shown.weights[head], rtol=1e-6)
        np.testing.assert_allclose(array(drawn["told"][1]), shown.scores[head], rtol=1e-6)
        assert drawn["name"] == str(head + 1)


def test_every_picture_has_the_colour_range_0_to_1() -> None:
    faint = heads(np.full((4, 3, 4), 0.01), TARGET, SOURCE)
    one = one_head(faint, 2, kind="cross")
    grid = all_heads(faint, 2, kind="cross")
    for trace in heatmaps(one) + heatmaps(grid):
        assert (trace["zmin"], trace["zmax"]) == (0, 1)
        assert color(trace, 1.0) == rgb(LIGHT.weights("cross")[-1][1])


def test_only_what_the_mask_hides_has_its_colour() -> None:
    """A weight that is 0 because a key lost the comparison is no masked one."""
    may_attend = np.array([[True, False, True], [False, True, True]])
    weights = np.array([[[0.0, 0.0, 1.0], [0.0, 1.0, 0.0]], [[0.5, 0.0, 0.5], [0.0, 0.0, 1.0]]])
    shown = heads(weights, ["a", "b"], ["x", "y", "z"], may_attend)
    grid = heatmaps(all_heads(shown, 0, kind="cross"))
    for head in range(2):
        for trace in (*heatmaps(one_head(shown, head, kind="cross")), grid[head]):
            drawn = array(trace["z"])
            np.testing.assert_allclose(drawn, weights[head], atol=1e-6)
            seen = np.array([[color(trace, float(value)) for value in row] for row in drawn])
            masked = (seen == rgb(LIGHT.masked)).all(axis=-1)
            np.testing.assert_array_equal(masked, ~may_attend)
            np.testing.assert_array_equal(hatched(trace) > 0, ~may_attend)
            faintest = (seen == rgb(LIGHT.weights("cross")[0][1])).all(axis=-1)
            np.testing.assert_array_equal(faintest, may_attend & (weights[head] == 0))


def test_own_range_strengthens_the_colours_and_keeps_the_numbers() -> None:
    shown = heads(np.full((1, 3, 4), 0.25), TARGET, SOURCE)
    (trace,) = heatmaps(one_head(shown, 0, kind="cross", top=0.25))
    assert color(trace, 0.25) == rgb(LIGHT.weights("cross")[-1][1])
    assert (array(trace["z"]) == 0.25).all()


@pytest.mark.parametrize("count", [1, 2, 4, 7, 8, 32])
def test_small_pictures_show_every_head_apart(count: int) -> None:
    shown = numbered(count, TARGET, SOURCE)
    figure = all_heads(shown, 0, kind="cross")
    traces = heatmaps(figure)
    assert [trace["name"] for trace in traces] == [str(head + 1) for head in range(count)]
    taken: set[tuple[float, float]] = set()
    for head, trace in enumerate(traces):
        np.testing.assert_allclose(array(trace["z"]), shown.weights[head], rtol=1e-6)
        assert read_cells(figure, head)["er", "slept"] == pytest.approx(
            [shown.weights[head, 1, 2]], rel=1e-6
        )
        places = {
            (trace["x0"] + column, trace["y0"] + row) for row in range(3) for column in range(4)
        }
        assert not places & taken
        taken |= places
    (left, right), (bottom, top) = (
        of_plotly(figure).layout.xaxis.range,
        of_plotly(figure).layout.yaxis.range,
    )
    assert all(left < x < right and top < y < bottom for x, y in taken)


def test_the_head_in_focus_is_framed() -> None:
    shown = numbered(4, TARGET, SOURCE)
    for head in range(4):
        figure = all_heads(shown, head, kind="decoder")
        (frame,) = of_plotly(figure).layout.shapes
        trace = heatmaps(figure)[head]
        assert (frame.x0, frame.x1) == (trace["x0"] - 0.5, trace["x0"] + 3.5)
        assert (frame.y0, frame.y1) == (trace["y0"] - 0.5, trace["y0"] + 2.5)
        assert frame.line.color == LIGHT.text


def test_words_keep_their_positions_where_some_are_left_out() -> None:
    """PAD stood at 0 and 2: the two cats are still words 1 and 3 of their sentence."""
    shown = replace(
        numbered(1, ["cat", "cat"], ["cat", "cat"]), query_positions=(1, 3), key_positions=(1, 3)
    )
    for figure in (
        one_head(shown, 0, kind="encoder"),
        all_heads(shown, 0, kind="cross"),
    ):
        assert list(labels(figure, "y").values()) == ["1 · cat", "3 · cat"]
        assert list(labels(figure, "x").values()) == ["1 · cat", "3 · cat"]


@pytest.mark.parametrize("length", [1, 4, 5, 16, 17, 24, 25, 40, 41, 128])
def test_a_narrow_screen_leaves_room_for_every_label_and_number(length: int) -> None:
    figure = one_head(numbered(1, words(length), words(length)), 0, kind="encoder")
    layout = of_plotly(figure).layout
    across = (max(PHONE, figure.min_width) - layout.margin.l - layout.margin.r) / length
    down = (layout.height - layout.margin.t - layout.margin.b) / length
    flat = layout.xaxis.tickangle == 0  # then a label takes its length, else its height
    assert across >= (6 * len("unremarkable0") if flat else layout.xaxis.tickfont.size)
    assert down >= layout.yaxis.tickfont.size
    if heatmaps(figure)[0].get("texttemplate"):  # "0.25" in letters of half their height
        assert across >= 4 * 0.5 * heatmaps(figure)[0]["textfont"]["size"]


def test_a_masked_cell_says_why() -> None:
    words, mask = ["a", "b", "PAD"], np.tril(np.ones((3, 3), dtype=bool))
    mask[:, 2] = False
    weights = np.where(mask, 0.5, 0.0)[None]
    (drawn,) = heatmaps(one_head(heads(weights, words, words, mask), 0, kind="decoder"))
    future, pad = "masked: the key is in the future", "masked: the key is PAD"
    both = f"{future} and is PAD"
    assert drawn["told"][-1] == [["", future, both], ["", "", both], ["", "", pad]]
    assert drawn["customdata"][0][1].endswith(f"<br>{future}")
    mask[:, :2] = True  # an encoder has no future
    (drawn,) = heatmaps(one_head(heads(weights, words, words, mask), 0, kind="encoder"))
    assert drawn["told"][-1] == [["", "", pad]] * 3
    (drawn,) = heatmaps(one_head(numbered(1, words, words), 0, kind="decoder"))
    assert len(drawn["told"]) == 2  # weight and score: nothing is masked
