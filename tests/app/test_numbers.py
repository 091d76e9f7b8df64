"""The numbers in pictures, against an independent computation."""

import math
import re
from typing import Any

import numpy as np
import pytest

from explorer.choices.examples import EXAMPLES
from explorer.names import AttentionKind
from explorer.positional import sinusoidal
from explorer.text import Batch
from tests import test_masks
from tests.app.driving import (
    choose,
    components,
    matrices,
    numbers,
    open_drawer,
    open_page,
    pick_example,
    pictures,
    press,
    state_of,
    texts,
)
from tests.app.untrained import MODELS, PAIRS, weights_of
from tests.figures.reading import array, heatmaps, labels, read_cells

TOY = test_masks.TOY.tolist()


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
@pytest.mark.parametrize("kind", ["encoder", "decoder", "cross"])
def test_attention_is_drawn(model: dict[str, Any], kind: AttentionKind) -> None:
    last = model.get("enc" if kind == "encoder" else "dec", 2)
    heads = model.get("heads", 4)
    at = open_page(
        "attention",
        **state_of(PAIRS, pair=2, attention=kind, layer=last, head=heads),
        **model,
    )
    wanted = weights_of(model, 1, kind, last - 1)
    for head in reversed(range(heads)):
        choose(at, head=head + 1).run()
        np.testing.assert_allclose(numbers(pictures(at)["one_head"]), wanted[head], atol=1e-5)


def test_cross_attention_has_the_words_it_belongs_to() -> None:
    at = open_page("attention", **state_of(PAIRS, pair=1, attention="cross", layer=1, head=2))
    picture = pictures(at)["one_head"]
    wanted = weights_of({}, 0, "cross", 0)[1]
    cells = read_cells(picture["spec"])
    # BOS der Hund hat die Katze gesehen, over: the dog has seen the cat
    at_katze, at_hund, at_bos = "Katze → <i>gesehen</i>", "Hund → <i>hat</i>", "BOS → <i>der</i>"
    assert cells[at_katze, "cat"] == pytest.approx([wanted[5, 5]], abs=1e-5)
    assert cells[at_hund, "4 · the"] == pytest.approx([wanted[2, 4]], abs=1e-5)
    assert cells[at_bos, "0 · the"] == pytest.approx([wanted[0, 0]], abs=1e-5)
    best = int(wanted[5].argmax())
    word = ["the", "dog", "has", "seen", "the", "cat"][best]
    assert f"Katze → gesehen: {word} {wanted[5, best]:.2f}" in picture["alt"]


def test_torch_computes_the_same() -> None:
    at = open_drawer(open_page("attention", **state_of(PAIRS)), "code").run()
    (found,) = re.findall(r"torch.nn agrees \(largest difference (.*)\)", texts(at))
    assert 0 < float(found.replace("−", "-")) < 1e-5


def test_weights_of_hidden_keys_are_exactly_0() -> None:
    at = open_page("attention", **state_of(PAIRS, pair=2, attention="decoder"))
    weights = numbers(pictures(at)["one_head"])
    pad = np.array([0, 0, 0, 0, 0, 1, 1], dtype=bool)  # BOS es war müde EOS PAD PAD
    hidden = np.triu(np.ones((7, 7), dtype=bool), 1) | pad
    assert (weights[hidden] == 0).all()
    assert (weights[~hidden] > 0).all()
    np.testing.assert_allclose(weights.sum(axis=1), 1, atol=1e-5)


def test_hiding_pad_takes_its_rows_and_columns_out() -> None:
    at = open_page("attention", **state_of(PAIRS, pair=2, attention="cross", hide_pad=True))
    picture = pictures(at)["one_head"]
    assert list(labels(picture["spec"], "x").values()) == ["it", "was", "tired"]
    assert list(labels(picture["spec"], "y").values()) == [
        "BOS → <i>es</i>", "es → <i>war</i>", "war → <i>müde</i>", "müde → <i>EOS</i>",
    ]  # fmt: skip
    wanted = weights_of({}, 1, "cross", 0)[0]
    np.testing.assert_allclose(numbers(picture), wanted[:4, :3], atol=1e-5)


def test_padding_on_the_left_moves_the_words() -> None:
    at = open_page("attention", **state_of(PAIRS, pair=2, side="left"))
    left = Batch.from_text([s for s, _ in PAIRS], [t for _, t in PAIRS], side="left")
    picture = pictures(at)["one_head"]
    np.testing.assert_allclose(
        numbers(picture), weights_of({}, 1, "encoder", 0, left)[0], atol=1e-5
    )
    assert list(labels(picture["spec"], "x").values())[3:] == ["it", "was", "tired"]


def test_dropout_follows_its_seed_and_never_the_weights_on_screen() -> None:
    base = state_of(PAIRS, attention="encoder", layer=2)
    off, first, again, other = (
        numbers(pictures(open_page("attention", **base, **dropout))["one_head"])
        for dropout in (
            {},
            {"dropout": 0.5, "dropout_seed": 1},
            {"dropout": 0.5, "dropout_seed": 1},
            {"dropout": 0.5, "dropout_seed": 2},
        )
    )
    np.testing.assert_array_equal(first, again)
    assert np.abs(first - other).max() > 1e-3
    assert np.abs(first - off).max() > 1e-3
    np.testing.assert_allclose(first.sum(axis=1), 1, atol=1e-5)  # before dropout


def test_the_published_example_has_its_reference_masks() -> None:
    name = next(name for name in EXAMPLES if "PAD = 2" in name)
    at = open_page("masks", drawer="all_masks")
    pick_example(at, name)
    drawn = pictures(at)
    target = next(t for t in heatmaps(drawn["one_mask"]["spec"]) if t["name"] == "target mask")
    may = (array(target["z"]) == 0).astype(int).tolist()
    assert may == [[1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0], [1, 1, 1, 0]]
    assert (numbers(drawn["src_mask"]) == 0).astype(int).tolist() == [[1, 1, 1, 1, 0, 0]]


def test_the_two_published_mistakes_are_shown_as_published() -> None:
    rows = [" ".join(map(str, row)) for row in TOY]
    state = state_of([(row, row) for row in rows], tokens="ids", pad_id=1, pair=6)
    picture = pictures(open_page("masks", **state, rule="pad_queries"))["mistake"]
    right, mistake = numbers(picture), numbers(picture, 1)
    ids = np.array([1, 1, *TOY[5]])  # the sentence, padded on the left by two
    no_peek = np.tril(np.ones((10, 10), dtype=bool))
    for query in range(10):
        if ids[query] == 1:  # a row that the mistake blanks
            assert np.isnan([right[query], mistake[query]]).all()
        else:
            np.testing.assert_array_equal(right[query] == 0, no_peek[query] & (ids != 1))
            np.testing.assert_array_equal(mistake[query] == 0, no_peek[query])
    # Of 1 1 1 6 2 8 4 1 8 1, the words 6 2 8 4 see three PADs each, the second 8 sees four.
    assert picture["caption"].startswith("Cells that let a word attend to PAD: 16.")

    columns = pictures(open_page("masks", **state, rule="columns"))
    turned = np.array(TOY).T
    for number, sentence in enumerate(turned):
        wanted = np.triu(np.ones((8, 8)), 1) + 2 * (sentence == 1)
        np.testing.assert_array_equal(numbers(columns["mistake_columns"], number), wanted)


def test_a_row_of_the_mask_without_an_open_key_says_that_its_weights_are_set() -> None:
    link = state_of(PAIRS, pair=2, attention="decoder", side="left", query=0, key=0)
    at_work = pictures(open_page("masks", **link))["row_at_work"]
    assert "nothing but −∞" in at_work["caption"]
    assert not array(heatmaps(at_work["spec"])[-1]["z"]).any()


@pytest.mark.parametrize("kind", ["encoder", "decoder", "cross"])
def test_a_row_of_the_mask_is_at_work_in_the_chosen_head(kind: AttentionKind) -> None:
    link = state_of(PAIRS, pair=2, attention=kind, layer=2, head=3, query=3, key=1)
    drawn = pictures(open_page("masks", **link))
    weights = weights_of({}, 1, kind, 1)[2, 3]
    shown = [array(trace["z"])[:, 0] for trace in heatmaps(drawn["row_at_work"]["spec"])]
    hidden = numbers(drawn["one_mask"])[3] > 0
    assert hidden.any()
    np.testing.assert_allclose(shown[-1], weights, atol=1e-5)
    assert (shown[-1][hidden] == 0).all()
    # The sum has the scores where the mask is open, and nothing but −∞ elsewhere.
    np.testing.assert_array_equal(shown[-2][~hidden], shown[0][~hidden])
    assert np.isnan(shown[-2][hidden]).all()
    at_work = np.exp(shown[0][~hidden])
    np.testing.assert_allclose(shown[-1][~hidden], at_work / at_work.sum(), atol=1e-5)


def test_ids_of_a_batch_by_hand() -> None:
    at = open_page("tokens", **state_of([("a b a", "x"), ("b", "y z")]), drawer="target_batch")
    drawn = pictures(at)
    # PAD 0, BOS 1, EOS 2, UNK 3; then a 4, b 5 and x 4, y 5, z 6.
    for key, wanted in (
        ("src_ids", [["a=4", "b=5", "a=4"], ["b=5", "PAD=0", "PAD=0"]]),
        ("tgt_in_ids", [["BOS=1", "x=4", "EOS=2"], ["BOS=1", "y=5", "z=6"]]),
        ("tgt_out_ids", [["x=4", "EOS=2", "PAD=0"], ["y=5", "z=6", "EOS=2"]]),
    ):
        cells = heatmaps(drawn[key]["spec"])[0]["told"][0]
        assert [[cell.replace(", id ", "=") for cell in row] for row in cells] == wanted
        for line in wanted:
            assert " ".join(line) in drawn[key]["alt"]
    assert "BOS → x; x → EOS." in drawn["shift"]["alt"]


def test_positional_encodings() -> None:
    picture = pictures(open_page("positions", d_model=12, heads=4, positions=20))["encoding"]
    np.testing.assert_allclose(numbers(picture), sinusoidal(20, 12).numpy(), atol=1e-6)

    other = pictures(open_page("positions", d_model=12, heads=4, positions=8, base=100))
    np.testing.assert_allclose(numbers(other["encoding"])[3, 4:6],
                               [math.sin(3 / 100 ** (4 / 12)), math.cos(3 / 100 ** (4 / 12))],
                               atol=1e-6)  # fmt: skip

    doubled = pictures(open_page("positions", d_model=12, heads=4, formula="doubled"))
    np.testing.assert_allclose(numbers(doubled["encoding"])[3, 4],
                               math.sin(3 / 10000 ** (8 / 12)), atol=1e-6)  # fmt: skip

    alike = pictures(open_page("positions", d_model=12, heads=4, positions=20, aspect="similarity"))
    table = sinusoidal(20, 12).numpy()
    np.testing.assert_allclose(numbers(alike["similarity"]), table @ table.T, atol=1e-4)


def test_the_reference_values_can_be_reached() -> None:
    at = open_page("positions", weights=None, aspect="encoding")
    press(at, "Check it by hand: d_model 4, base 100")
    assert "position 1: 0.8414710, 0.5403023, 0.0998334, 0.9950042" in texts(at)
    drawn = numbers(pictures(at)["inputs"], 1)[1]
    np.testing.assert_allclose(drawn, [0.84147098, 0.54030231, 0.09983342, 0.99500417], atol=1e-7)
    assert at.query_params["base"] == "100"

    case = {"weights": None, "case": "two_scores", "form": "matrix", "step": "softmax"}
    softmax = matrices(pictures(open_page("steps", **case))["step_picture"])
    np.testing.assert_allclose(softmax["masked"], [[14, 12]], atol=1e-6)  # 112 and 96, ÷ √64
    np.testing.assert_allclose(softmax["weights"], [[0.8808, 0.1192]], atol=5e-5)


def test_sum_is_scaled_input_plus_position() -> None:
    for scaled in (True, False):
        at = open_page("positions", **state_of(PAIRS[:1]), aspect="inputs", scaled=scaled)
        word, position, total = (numbers(pictures(at)["inputs"], panel) for panel in range(3))
        np.testing.assert_allclose(position, sinusoidal(6, 64).numpy(), atol=1e-6)
        np.testing.assert_allclose(total, word + position, atol=1e-5)
        if scaled:
            long = word
        else:
            np.testing.assert_allclose(word * math.sqrt(64), long, atol=1e-5)


def test_80_positions_of_512_dimensions_are_drawn_whole() -> None:
    drawn = pictures(open_page("positions", aspect="inputs", input="eighty"))["inputs"]
    word, position, total = (numbers(drawn, panel) for panel in range(3))
    assert word.shape == (80, 512)
    np.testing.assert_allclose(position, sinusoidal(80, 512).numpy(), atol=1e-6)
    np.testing.assert_allclose(total, word + position, atol=1e-5)


def test_the_map_shows_the_shapes_of_what_was_typed() -> None:
    at = open_page("home", **state_of(PAIRS), enc=3, dec=1, d_model=24, heads=3)
    encoder, decoder = components(at)["model_map"]["lanes"]

    def shapes(lane: dict[str, Any], place: str = "shape") -> dict[str, str]:
        blocks = [b for part in lane["parts"] for b in part.get("blocks", [part])]
        return {block["name"]: block.get(place, "") for block in blocks}

    assert [part["times"] for lane in (encoder, decoder) for part in lane["parts"] if
            "times" in part] == ["3 × (shown: layer 1)", "1 ×"]  # fmt: skip
    assert shapes(encoder)["src"] == "(2, 6)"  # the dog has seen the cat
    assert shapes(encoder)["Memory"] == "(2, 6, 24)"
    assert shapes(decoder)["tgt_in"] == "(2, 7)"  # BOS and six words
    assert shapes(decoder)["Linear"] == "(2, 7, 1000)"
    for lane, name, inside, outside in (
        (encoder, "Self-attention", "weights (2, 3, 6, 6)", "(2, 6, 24)"),
        (encoder, "Feed-forward", "hidden (2, 6, 96)", "(2, 6, 24)"),
        (decoder, "Masked self-attention", "weights (2, 3, 7, 7)", "(2, 7, 24)"),
        (decoder, "Cross-attention", "weights (2, 3, 7, 6)", "(2, 7, 24)"),
    ):
        assert shapes(lane, "inside")[name] == inside
        assert shapes(lane)[name] == outside
