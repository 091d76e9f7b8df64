"""The map of all heads: its bytes are the weights, and its numbers describe the heads."""

from typing import Any, get_args

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest

from explorer.analysis.head_summary import summarise
from explorer.drawing.labels import disambiguated
from explorer.names import AttentionKind
from tests.app.driving import choose, components, heads_as_sent, open_page, state_of
from tests.app.untrained import BATCH, MODELS, PAIRS, weights_of

KINDS = get_args(AttentionKind)


def layers_of(model: dict[str, Any], kind: str) -> int:
    return model.get("enc" if kind == "encoder" else "dec", 2)


def all_weights(model: dict[str, Any], row: int, kind: AttentionKind) -> np.ndarray:
    """(layers, heads, query, key)"""
    return np.stack([weights_of(model, row, kind, n) for n in range(layers_of(model, kind))])


def labels_of(kind: str, row: int) -> tuple[list[str], list[str]]:
    """The labels of queries and keys; the second pair is padded."""
    src, tgt = BATCH.src_labels[row], BATCH.tgt_in_labels[row]
    return [*(src if kind == "encoder" else tgt)], [*(tgt if kind == "decoder" else src)]


def open_for(kind: AttentionKind, row: int) -> np.ndarray:
    """A mask of the keys that each query may attend to."""
    return weights_of({}, row, kind, 0)[0] > 0


def sent_stacks(at: AppTest) -> dict[str, dict[str, Any]]:
    """The data that was sent for each kind of attention."""
    return {stack["kind"]: stack for stack in components(at)["heads_view"]["stacks"]}


@pytest.mark.parametrize(
    ("name", "row", "scale"),
    [("usual", 1, "largest"), ("pre-norm", 1, "unit")],
)
def test_bytes_are_the_weights(name: str, row: int, scale: str) -> None:
    model = MODELS[name]
    at = open_page("attention", **state_of(PAIRS, pair=row + 1), **model, scale=scale)
    wanted = {kind: all_weights(model, row, kind) for kind in KINDS}
    stacks = sent_stacks(at)
    assert list(stacks) == list(KINDS)
    for kind, weights in wanted.items():
        levels, top = stacks[kind]["weights"].astype(float), stacks[kind]["top"]
        assert scale != "unit" or top == 1
        assert levels.shape == weights.shape
        seen = np.broadcast_to(open_for(kind, row), levels.shape)
        np.testing.assert_array_equal(levels > 0, seen, err_msg=kind)
        sent = (levels - 1) / 254 * top  # 1 is a weight of nearly 0, 255 one of `top`
        half_a_step = top / 254 / 2
        np.testing.assert_allclose(
            sent[seen], weights[seen].clip(max=top), atol=half_a_step + 1e-6, rtol=0, err_msg=kind
        )


def reads(rows: list[str]) -> list[str]:
    """The tokens that the rows read, without those that they write."""
    return [row.split(" → ")[0] for row in rows]


@pytest.mark.parametrize("row", [0, 1])
def test_rows_are_queries_and_columns_are_keys(row: int) -> None:
    stacks = sent_stacks(open_page("attention", **state_of(PAIRS, pair=row + 1)))
    for kind in KINDS:
        queries, keys = labels_of(kind, row)
        assert reads(stacks[kind]["queries"]) == disambiguated(queries)
        assert stacks[kind]["keys"] == disambiguated(keys)
        assert stacks[kind]["weights"].shape[2:] == (len(queries), len(keys))


def test_another_focus_does_not_send_the_weights_again() -> None:
    sentences = state_of(PAIRS, pair=1)
    at = open_page("attention", **sentences)
    before = heads_as_sent(at)
    assert components(at)["heads_focus"] == {"kind": "encoder", "layer": 0, "head": 0}
    choose(at, attention="cross", layer=2, head=3).run()
    assert components(at)["heads_focus"] == {"kind": "cross", "layer": 1, "head": 2}
    assert heads_as_sent(at) == before
    at.text_input(key="src").set_value("the dog has seen the mouse").run()
    assert heads_as_sent(at) != before


@pytest.mark.parametrize(
    ("name", "row", "kind"),
    [("usual", 0, "encoder"), ("pre-norm", 1, "cross")],
)
def test_heads_in_numbers(name: str, kind: AttentionKind, row: int) -> None:
    model = MODELS[name]
    at = open_page(
        "attention", **state_of(PAIRS, pair=row + 1, attention=kind), drawer="heads", **model
    )
    table = components(at)[f"{kind}-heads"]
    meanings = ("entropy", "distance", "diagonal", "previous", "BOS or EOS")
    assert table["header"][1] == "what it does here"
    for column, meaning in zip(table["header"][2:], meanings, strict=True):
        assert meaning in column
    queries, keys = labels_of(kind, row)
    is_word = [query != "PAD" for query in queries]
    is_frame = [key in ("BOS", "EOS") for key in keys]
    wanted = []
    for weights in all_weights(model, row, kind):
        found = summarise(torch.from_numpy(weights), is_word, is_frame)
        measured = found.entropy, found.distance, found.diagonal, found.previous, found.frame
        wanted.append(np.stack(measured, axis=1))
    heads = model.get("heads", 4)
    assert [line[0] for line in table["rows"]] == [
        f"layer {layer}, head {head}"
        for layer in range(1, layers_of(model, kind) + 1)
        for head in range(1, heads + 1)
    ]
    shown = np.array([[float(cell) for cell in line[2:]] for line in table["rows"]])
    np.testing.assert_allclose(shown, np.concatenate(wanted), atol=0.0005 + 1e-5)
