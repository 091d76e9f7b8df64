"""Step by step: every number on the page follows from the numbers of the step before."""

import math
import re
from typing import Any

import numpy as np
import pytest

from explorer.analysis.head_steps import head_steps
from explorer.exploration import explore
from explorer.figures.arithmetic import signed_number
from explorer.forward import forward
from explorer.names import AttentionKind, PaddingSide
from explorer.views.steps.step_views import STEPS
from tests.app.driving import components, matrices, open_page, pictures, state_of
from tests.app.stepping import (
    D_K,
    LAYER,
    MODEL,
    batch_of,
    biases,
    close,
    drawn,
    filled,
    go_to,
    hidden_cells,
    named,
    small,
    text_of,
    usual,
    walk,
)
from tests.app.untrained import model_of
from tests.figures.test_arithmetic import (
    WrittenSum,
    check_sum,
    read_number,
    read_softmax,
    read_sum,
)
from tests.support.marks import rest

pytestmark = pytest.mark.usefixtures("with_biases")


# The matrices of the page


@pytest.mark.parametrize(
    ("kind", "head", "side"),
    [("encoder", 1, "right"), ("decoder", 1, "left"), ("cross", 2, "right")],
)
def test_every_matrix_is_the_models(kind: AttentionKind, head: int, side: PaddingSide) -> None:
    """Each follows from those before it: see tests/analysis/test_head_steps.py."""
    model = model_of(MODEL)
    trace = forward(model, batch_of(side), row=1)
    place = kind, LAYER - 1
    inputs = trace.attention_inputs(*place)
    steps = head_steps(model.attention(*place), inputs, trace.attention(*place), head - 1)
    hidden = hidden_cells(kind, side)
    wanted: dict[str, Any] = {
        name: getattr(steps, name) for name in ("q", "k", "v", "dots", "scores", "context")
    }
    wanted |= {"x_query": inputs[0][0], "x_key": inputs[1][0], "k_t": steps.k.T}
    wanted |= {"masked": np.where(hidden, np.nan, steps.scores)}
    wanted |= {"weights": np.where(hidden, np.nan, steps.weights)}
    wanted |= {"concat": steps.output.concat, "w_o": steps.output.w, "out": steps.output.out}
    for name, to in (("q", steps.to_q), ("k", steps.to_k), ("v", steps.to_v)):
        wanted |= {f"x_{name}": to.x, f"w_{name}": to.w}
    seen = walk(small(kind, "matrix", head, side=side))
    for step, found in seen.items():
        for name, values in found.items():
            close(values, wanted[name], f"{name} in {step}")
    drawn_names = {name for found in seen.values() for name in found}
    assert wanted.keys() - drawn_names <= ({"x_query"} if kind != "cross" else set())
    assert hidden.any()


# The table of one query against every key


@pytest.mark.parametrize(
    ("kind", "query"), [("encoder", 0), ("encoder", 5), ("decoder", 2), ("cross", 2)]
)
def test_the_table_has_the_numbers_of_the_pictures(kind: AttentionKind, query: int) -> None:
    seen = usual(kind)
    table = components(small(kind, "vector", query=query, key=1))["step_table"]
    assert table["header"] == ["key", "k", "q·k", "÷ √d_k", "mask", "softmax", "weight × v"]
    assert table["chosen"] == 1
    hidden = hidden_cells(kind)[query]
    batch = batch_of()
    words = (batch.tgt_in_labels if kind == "decoder" else batch.src_labels)[1]
    pad = [word == "PAD" for word in words]
    weights = filled(seen["softmax"]["weights"][query])
    shares = weights[:, None] * seen["v"]["v"]
    contexts = seen["context"]["context"]
    largest = max(np.abs(shares).max(), np.abs(contexts[query]).max())  # one scale for the column
    for key, (name, k, dot, score, mask, weight, share) in enumerate(table["rows"]):
        assert name == f"{key} · {words[key]}"
        assert read_number(dot["text"]).says(seen["dots"]["dots"][query, key])
        assert read_number(score["text"]).says(seen["scores"]["scores"][query, key])
        if weight["text"] == "< 0.0001":
            assert 0 < weights[key] < 0.0005
        else:
            assert read_number(weight["text"]).says(weights[key])
            assert (weight["text"] == "0") == (weights[key] == 0)
        assert weight["at"] == pytest.approx(weights[key], abs=1e-6)
        future = kind == "decoder" and key > query
        reason = "PAD, future" if future and pad[key] else "future" if future else "PAD"
        assert mask["text"] == (f"−∞ {reason}" if hidden[key] else "0")
        keys = seen["k"]["k"]
        np.testing.assert_allclose(k["strip"], 100 * keys[key] / np.abs(keys).max(), atol=0.51)
        np.testing.assert_allclose(share["strip"], 100 * shares[key] / largest, atol=0.51)
    assert len(table["rows"]) == len(words)
    queries = seen["q"]["q"]
    np.testing.assert_allclose(
        table["query"][1]["strip"], 100 * queries[query] / np.abs(queries).max(), atol=0.51
    )
    assert read_number(table["total"][5]["text"]).says(1.0)
    np.testing.assert_allclose(
        table["total"][6]["strip"], 100 * contexts[query] / largest, atol=0.51
    )


def test_a_query_without_visible_keys_is_explained() -> None:
    at = small("decoder", "vector", side="left", step="softmax", query=0, key=3)
    assert np.isnan(drawn(at)["weights"]).all()
    assert np.isnan(drawn(at)["masked"]).all()
    assert "every weight is 0" in text_of(at)
    table = components(at)["step_table"]
    assert {row[5]["text"] for row in table["rows"]} == {"0"}
    assert table["total"][5]["text"] == "0.0000"
    go_to(at, "context")
    assert (drawn(at)["context"] == 0).all()
    assert read_sum(text_of(at)).result.value == 0


# The sums in words and numbers


@pytest.mark.parametrize(
    ("kind", "query", "key", "form"),
    [("encoder", 0, 0, "vector"), ("decoder", 2, 6, "vector"), ("cross", 4, 2, "matrix"),
     *rest(("decoder", 1, 2, "matrix"))],
)  # fmt: skip
def test_every_sum_written_out_is_right(
    kind: AttentionKind, query: int, key: int, form: str
) -> None:
    seen = usual(kind)
    bias = biases(kind)
    batch = batch_of()
    queries = (batch.src_labels if kind == "encoder" else batch.tgt_in_labels)[1]
    keys = (batch.tgt_in_labels if kind == "decoder" else batch.src_labels)[1]
    of_query, of_key = named(queries[query], query), named(keys[key], key)
    at = small(kind, form, query=query, key=key)

    go_to(at, "x")
    assert text_of(at).startswith(f"x of {of_query} = (")
    inside = re.search(r"= \((.*), …\)$", text_of(at))
    assert inside
    for text, true in zip(inside[1].split(", "), seen["q"]["x_q"][query, :8], strict=True):
        assert read_number(text).says(true)

    for which, row, name in (("q", query, of_query), ("k", key, of_key), ("v", key, of_key)):
        go_to(at, "qkv", which)
        assert text_of(at).startswith(f"{which}[0] of {name} = ")
        part = seen[which]
        check_sum(text_of(at), part[f"x_{which}"][row], part[f"w_{which}"][:, 0],
                  part[which][row, 0], bias[which][D_K])  # fmt: skip

    go_to(at, "dots")
    assert text_of(at).startswith(f"q·k for {of_query} → {of_key} = ")
    dot = seen["dots"]["dots"][query, key]
    check_sum(text_of(at), seen["q"]["q"][query], seen["k"]["k"][key], dot)

    go_to(at, "scores")
    score = seen["scores"]["scores"][query, key]
    before, after = signed_number(dot), signed_number(score)
    pair = f"{of_query} → {of_key}"
    assert text_of(at) == f"score for {pair} = {before} ÷ √8 = {before} ÷ 2.828 = {after}"

    go_to(at, "mask")
    hidden = hidden_cells(kind)[query, key]
    late = kind == "decoder" and key > query
    reason = "PAD, future" if late and keys[key] == "PAD" else "future" if late else "PAD"
    masked = f"(−∞) = −∞ ({reason})" if hidden else f"0 = {after} (may attend)"
    assert text_of(at) == f"{pair}: {after} + {masked}"

    go_to(at, "softmax")
    assert text_of(at).startswith(f"weight for {of_query} → {of_key} = ")
    written = read_softmax(text_of(at))
    assert written.adds_up()
    scores = seen["mask"]["masked"][query]
    np.testing.assert_allclose(written.exponents, scores[~np.isnan(scores)], atol=0.00051)
    assert written.own == (-math.inf if hidden else pytest.approx(scores[key], abs=0.00051))
    assert written.weight == pytest.approx(
        filled(seen["softmax"]["weights"])[query, key], abs=0.000051
    )

    go_to(at, "context")
    assert text_of(at).startswith(f"context[0] of {of_query} = ")
    check_sum(text_of(at), filled(seen["softmax"]["weights"])[query], seen["v"]["v"][:, 0],
              seen["context"]["context"][query, 0])  # fmt: skip

    go_to(at, "concat")
    assert text_of(at) == "2 heads × 8 numbers = 16 = d_model. Head 2 fills dimensions 8 to 15."

    go_to(at, "out")
    assert text_of(at).startswith(f"out[0] of {of_query} = ")
    out = seen["out"]
    check_sum(
        text_of(at), out["concat"][query], out["w_o"][:, 0], out["out"][query, 0], bias["o"][0]
    )


# Windows


def test_a_wide_model_sends_only_the_shown_numbers() -> None:
    wide = {"d_model": 512, "heads": 4, "head": 3, "enc": 1, "dec": 1, "d_ff": 8}
    at = open_page("steps", **state_of([("a b c", "x y")]), **wide, form="matrix", query=2, key=1)
    for step in STEPS:
        picture = pictures(go_to(at, step))["step_picture"]
        shapes = [values.shape for values in matrices(picture).values()]
        assert max(map(max, shapes)) <= (32 if step in ("qkv", "out") else 64), step
    notes = [note["text"] for note in picture["spec"]["layout"]["annotations"]]
    assert {"(3, 512), 32 shown", "(512, 512), 32 shown"} <= set(notes)
    assert "(512, 512)" in picture["alt"]
    seen = explore(["a b c"], ["x y"], d_model=512, n_heads=4, n_layers=1)
    out = seen.trace.attention("encoder", 0).out[0, :, :32]  # the first numbers
    close(matrices(picture)["out"], out.numpy())


def test_in_sight_are_the_three_largest_terms() -> None:
    at = open_page("steps", **state_of([("a b c", "x y")]), d_model=512, heads=4, query=2, key=1)
    seen = explore(["a b c"], ["x y"], d_model=512, n_heads=4)
    trace = seen.trace.attention("encoder", 0)
    products = np.abs((trace.q[0, 0, 2] * trace.k[0, 0, 1]).numpy())
    written: WrittenSum = read_sum(text_of(at))
    assert written.left_out == 125
    assert written.adds_up()
    shown = sorted(abs(a.value * b.value) for a, b in written.pairs)
    np.testing.assert_allclose(shown, np.sort(products)[-3:], atol=0.01)
