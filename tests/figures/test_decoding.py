"""Pictures of decoding: every number where it belongs, and typed words as they were typed."""

import math
from typing import Any

import numpy as np
import pytest

from explorer.drawing.theme import LIGHT
from explorer.figures.decoding import Node, newest, next_words, tree
from explorer.masks import FUTURE, KEY_IS_PAD, MAY_ATTEND
from tests.figures.reading import (
    array,
    first_row_is_on_top,
    hatched,
    heatmaps,
    labels,
    read_cells,
    spec,
)

TYPED = ["<b>", "%{z}", "</span>", "a&b"]
WEIGHTS = np.array([[0.1, 0.2, 0.3, 0.4], [0.0, 0.25, 0.75, 0.0]])
EVERYWHERE = np.ones(4, dtype=bool)


def shown_newest(
    weights: np.ndarray = WEIGHTS,
    keys: list[str] = TYPED,
    may: np.ndarray = EVERYWHERE,
    room: int = 0,
) -> dict[str, Any]:
    return spec(newest(weights, may, keys, kind="cross", title="looks", room=room))


class TestNewest:
    def test_a_row_a_head_and_a_column_a_word(self) -> None:
        figure = shown_newest(keys=["the", "cat", "the", "end"])
        cells = read_cells(figure)
        assert cells["head 1", "cat"] == pytest.approx([0.2])
        assert cells["head 2", "2 · the"] == pytest.approx([0.75])
        assert cells["head 1", "0 · the"] == pytest.approx([0.1])
        assert list(labels(figure, "y").values()) == ["head 1", "head 2"]
        assert first_row_is_on_top(figure)

    def test_words_to_come_are_hatched_as_the_future(self) -> None:
        (trace,) = heatmaps(shown_newest(may=np.array([True, True, True, False]), room=6))
        expected = [[MAY_ATTEND] * 3 + [KEY_IS_PAD] + [FUTURE] * 2] * 2
        assert hatched(trace).tolist() == expected
        assert array(heatmaps(shown_newest(room=2))[0]["z"]).shape == (2, 4)

    @pytest.mark.parametrize(("room", "written"), [(16, True), (17, False)])
    def test_numbers_are_written_where_there_is_room(self, room: int, written: bool) -> None:
        for trace in heatmaps(shown_newest(room=room)):
            assert (trace.get("texttemplate") is not None) == written


PROBABILITIES = np.array([0.6, 0.25, 0.1, 0.04])
NARROWED = np.array([0.7, 0.3, 0.0, 0.0])


def bars(figure: dict[str, Any]) -> dict[str, list[float]]:
    """The lengths of the bars, by what they show, from the top."""
    return {
        trace["name"]: array(trace["x"])[np.argsort(array(trace["y"]))].tolist()
        for trace in figure["data"]
        if trace["type"] == "bar"
    }


def shown_words(
    candidates: np.ndarray | None = NARROWED, names: list[str] = TYPED, chosen: int = 1
) -> dict[str, Any]:
    return spec(next_words(PROBABILITIES, candidates, names, chosen))


class TestNextWords:
    def test_bars_are_the_probabilities_used_and_outlines_the_models_own(self) -> None:
        found = bars(spec(next_words(NARROWED, PROBABILITIES, TYPED, 1)))
        assert found["probability"] == pytest.approx(NARROWED)
        assert found["the model's own"] == pytest.approx(PROBABILITIES)

    def test_a_small_probability_is_not_0(self) -> None:
        shares = np.array([0.0004, 0.0, 0.6])
        drawn = spec(next_words(shares, None, ["a", "b", "c"], 0))
        assert list(drawn["data"][0]["text"]) == ["< 0.001", "0.000", "0.600"]

    def test_the_rest_is_a_last_quiet_row(self) -> None:
        figure = spec(next_words(PROBABILITIES, NARROWED, TYPED[:3], 1, rest="all others"))
        assert labels(figure, "y")[3] == f'<span style="color:{LIGHT.muted}">all others</span>'
        colors = figure["data"][0]["marker"]["color"]
        assert colors[3] == LIGHT.line not in colors[:3]

    @pytest.mark.parametrize("chosen", [0, 1, 3])
    def test_the_chosen_word_is_bold_and_has_its_own_colour(self, chosen: int) -> None:
        figure = shown_words(chosen=chosen, names=["one", "two", "three", "four"])
        names = labels(figure, "y")
        assert [at for at, name in names.items() if name.startswith("<b>")] == [chosen]
        assert names[chosen] == f"<b>{['one', 'two', 'three', 'four'][chosen]}</b>"
        colors = figure["data"][0]["marker"]["color"]
        assert [at for at, c in enumerate(colors) if c == LIGHT.text] == [chosen]

    def test_probabilities_have_the_same_length_in_every_picture(self) -> None:
        layout = shown_words()["layout"]
        assert list(layout["xaxis"]["range"]) == [0, 1.0]
        below, above = layout["yaxis"]["range"]
        assert above < 0  # the likeliest word on top
        assert below >= 7.5


def node(parent: int | None, depth: int, word: str, **more: Any) -> Node:
    usual = {"score": -0.5 * depth, "probability": 0.5**depth, "kept": True, "best": False}
    return Node(**({"parent": parent, "depth": depth, "word": word} | usual | more))


NODES = [
    node(None, 0, "BOS", best=True),
    node(0, 1, "<b>", best=True, score=-0.25, probability=0.625),
    node(0, 1, "%{text}", score=-0.5),
    node(0, 1, "dropped", kept=False),
    node(2, 2, "x"),
    node(1, 2, "EOS", best=True),
    node(1, 2, "gone", kept=False),
]


def shown_tree(
    nodes: list[Node] = NODES, *, depth: int = 2, width: int = 2, at: int = 2
) -> dict[str, Any]:
    return spec(tree(nodes, depth=depth, width=width, at=at))


def places(figure: dict[str, Any]) -> list[tuple[float, float]]:
    points = figure["data"][-1]
    return list(zip(array(points["x"]).tolist(), array(points["y"]).tolist(), strict=True))


def edges(figure: dict[str, Any], number: int) -> set[tuple[tuple[float, float], ...]]:
    """The lines of one kind, from where to where."""
    trace = figure["data"][number]
    points = list(zip(trace["x"], trace["y"], strict=True))
    assert np.isnan(points[3::4]).all()
    starts = [(math.floor(x), y) for x, y in points[::4]]  # where the word has ended
    return set(zip(starts, points[2::4], strict=True))


class TestTree:
    def test_a_column_a_step_the_first_on_top(self) -> None:
        figure = shown_tree()
        assert places(figure) == [(0, 0), (1, 0), (1, 1), (1, 2), (2, 0), (2, 1), (2, 2)]
        low, high = figure["layout"]["yaxis"]["range"]
        assert high < 0 < low
        assert list(labels(figure, "x").values()) == ["start", "word 1", "word 2"]

    def test_lines_lead_from_parent_to_child(self) -> None:
        at = places(shown_tree())
        faint, strong = (edges(shown_tree(), number) for number in (0, 1))
        assert strong == {(at[0], at[1]), (at[1], at[5])}
        assert faint == {(at[0], at[2]), (at[0], at[3]), (at[2], at[4]), (at[1], at[6])}

    def test_lines_of_a_step_turn_where_its_longest_word_has_ended(self) -> None:
        turns = []
        for word in ("a", "a long word"):
            trace = shown_tree([node(None, 0, "BOS"), *(node(0, 1, one) for one in ("x", word)),
                                *(node(at, 2, "y") for at in (1, 2))])["data"][0]  # fmt: skip
            (begin, turn), (own, same) = (
                [x - 1 for x in trace["x"][at : at + 2]] for at in (8, 12)
            )
            assert 0 < begin <= own == turn == same  # no text of this step is longer
            turns.append(turn)
        assert 0 < turns[0] < turns[1] < 1

    def test_every_kept_node_has_its_word_and_score(self) -> None:
        texts = list(shown_tree()["data"][-1]["text"])
        assert texts == [
            "BOS<br>0.00",
            "&lt;b&gt;<br>−0.25",
            "%{text}<br>−0.50",
            "dropped",
            "x<br>−1.00",
            "EOS<br>−1.00",
            "gone",
        ]

    def test_dropped_words_are_smaller_and_fainter_and_the_answer_stands_out(self) -> None:
        marker = shown_tree()["data"][-1]["marker"]
        looks = dict(zip((n.word for n in NODES), marker["color"], strict=True))
        sizes = dict(zip((n.word for n in NODES), marker["size"], strict=True))
        assert looks["dropped"] == looks["gone"] == LIGHT.tint(None)
        assert looks["BOS"] == looks["<b>"] == looks["EOS"] != looks["x"] == looks["%{text}"]
        assert sizes["dropped"] == sizes["gone"] < sizes["x"] == sizes["EOS"]

    def test_the_step_in_question_is_framed(self) -> None:
        for at in (1, 2):
            (frame,) = shown_tree(at=at)["layout"]["shapes"]
            assert at - 1 < frame["x0"] < at < frame["x1"] < at + 1
            assert frame["y0"] < 0 < 2 < frame["y1"]  # three words

    def test_hovering_shows_the_word_and_its_probability(self) -> None:
        points = shown_tree()["data"][-1]
        assert points["customdata"][1].split("<br>") == [
            "word &lt;b&gt;",
            "the word before BOS",
            "probability of the sentence so far 0.6250",
        ]

    def test_nodes_that_do_not_fit_are_left_out_with_their_lines(self) -> None:
        many = [node(None, 0, "BOS"), *(node(0, 1, f"w{n}", kept=n < 2) for n in range(8))]
        figure = shown_tree(many, depth=1, width=2)
        assert places(figure) == [(0, 0), (1, 0), (1, 1), (1, 2), (1, 3)]
        assert len(edges(figure, 0)) == 4

    def test_the_picture_keeps_its_size_while_the_tree_grows(self) -> None:
        early, late = shown_tree(NODES[:4]), shown_tree()
        assert early["layout"]["height"] == late["layout"]["height"]
        assert early["layout"]["xaxis"]["range"] == late["layout"]["xaxis"]["range"]
